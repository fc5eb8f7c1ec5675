"""What leaving out a part of the simulated user changes: paired figures against the whole, and whether ranks hold.

The same people talk with the same supporters under both conditions, from the same seeds. Repeats are averaged first,
so every person counts once; a person's difference is the mean over the supporters that both conditions have.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import nan

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray, cell_means, column_means
from emoharbor.eval.statistics.bootstrap import Estimate, draw_weights, mean_estimate
from emoharbor.eval.statistics.correlation import Correlation, agreement_of_means
from emoharbor.eval.statistics.method import How
from emoharbor.state.base import Frozen

Observed = tuple[str, str, Mapping[str, float]]
"""One episode: the person, the supporter, and its figures; one that is missing is left out."""
FEWEST = 3
"""Supporters from which ranks can agree or not."""


class ArmFigure(Frozen):
    """One figure under both conditions, over the pairs of person and supporter that both have."""

    name: str
    full: float | None
    """Mean of the full chain; None without such a pair."""
    arm: float | None
    difference: Estimate
    """Arm minus full chain; `n` counts people."""


class ArmComparison(Frozen):
    """One condition against the full chain."""

    people: int
    """Who was seen under both."""
    figures: tuple[ArmFigure, ...]
    supporters: dict[str, Estimate]
    """The difference in `overall` for each supporter."""
    ranks: tuple[Correlation, ...]
    """Kendall's tau and Spearman's rho of the supporters' mean `overall`; `n` counts supporters. Empty for fewer than
    three supporters."""


def compare_arm(
    full: Iterable[Observed], arm: Iterable[Observed], supporters: Sequence[str], how: How
) -> ArmComparison:
    """Compare one condition with the full chain.

    Args:
        full: the episodes of the full chain.
        arm: the episodes under the other condition.
        supporters: their names, in order.
        how: resamples, seed and level.
    """
    one, other = list(full), list(arm)
    people = sorted({person for person, _, _ in one} & {person for person, _, _ in other})
    both = [name for name in _names(other) if name in set(_names(one))]
    if not people or not both:
        return ArmComparison(people=0, figures=(), supporters={}, ranks=())
    weights = draw_weights(len(people), how.resamples, how.seed)

    def estimated(values: FloatArray) -> Estimate:
        return mean_estimate(values, level=how.level, seed=how.seed, weights=weights)

    figures: list[ArmFigure] = []
    by_supporter: dict[str, Estimate] = {}
    ranks: tuple[Correlation, ...] = ()
    for name in both:
        a, b = (_cells(side, name, people, supporters) for side in (other, one))
        shared = ~np.isnan(a - b)
        figures.append(
            ArmFigure(
                name=name, full=_mean(b, shared), arm=_mean(a, shared), difference=estimated(column_means((a - b).T))
            )
        )
        if name == "overall":
            by_supporter = {who: estimated((a - b)[:, index]) for index, who in enumerate(supporters)}
            ranks = _ranks(b, a, how)
    return ArmComparison(people=len(people), figures=tuple(figures), supporters=by_supporter, ranks=ranks)


def _names(episodes: Sequence[Observed]) -> list[str]:
    return list(dict.fromkeys(name for _, _, figures in episodes for name in figures))


def _cells(episodes: Sequence[Observed], name: str, people: Sequence[str], supporters: Sequence[str]) -> FloatArray:
    rows = {person: index for index, person in enumerate(people)}
    columns = {supporter: index for index, supporter in enumerate(supporters)}
    kept = [item for item in episodes if item[0] in rows]
    return cell_means(
        np.array([figures.get(name, nan) for _, _, figures in kept], dtype=np.float64),
        np.array([rows[person] for person, _, _ in kept]),
        np.array([columns[supporter] for _, supporter, _ in kept]),
        (len(people), len(supporters)),
    )


def _mean(values: FloatArray, shared: FloatArray) -> float | None:
    return float(values[shared].mean()) if shared.any() else None


def _ranks(full: FloatArray, arm: FloatArray, how: How) -> tuple[Correlation, ...]:
    if full.shape[1] < FEWEST:
        return ()
    kinds = ("kendall", "spearman")
    return tuple(
        agreement_of_means(full, arm, kind=kind, level=how.level, resamples=how.resamples, seed=how.seed)  # type: ignore[arg-type]  # both are kinds
        for kind in kinds
    )
