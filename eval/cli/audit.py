"""`emoharbor audit`: whether the simulated people of a run kept to their part."""

from pathlib import Path
from typing import Annotated

import typer

from emoharbor.eval.cli.output import FormatOption, JsonOption, OutOption


def audit(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    *,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Take the limits of this config's `audit:` section, not those of the run."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Also let this model of the run's config look for contradictions with the profile: one call "
            "an episode.",
        ),
    ] = None,
    findings: Annotated[int, typer.Option(min=0, metavar="N", help="How many findings to list with their words.")] = 20,
    form: FormatOption = "table",
    as_json: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Check whether the simulated people of a run kept to their part.

    Role drift, leaked thought, repetition, things told too soon, instant warmth, style, swings; how the talks ended;
    whether people differ as their profiles say; what events did to them. Counted from what the roles proposed.
    """
    from emoharbor.eval.audit.whole import whole_audit
    from emoharbor.eval.cli.output import put_figures
    from emoharbor.eval.config import load_config
    from emoharbor.eval.reports.audit import audit_page

    found = whole_audit(run, load_config(config).audit if config else None, model)
    put_figures(found, audit_page(found, findings), "json" if as_json else form, out)
