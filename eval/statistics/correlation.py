"""Correlations with intervals, of values that may come in clusters."""

from itertools import permutations
from math import atanh, sqrt, tanh
from typing import Literal

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray, IntArray, Seed, column_means, level_codes, ratio
from emoharbor.eval.statistics.bootstrap import Interval, draw_means, draw_weights, interval_of
from emoharbor.eval.statistics.distributions import normal_quantile
from emoharbor.eval.statistics.ranks import rank_rows
from emoharbor.state.base import Frozen

Kind = Literal["pearson", "spearman", "kendall"]
FEW = 8
"""Up to so many values p is exact, over all orders of one side."""
_BLOCK = 200


class Correlation(Frozen):
    """A correlation, -1 to 1."""

    kind: Kind
    value: float | None
    """None with fewer than three pairs, or when one side does not vary."""
    interval: Interval | None
    p: float | None
    """Two-sided, that there is none; None for clustered values, whose tests assume independence."""
    n: int
    """Pairs."""


def correlation(  # noqa: PLR0913 - the settings of an estimator, by keyword
    x: FloatArray,
    y: FloatArray,
    *,
    kind: Kind = "spearman",
    cluster: IntArray | None = None,
    level: float = 0.95,
    resamples: int = 2_000,
    seed: Seed = 0,
) -> Correlation:
    """Return Pearson's r, Spearman's rho or Kendall's tau-b.

    Interval of independent pairs: Fisher's z with the standard errors of Bonett and Wright (2000), Psychometrika 65,
    from four (Kendall: five) pairs on. Of clustered pairs: bootstrap over clusters. p: exact over all orders for up
    to eight pairs, else scipy's. Agreement of raters is no matter of correlation: one who always gives a point more
    correlates perfectly (see `agreement.py`).

    Args:
        x: shape (m,), NaN where missing.
        y: shape (m,).
        kind: `spearman` for scores with few steps; `pearson` for lines; `kendall` for few values. Clustered Kendall
            takes memory of m squared.
        cluster: shape (m,), the profile of each pair, if several come from one.
        level: above 0, below 1.
        resamples: for clustered values.
        seed: for clustered values.
    """
    both = ~(np.isnan(x) | np.isnan(y))
    a, b = x[both], y[both]
    if a.size < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return Correlation(kind=kind, value=None, interval=None, p=None, n=a.size)
    value = float(np.clip(weighted(kind, a, b, np.ones((1, a.size)))[0], -1, 1))
    if cluster is None:
        return Correlation(
            kind=kind, value=value, interval=_by_formula(kind, value, a.size, level), p=_p(kind, a, b), n=a.size
        )
    codes = level_codes(cluster[both], a.size)
    people = int(codes.max()) + 1
    weights = draw_weights(people, resamples, seed)[:, codes]
    interval = interval_of(weighted(kind, a, b, weights), people, level=level, seed=seed)
    return Correlation(kind=kind, value=value, interval=interval, p=None, n=a.size)


def agreement_of_means(  # noqa: PLR0913 - the settings of an estimator, by keyword
    first: FloatArray,
    second: FloatArray,
    *,
    kind: Kind = "spearman",
    level: float = 0.95,
    resamples: int = 10_000,
    seed: Seed = 0,
) -> Correlation:
    """Return how supporter means under two conditions (simulators, judges, rubrics) go together.

    Interval: percentile bootstrap over profiles, the same people under both conditions. p is exact for up to eight
    supporters. High agreement of means says nothing of single people: correlate those too. With few supporters the
    interval ends where the coefficient does.

    Args:
        first: shape (n, k): profile means under one condition, NaN where missing.
        second: shape (n, k): the same profiles and supporters under the other.
        kind: of correlation.
        level: above 0, below 1.
        resamples: number of resamples.
        seed: start of the generator.

    Returns:
        `n` counts supporters.
    """
    found = correlation(column_means(first), column_means(second), kind=kind)
    if found.value is None:
        return found
    people = first.shape[0]
    weights = draw_weights(people, resamples, seed)
    draws = _rows(kind, draw_means(first, weights), draw_means(second, weights))
    interval = interval_of(draws, people, level=level, method="percentile", seed=seed)
    return found.model_copy(update={"interval": interval})


