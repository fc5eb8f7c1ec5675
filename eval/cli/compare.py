"""`emoharbor compare`: two supporters of a run, within the people that both talked with."""

from pathlib import Path
from typing import Annotated

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


def compare(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    first: Annotated[str, typer.Argument(metavar="A", help="Name of one supporter.")],
    second: Annotated[str | None, typer.Argument(metavar="B", help="Name of the other.")] = None,
    *,
    difference: Annotated[
        float | None,
        typer.Option(min=0.000001, max=100, help="Say how many people a difference in overall of this size (0 to 100) "
                     "needs."),
    ] = None,
    failures: FailuresOption = "lowest",
    judge: JudgeOption = None,
    resamples: ResamplesOption = 10_000,
    seed: SeedOption = 0,
    form: FormatOption = "table",
    as_json: JsonOption = False,
    out: OutOption = None,
) -> None:  # fmt: skip
    """Compare two supporters of a run, person by person.

    Differences with intervals and tests, on every dimension; what so many people could have shown; and the people on
    whom the two differ most. For two runs, see `emoharbor diff RUN_A RUN_B`.
    """
    from emoharbor.eval.cli.output import put_figures
    from emoharbor.eval.figures import comparison_of
    from emoharbor.eval.reports.compare import compare_page
    from emoharbor.eval.run import load_run
    from emoharbor.eval.statistics.method import How
    from emoharbor.state.errors import ConfigError

    if second is None:
        raise ConfigError(
            "compare takes a run and two of its supporters: emoharbor compare RUN A B; to compare two runs, "
            f"say: emoharbor diff {run} {first}"
        )
    found = comparison_of(
        load_run(run), first, second, failures=failures, how=How(resamples=resamples, seed=seed), judge=judge,
        wanted=difference,
    )  # fmt: skip
    put_figures(found, compare_page(found, str(run)), "json" if as_json else form, out)
