"""`emoharbor view`: the runs as pages in a browser."""

from pathlib import Path
from typing import Annotated

import typer


def view(
    where: Annotated[
        Path, typer.Argument(metavar="RUN", help="A run folder, or a folder that holds several.", show_default=True)
    ] = Path("runs"),
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port on this machine; default 8642, or a free one.")
    ] = None,
    browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the address in the browser.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the address as JSON.")] = False,
) -> None:
    """Look at runs in the browser.

    Leaderboard, dimensions, every episode with the person's inner world beside the dialogue, each step of each node,
    two episodes side by side, and a page to talk with a person yourself. It answers on this machine only, to whoever
    has the address that it prints; a run that goes on is followed and not disturbed. Ctrl-C ends it.
    """
    import sys
    import webbrowser
    from contextlib import suppress

    from emoharbor.eval.cli.screen import put_json, put_text, tell
    from emoharbor.eval.viewer.library import Library
    from emoharbor.eval.viewer.serve import serve

    def ready(address: str) -> None:
        if as_json:
            put_json({"address": address, "folder": str(where)})
        else:
            put_text(f"{address}\n")
            tell("Open this address in a browser on this machine. Ctrl-C ends the viewer.")
        sys.stdout.flush()
        if browser:
            webbrowser.open(address)

    with suppress(KeyboardInterrupt):  # the usual end
        serve(Library(where), port, ready)