def pearson_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return Pearson's r of each row; NaN for a row in which one side does not vary.

    Args:
        x: shape (B, k).
        y: shape (B, k).
    """
    a, b = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    return _ratio((a * b).sum(axis=1), (a**2).sum(axis=1), (b**2).sum(axis=1))


def weighted(kind: Kind, x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the correlation in each resample, in which each pair stands as often as its weight says.

    Args:
        kind: of correlation.
        x: shape (m,), no NaN.
        y: shape (m,), no NaN.
        weights: shape (B, m).

    Returns:
        shape (B,); NaN where one side does not vary.
    """
    if kind == "kendall":
        return _kendall(x, y, weights)
    found = np.empty(weights.shape[0])
    for start in range(0, weights.shape[0], _BLOCK):  # ranks are as large as the weights: a block at a time
        block = weights[start : start + _BLOCK]
        a, b = (x[None, :], y[None, :]) if kind == "pearson" else (_midranks(x, block), _midranks(y, block))
        found[start : start + _BLOCK] = _pearson(a, b, block)
    return found


def _pearson(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    total = weights.sum(axis=1, keepdims=True)
    a = x - (weights * x).sum(axis=1, keepdims=True) / total
    b = y - (weights * y).sum(axis=1, keepdims=True) / total
    return _ratio((weights * a * b).sum(axis=1), (weights * a**2).sum(axis=1), (weights * b**2).sum(axis=1))


def _midranks(x: FloatArray, weights: FloatArray) -> FloatArray:
    """The rank of each value among the resampled ones, ties averaged, shape as the weights."""
    _, codes = np.unique(x, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    mass = np.add.reduceat(weights[:, order], starts, axis=1)
    ranks: FloatArray = (np.cumsum(mass, axis=1) - mass / 2)[:, codes]
    return ranks


def _kendall(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """tau-b: concordant less discordant pairs, over the pairs untied on either side (Kendall 1945)."""
    a, b = np.sign(x[:, None] - x), np.sign(y[:, None] - y)

    def pairs(table: FloatArray) -> FloatArray:
        total: FloatArray = ((weights @ table) * weights).sum(axis=1)
        return total

    return _ratio(pairs(a * b), pairs(np.abs(a)), pairs(np.abs(b)))


def _rows(kind: Kind, x: FloatArray, y: FloatArray) -> FloatArray:
    """The correlation of each row of two tables, shape (B, k)."""
    known = ~(np.isnan(x).any(axis=1) | np.isnan(y).any(axis=1))
    found = np.full(x.shape[0], np.nan)
    a, b = x[known], y[known]
    if kind == "kendall":
        one, other = np.sign(a[:, :, None] - a[:, None, :]), np.sign(b[:, :, None] - b[:, None, :])
        both = (1, 2)
        found[known] = _ratio((one * other).sum(axis=both), np.abs(one).sum(axis=both), np.abs(other).sum(axis=both))
    else:
        found[known] = pearson_rows(a, b) if kind == "pearson" else pearson_rows(rank_rows(a), rank_rows(b))
    return found


def _ratio(above: FloatArray, one: FloatArray, other: FloatArray) -> FloatArray:
    below = np.sqrt(one * other)
    return ratio(above, below, 1e-12)


def _by_formula(kind: Kind, value: float, n: int, level: float) -> Interval | None:
    lost = 4 if kind == "kendall" else 3
    if n <= lost or abs(value) >= 1 - 1e-12:
        return None
    spread = {"pearson": 1.0, "spearman": 1 + value**2 / 2, "kendall": 0.437}[kind]
    half = normal_quantile((1 + level) / 2) * sqrt(spread / (n - lost))
    z = atanh(value)
    return Interval(low=tanh(z - half), high=tanh(z + half), level=level, method="Fisher z")


def _p(kind: Kind, x: FloatArray, y: FloatArray) -> float:
    if x.size <= FEW:
        orders = y[np.array(list(permutations(range(y.size))))]
        found = np.abs(_rows(kind, np.broadcast_to(x, orders.shape), orders))
        return float(np.mean(found >= found[0] - 1e-12))
    # loading scipy.stats takes a second, and most commands never test
    from scipy import stats  # type: ignore[import-untyped]  # noqa: PLC0415 - scipy has no types

    test = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[kind]
    return float(test(x, y).pvalue)
