"""`emoharbor leaderboard`: the means of a run."""

from pathlib import Path
from typing import Annotated, Literal

import typer


def leaderboard(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    failures: Annotated[
        Literal["lowest", "exclude"],
        typer.Option(help="How episodes count in which the supporter failed: as the lowest scores, or not at all."),
    ] = "lowest",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Compare the supporters of a run.

    General and tailored support, the gap between them, and every denominator.
    """
    from emoharbor.eval.api import load_run
    from emoharbor.eval.cli.screen import put_model, screen
    from emoharbor.eval.reports.glyphs import glyphs_for
    from emoharbor.eval.reports.leaderboard import leaderboard_table

    board = load_run(run).leaderboard(failures)
    if as_json:
        put_model(board)
    else:
        console = screen()
        console.print(leaderboard_table(board, glyphs_for(console)))
