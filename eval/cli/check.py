"""`emoharbor check`: look at a run before it costs anything."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from emoharbor.eval.assembly import Assembly


def check(
    config: Annotated[Path, typer.Argument(help="The run config (YAML).")],
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Look at a config before it costs anything.

    Checks names, signatures and key variables, and estimates calls and tokens. Nothing is called.
    """
    from emoharbor.eval.assembly import assemble, estimate
    from emoharbor.eval.cli.screen import put_json, show
    from emoharbor.eval.cli.unopened import Unopened
    from emoharbor.eval.config import load_config
    from emoharbor.eval.reports.plan import plan_data, plan_page
    from emoharbor.state.errors import ConfigError

    loaded = load_config(config)
    assembly = assemble(loaded, Unopened())
    keys = key_variables(assembly)
    calls = estimate(loaded)
    if as_json:
        put_json(plan_data(assembly, calls, keys))
    else:
        show(plan_page(assembly, calls, keys))
    missing = [name for name, there in keys.items() if not there]
    if missing:
        places = [place for place, settings in assembly.models.items() if settings.api_key_env in missing]
        raise ConfigError(
            f"{config}: the key variable{'s' if len(missing) > 1 else ''} {', '.join(missing)} "
            f"(for {', '.join(places)}) {'are' if len(missing) > 1 else 'is'} not set; "
            f"set it in the shell: export {missing[0]}=..."
        )


def key_variables(assembly: "Assembly") -> dict[str, bool]:
    """Return the names of the environment variables that hold keys, and whether each is set. The keys are not read."""
    import os

    names = [settings.api_key_env for settings in assembly.models.values() if settings.api_key_env]
    return {name: bool(os.environ.get(name, "").strip()) for name in dict.fromkeys(names)}
