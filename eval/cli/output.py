"""Figures in the form that was asked for: terminal, Markdown, LaTeX, CSV, JSON; to the screen or into a file."""

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from pydantic import BaseModel

    from emoharbor.eval.reports.tables import Page

Format = Literal["table", "markdown", "latex", "csv", "json"]
FormatOption = Annotated[
    Format, typer.Option("--format", help="How to print: csv holds the first table only, json everything.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
OutOption = Annotated[
    Path | None, typer.Option("-o", "--out", metavar="FILE", help="Write into this file, not to the screen.")
]
ResamplesOption = Annotated[int, typer.Option(min=100, max=1_000_000, help="Of every bootstrap and permutation.")]
SeedOption = Annotated[int, typer.Option(min=0, help="Of the resampling; the same seed prints the same figures.")]
FailuresOption = Annotated[
    Literal["lowest", "exclude", "worst"],
    typer.Option(
        help="How episodes count in which the supporter failed: as the lowest scores, or not at all. worst: what is "
        "invalid, unscored or null counts as the lowest too."
    ),
]
JudgeOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Take the ratings of this judge (see `emoharbor judge`), not the run's own."),
]


def put_figures(found: "BaseModel", page: "Page", form: Format, out: Path | None) -> None:
    """Print figures, or write them into a file.

    Raises:
        RunFolderError: when the file cannot be written.
    """
    from emoharbor.eval.cli.screen import put_model, put_text, screen, tell
    from emoharbor.eval.reports.formats import as_csv, drawn, latex, markdown
    from emoharbor.eval.reports.glyphs import glyphs_for
    from emoharbor.state.errors import RunFolderError

    written = {"markdown": markdown, "latex": latex, "csv": as_csv}
    if out is None:
        if form == "json":
            put_model(found)
        elif form == "table":
            console = screen()
            console.print(drawn(page, glyphs_for(console)))
        else:
            put_text(written[form](page))
        return
    if form == "json":
        text = json.dumps(found.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"
    else:
        text = _in_file(page) if form == "table" else written[form](page)
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RunFolderError(f"{out}: cannot be written: {error.strerror}") from None
    tell(f"written: {out}")


def _in_file(page: "Page") -> str:
    from rich.console import Console

    from emoharbor.eval.cli.screen import WIDEST
    from emoharbor.eval.reports.formats import drawn
    from emoharbor.eval.reports.glyphs import FANCY

    file = io.StringIO()
    Console(file=file, width=WIDEST, markup=False, emoji=False, highlight=False).print(drawn(page, FANCY))
    return "".join(f"{line.rstrip()}\n" for line in file.getvalue().splitlines())
