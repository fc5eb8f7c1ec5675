"""Simulator-reported means of each supporter: read from the inner world of completed episodes, not rated."""

import numpy as np

from emoharbor.eval.reported import Reported
from emoharbor.eval.statistics.arrays import FloatArray, cell_means
from emoharbor.eval.statistics.bootstrap import mean_estimates
from emoharbor.eval.statistics.method import How, limits
from emoharbor.eval.statistics.rows import ReportedMeans
from emoharbor.eval.statistics.sample import Sample

_FIGURES = ("distress_change", "trust_end", "facts", "needs")


def reported_means(sample: Sample, how: How) -> dict[str, ReportedMeans]:
    """Return the means by supporter; those without a completed episode have none."""
    found = [
        (entry.profile, entry.supporter, sample.reports[key])
        for entry in sample.entries
        if entry.kind in ("scored", "unscored")
        and (key := (entry.profile, entry.supporter, entry.repeat)) in sample.reports
    ]
    if not found:
        return {}
    people = {name: index for index, name in enumerate(sorted({profile for profile, _, _ in found}))}
    columns = {name: index for index, name in enumerate(sample.names)}
    profile = np.array([people[name] for name, _, _ in found])
    column = np.array([columns[name] for _, name, _ in found])
    shape = (len(people), len(columns))
    estimates = {
        name: mean_estimates(
            cell_means(_values([item for _, _, item in found], name), profile, column, shape),
            level=how.level, resamples=how.resamples, seed=how.seed,
        )
        for name in _FIGURES
    }  # fmt: skip
    return {
        name: ReportedMeans(
            n=int((column == index).sum()),
            distress_change_ci=limits(estimates["distress_change"][index].interval),
            **{figure: estimates[figure][index].value for figure in _FIGURES},
        )
        for name, index in columns.items()
        if (column == index).any()
    }


def _values(reports: list[Reported], name: str) -> FloatArray:
    # numpy turns None into nan
    return np.array([getattr(report, name) for report in reports], dtype=np.float64)
