"""`emoharbor init`: a config to start from."""

from pathlib import Path
from typing import Annotated

import typer

SCHEMA = "emoharbor.schema.json"


def init(
    path: Annotated[Path, typer.Argument(help="File to write.")] = Path("emoharbor.yaml"),
) -> None:
    """Write a commented config to start from.

    It runs as it is; its JSON schema is written beside it, for editors.
    """
    import json
    from importlib.resources import files

    from emoharbor.eval.cli.files import write_new
    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.config import config_schema

    if path.is_dir():
        path /= "emoharbor.yaml"
    write_new(path, files("emoharbor.eval.cli").joinpath("starter.yaml").read_text(encoding="utf-8"))
    schema = path.with_name(SCHEMA)
    if not schema.exists():
        write_new(schema, json.dumps(config_schema(), indent=2) + "\n")
    tell(f"wrote {path} and {schema}. Next: emoharbor check {path}, then emoharbor run {path}")
