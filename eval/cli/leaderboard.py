"""`emoharbor leaderboard`: what is known of each supporter of a run, and how sure it is."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from emoharbor.eval.cli.output import (
    FailuresOption,
    FormatOption,
    JsonOption,
    JudgeOption,
    OutOption,
    ResamplesOption,
    SeedOption,
)


def leaderboard(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="The run folder; several are joined if simulator, judge, rubric and "
                       "people are the same."),
    ],
    *,
    failures: FailuresOption = "lowest",
    by: Annotated[
        Literal["problem", "need", "coping", "trait", "culture"] | None,
        typer.Option(help="Also a table for each group of people."),
    ] = None,
    groups: Annotated[
        bool, typer.Option("--groups", help="Also whether the rubric's groups show in the ratings: correlations.")
    ] = False,
    judge: JudgeOption = None,
    bound: Annotated[
        float | None,
        typer.Option(min=0.000001, help="A personal effect inside plus and minus this is none; in points of the "
                     "rubric's scale, a sixteenth of it unless stated."),
    ] = None,
    validity: Annotated[
        bool, typer.Option(help="Audit the simulated user too, and print how sound it was beside the scores.")
    ] = True,
    resamples: ResamplesOption = 10_000,
    seed: SeedOption = 0,
    form: FormatOption = "table",
    as_json: JsonOption = False,
    out: OutOption = None,
) -> None:  # fmt: skip
    """Compare the supporters of a run.

    Means with intervals, ranks with their limits, who cannot be told apart, what hangs on failures, and every
    denominator. `emoharbor compare RUN A B` looks at two of them.
    """
    from emoharbor.eval.cli.output import put_figures
    from emoharbor.eval.figures import board_of
    from emoharbor.eval.reports.leaderboard import leaderboard_page
    from emoharbor.eval.run import load_run
    from emoharbor.eval.statistics.method import How

    board = board_of(
        [load_run(run) for run in runs], failures=failures, how=How(resamples=resamples, seed=seed, bound=bound),
        judge=judge, by=by, groups=groups, validity=validity,
    )  # fmt: skip
    put_figures(board, leaderboard_page(board), "json" if as_json else form, out)
