"""Whether the dimensions of a rubric form the groups it names, or one halo."""

from collections.abc import Sequence

import numpy as np

from emoharbor.eval.statistics.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    Seed,
    column_means,
    generator,
    level_codes,
    ratio,
)
from emoharbor.eval.statistics.bootstrap import Estimate, draw_weights, interval_of
from emoharbor.state.base import Frozen

_SHUFFLES = 200


class GroupCheck(Frozen):
    """How the dimensions go together."""

    n: int
    """Rows used: those with at least two dimensions."""
    least: int
    """Rows of the pair of dimensions that share the fewest."""
    dimensions: tuple[str, ...]
    groups: tuple[str | None, ...]
    correlations: tuple[tuple[float | None, ...], ...]
    """Pearson's r of each pair of dimensions, over the rows that have both."""
    within: float | None
    """Mean r of pairs in one group; None without such pairs."""
    between: float | None
    """Mean r of pairs of different groups."""
    difference: Estimate
    """Within minus between; `n` counts clusters."""
    eigenvalues: tuple[float, ...]
    """Of the correlations, the largest first; empty when a correlation is unknown."""
    chance: tuple[float, ...]
    """What the largest 5 % of shuffled data reach (parallel analysis)."""
    factors: int
    """Leading eigenvalues above chance."""
    first_share: float | None
    """The first eigenvalue's share of all variance: near 1 is one halo."""
    two_groups: bool
    """Whether the groups are there: the difference's interval lies above 0, and there are at least two factors."""


def group_check(  # noqa: PLR0913 - the settings of an estimator, by keyword
    scores: FloatArray,
    groups: Sequence[str | None],
    *,
    names: Sequence[str] = (),
    cluster: IntArray | None = None,
    stratum: IntArray | None = None,
    level: float = 0.95,
    resamples: int = 1_000,
    seed: Seed = 0,
) -> GroupCheck | None:
    """Return whether dimensions of one group go together more than those of different groups.

    Mean correlation within against between groups (Campbell and Fiske 1959, Psychological Bulletin 56), with a
    bootstrap interval over clusters; number of factors by parallel analysis (Horn 1965, Psychometrika 30): eigenvalues
    above the 95th percentile of those of columns shuffled on their own. One judge's halo raises all correlations
    alike, so `first_share` says how much of the ten dimensions is one. It does not show what a group measures, and
    with fewer than about a hundred rows it shows little.

    Args:
        scores: shape (m, D), a row an episode, NaN where missing.
        groups: the group of each dimension; None for one without, which is left out of within and between.
        names: of the dimensions.
        cluster: shape (m,), the profile of each row.
        stratum: shape (m,), such as the supporter of each row: its mean is taken off first, so that what is left is
            how dimensions go together for one supporter, not how good supporters are good at all of them.
        level: above 0, below 1.
        resamples: number of resamples.
        seed: start of the generator.

    Returns:
        None with fewer than two dimensions or three rows.
    """
    rows = (~np.isnan(scores)).sum(axis=1) > 1
    x = scores[rows]
    m, size = x.shape
    if size < 2 or m < 3:
        return None
    if stratum is not None:
        x = _centred(x, level_codes(stratum[rows], m))
    codes = level_codes(None if cluster is None else cluster[rows], m)
    people = int(codes.max()) + 1
    moments = np.stack([_moments(x[codes == person]) for person in range(people)])
    table = _correlations(moments.sum(axis=0)[None, :])[0]
    draws = _correlations(np.tensordot(draw_weights(people, resamples, seed), moments, axes=1))
    same, other = _masks(groups)
    within, between = _mean(table[same]), _mean(table[other])
    gap = draws[:, same].mean(axis=1) - draws[:, other].mean(axis=1) if same.any() and other.any() else None
    interval = None if gap is None else interval_of(gap, people, level=level, seed=seed)
    eigenvalues, chance = _eigenvalues(table), _chance(x, seed)
    known = not np.isnan(table).any()
    factors = _leading(eigenvalues, chance) if known else 0
    return GroupCheck(
        n=m,
        least=int(moments[:, 0].sum(axis=0).min()),
        dimensions=tuple(names) or tuple(str(j + 1) for j in range(size)),
        groups=tuple(groups),
        correlations=tuple(tuple(None if np.isnan(r) else float(r) for r in row) for row in table),
        within=within,
        between=between,
        difference=Estimate(
            value=None if within is None or between is None else within - between, interval=interval, n=people
        ),
        eigenvalues=tuple(float(value) for value in eigenvalues) if known else (),
        chance=tuple(float(value) for value in chance) if known else (),
        factors=factors,
        first_share=float(eigenvalues[0]) / size if known else None,
        two_groups=factors > 1 and interval is not None and interval.low > 0,
    )


def _centred(x: FloatArray, codes: IntArray) -> FloatArray:
    out = x.copy()
    for stratum in range(int(codes.max()) + 1):
        out[codes == stratum] -= column_means(x[codes == stratum])
    return out


def _moments(x: FloatArray) -> FloatArray:
    """What the correlations of all pairs of columns are made of, over the rows that have both, shape (6, D, D)."""
    there = (~np.isnan(x)).astype(np.float64)
    a = np.nan_to_num(x)
    squares = a * a
    return np.stack([there.T @ there, a.T @ there, there.T @ a, squares.T @ there, there.T @ squares, a.T @ a])


def _correlations(moments: FloatArray) -> FloatArray:
    """Pearson's r of all pairs of columns, shape (B, D, D), from moments of shape (B, 6, D, D)."""
    n, a, b, aa, bb, ab = np.moveaxis(moments, 1, 0)
    below = np.sqrt(np.maximum(n * aa - a * a, 0) * np.maximum(n * bb - b * b, 0))
    return np.clip(ratio(n * ab - a * b, below, 1e-9), -1, 1)


def _masks(groups: Sequence[str | None]) -> tuple[BoolArray, BoolArray]:
    """Which pairs of dimensions are of one group, and which of two, shape (D, D); each pair once."""
    size = range(len(groups))
    pairs = [[i < j and groups[i] is not None and groups[j] is not None for j in size] for i in size]
    same = [[groups[i] == groups[j] for j in size] for i in size]
    return np.array(pairs) & np.array(same), np.array(pairs) & ~np.array(same)


def _mean(values: FloatArray) -> float | None:
    return float(values.mean()) if values.size and not np.isnan(values).any() else None


def _eigenvalues(table: FloatArray) -> FloatArray:
    return np.linalg.eigvalsh(np.nan_to_num(table))[::-1]


def _chance(x: FloatArray, seed: Seed) -> FloatArray:
    """The 95th percentile of each eigenvalue when every column is shuffled among its own values."""
    rng = generator(seed)
    found = []
    for _ in range(_SHUFFLES):
        shuffled = x.copy()
        for column in shuffled.T:
            there = ~np.isnan(column)
            column[there] = rng.permutation(column[there])
        found.append(_eigenvalues(_correlations(_moments(shuffled)[None, :])[0]))
    chance: FloatArray = np.quantile(np.array(found), 0.95, axis=0)
    return chance


def _leading(eigenvalues: FloatArray, chance: FloatArray) -> int:
    """How many lie above chance before the first that does not."""
    above = eigenvalues > chance
    return int(above.size if above.all() else np.argmin(above))
