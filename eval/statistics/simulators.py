"""Simulators: whether supporters stand as they do when somebody else plays the same people."""

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray
from emoharbor.eval.statistics.bootstrap import mean_estimate
from emoharbor.eval.statistics.correlation import Correlation, agreement_of_means
from emoharbor.eval.statistics.grid import Grid
from emoharbor.eval.statistics.method import How, limits
from emoharbor.eval.statistics.reliability_rows import Simulators
from emoharbor.eval.statistics.sample import Sample
from emoharbor.eval.statistics.scores import Scale

Cells = Mapping[tuple[str, str], float]
"""A figure by person and supporter; without those that have none."""


def simulators(samples: Mapping[str, Sample], scale: Scale, how: How) -> Iterator[Simulators]:
    """Yield the agreement of every two samples.

    Args:
        samples: by the name of who played the people.
        scale: what all of them were rated on.
        how: resamples, seed, level.
    """
    for (one, mine), (other, theirs) in combinations(samples.items(), 2):
        for figure in ("overall", "tailored"):
            first, second = (_cells(sample, scale, figure) for sample in (mine, theirs))
            shift = mean_estimate(_shifts(first, second), level=how.level, resamples=how.resamples, seed=how.seed)
            yield Simulators(
                first=one, second=other, figure=figure, ranks=rank_agreement(first, second, how),
                shift=shift.value, shift_ci=limits(shift.interval),
            )  # fmt: skip


def _shifts(first: Cells, second: Cells) -> FloatArray:
    """The mean shift of each person, over the supporters that both samples have for them."""
    apart: dict[str, list[float]] = {}
    for key in first.keys() & second.keys():
        apart.setdefault(key[0], []).append(second[key] - first[key])
    return np.array([np.mean(apart[name]) for name in sorted(apart)], dtype=np.float64)


def rank_agreement(first: Cells, second: Cells, how: How) -> Correlation:
    """Return Spearman's correlation of supporter means, over the people and supporters that both have."""
    shared = first.keys() & second.keys()
    people = sorted({person for person, _ in shared})
    names = sorted({name for _, name in shared})
    one, other = (
        np.array([[side.get((person, name), np.nan) for name in names] for person in people], dtype=np.float64)
        for side in (first, second)
    )
    return agreement_of_means(
        one.reshape(len(people), len(names)), other.reshape(len(people), len(names)), level=how.level,
        resamples=how.resamples, seed=how.seed,
    )  # fmt: skip


def _cells(sample: Sample, scale: Scale, figure: str) -> Cells:
    grid = Grid.of(sample.entries, sample.names, scale, "lowest")
    values = grid.of_figure(figure)
    return {
        (person, name): float(values[row, column])
        for row, person in enumerate(grid.profiles)
        for column, name in enumerate(grid.supporters)
        if not np.isnan(values[row, column])
    }
