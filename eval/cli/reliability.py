"""`emoharbor reliability`: how far the ratings of a run can be relied on."""

from pathlib import Path
from typing import Annotated

import typer

from emoharbor.eval.cli.output import FormatOption, JsonOption, OutOption, SeedOption


def reliability(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="The run folder; of several with the same people and supporters, also "
                       "what another simulator changes."),
    ],
    *,
    resamples: Annotated[int, typer.Option(min=100, max=1_000, help="Of every bootstrap.")] = 1_000,
    seed: SeedOption = 0,
    form: FormatOption = "table",
    as_json: JsonOption = False,
    out: OutOption = None,
) -> None:  # fmt: skip
    """Say how far the ratings of a run can be relied on.

    Where the variance of scores comes from, what one judge makes of the same episode again, how far judges agree,
    whether other people would order the supporters alike. What cannot be computed is named with the reason.
    """
    from emoharbor.eval.cli.output import put_figures
    from emoharbor.eval.figures import reliability_of
    from emoharbor.eval.reports.reliability import reliability_page
    from emoharbor.eval.run import load_run
    from emoharbor.eval.statistics.method import How

    found = reliability_of([load_run(run) for run in runs], How(resamples=resamples, seed=seed))
    put_figures(found, reliability_page(found), "json" if as_json else form, out)
