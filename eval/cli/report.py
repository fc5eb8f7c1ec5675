"""`emoharbor report`: a run as one file to share."""

from pathlib import Path
from typing import Annotated, Literal

import typer


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", help="The file; default report.html in the run folder."),
    ] = None,
    form: Annotated[
        Literal["html", "markdown"] | None,
        typer.Option("--format", help="html, or markdown; by the file's name unless given."),
    ] = None,
    episodes: Annotated[
        str | None,
        typer.Option(
            metavar="EPISODE,...",
            help="Episodes to show in full, set apart by commas, or none; default the best, the worst and the most "
            "disputed.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print where it is and what it shows as JSON.")] = False,
) -> None:
    """Write a run as one file to share: figures, tables, chosen episodes.

    The HTML file holds everything it needs: it opens from disk without a network, in light and dark, and prints. No
    script runs in it. It works on a run that is still going on.
    """
    from emoharbor.eval.cli.files import write_new
    from emoharbor.eval.cli.keys import whole_key
    from emoharbor.eval.cli.people import split
    from emoharbor.eval.cli.screen import put_json, tell
    from emoharbor.eval.reports.report import make_report
    from emoharbor.eval.run import load_run

    opened = load_run(run)
    keys = None if episodes is None else [whole_key(opened, name) for name in split(episodes) if name != "none"]
    found = make_report(opened, keys)
    wanted = form or ("markdown" if out is not None and out.suffix in (".md", ".markdown") else "html")
    path = out or run / ("report.md" if wanted == "markdown" else "report.html")
    if wanted == "markdown":
        from emoharbor.eval.reports.report_markdown import report_markdown

        text = report_markdown(found)
    else:
        from emoharbor.eval.viewer.report_page import report_html

        text = report_html(found)
    write_new(path, text, replace=True)
    if as_json:
        shown = [{"episode": item.record.episode, "why": item.why} for item in found.episodes]
        put_json({"file": str(path), "format": wanted, "bytes": len(text.encode()), "episodes": shown})
    else:
        tell(f"The report is in {path}")
