"""`emoharbor nodes`: what can play which role."""

from typing import Annotated

import typer


def nodes(as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False) -> None:
    """List what can play each role.

    Built-ins, and what other packages have installed.
    """
    from emoharbor.eval.cli.screen import put_json, show, tell
    from emoharbor.eval.reports.parts import implementations, implementations_data, implementations_table

    found = implementations()
    if as_json:
        put_json(implementations_data(found))
        return
    show(implementations_table(found))
    for item in found:
        if item.problem:
            tell(item.problem)
    show("Your own: write `use: package.module:factory` in the cast. Arguments in [brackets] have a default.")
