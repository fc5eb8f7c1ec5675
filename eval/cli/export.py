"""`emoharbor export`: a run in a form for other tools."""

from pathlib import Path
from typing import Annotated, Literal

import typer


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    form: Annotated[
        Literal["jsonl", "csv", "parquet"],
        typer.Option("--format", help="jsonl: an episode a line; csv, parquet: tables of episodes, turns, ratings."),
    ] = "jsonl",
    *,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="jsonl: the file, default the screen; else the folder, default RUN/export."),
    ] = None,
    canonical: Annotated[
        bool, typer.Option("--canonical", help="Leave out times and tokens: equal runs give equal bytes.")
    ] = False,
) -> None:
    """Write a run as JSON lines, CSV or Parquet."""
    import sys

    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.run import load_run
    from emoharbor.eval.store.export import jsonl

    opened = load_run(run)
    if form == "jsonl" and out is None:
        sys.stdout.flush()
        for line in jsonl(opened.records(), canonical=canonical):
            sys.stdout.buffer.write(f"{line}\n".encode())  # data is UTF-8, whatever the terminal is
        sys.stdout.buffer.flush()
        return
    for path in opened.export(out or run / "export", form, canonical=canonical):
        tell(f"wrote {path}")
