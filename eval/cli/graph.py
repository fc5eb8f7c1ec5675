"""`emoharbor graph`: the picture of a cast."""

from pathlib import Path
from typing import Annotated, Literal

import typer


def graph(
    config: Annotated[Path | None, typer.Argument(help="A run config; without one, the offline cast.")] = None,
    form: Annotated[Literal["text", "mermaid", "svg"], typer.Option("--format", help="What to write.")] = "text",
    out: Annotated[Path | None, typer.Option("-o", "--out", help="File to write; default: the screen.")] = None,
) -> None:
    """Draw the graph of an episode as text, Mermaid or SVG."""
    from emoharbor.eval.assembly import assemble
    from emoharbor.eval.cli.files import write_new
    from emoharbor.eval.cli.screen import put_text, screen, tell
    from emoharbor.eval.config import load_config, make_config
    from emoharbor.eval.reports.drawing import drawing_of
    from emoharbor.eval.reports.flow import flow
    from emoharbor.eval.reports.glyphs import glyphs_for
    from emoharbor.eval.reports.mermaid import mermaid
    from emoharbor.eval.reports.svg import svg
    from emoharbor.eval.unopened import Unopened

    loaded = load_config(config) if config else make_config({"supporters": OFFLINE})
    drawing = drawing_of(assemble(loaded, Unopened()).cast)
    if form == "svg":
        text = svg(drawing)
    elif form == "mermaid":
        text = mermaid(drawing)
    else:
        text = flow(drawing, glyphs_for(screen()).arrow)
    if out is None:
        put_text(text)
    else:
        write_new(out, text, replace=True)
        tell(f"wrote {out}")


OFFLINE = [{"name": style, "use": "offline", "style": style} for style in ("silent", "generic", "advice", "attuned")]
"""The four rule-based supporters, as a config writes them."""
