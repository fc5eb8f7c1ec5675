"""Ranks of supporters and how sure they are."""

from itertools import pairwise

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray, Seed
from emoharbor.eval.statistics.bootstrap import Interval, interval_of
from emoharbor.state.base import Frozen


class RankLimits(Frozen):
    """The best and the worst rank that the tests leave open."""

    best: int
    worst: int


def rank_rows(draws: FloatArray) -> FloatArray:
    """Return the rank of each column in each row: 1 for the highest, ties averaged.

    Args:
        draws: shape (B, k), NaN where unknown.

    Returns:
        shape (B, k); NaN where unknown, which takes no rank away from others.
    """
    ranks = np.full(draws.shape, np.nan)
    for j in range(draws.shape[1]):
        own = draws[:, j : j + 1]
        ranks[:, j] = 0.5 + (draws > own).sum(axis=1) + (draws == own).sum(axis=1) / 2
    return np.where(np.isnan(draws), np.nan, ranks)


def rank_intervals(draws: FloatArray, level: float = 0.95, seed: Seed = 0) -> tuple[Interval | None, ...]:
    """Return the percentile interval of each supporter's rank over resampled people.

    (Goldstein and Spiegelhalter 1996, Journal of the Royal Statistical Society A 159.) It says where a rank would fall
    with other people drawn from the same population. It holds for one supporter at a time and is too confident when
    supporters are nearly equal: `rank_limits` is the figure for claims.

    Args:
        draws: shape (B, k) from `draw_means`.
        level: above 0, below 1.
        seed: what the draws were made from, for the record.
    """
    ranks = rank_rows(draws)
    return tuple(interval_of(column, 2, level=level, method="percentile", seed=seed) for column in ranks.T)


def share_first(draws: FloatArray) -> FloatArray:
    """Return how often each column is first, shared firsts split evenly.

    Args:
        draws: shape (B, k).

    Returns:
        shape (k,), adds up to 1.
    """
    top = draws == np.nanmax(draws, axis=1, keepdims=True)
    shares: FloatArray = (top / top.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares


def rank_limits(means: FloatArray, p: FloatArray, alpha: float = 0.05) -> tuple[RankLimits | None, ...]:
    """Return for each supporter 1 + the number shown to be better, and k - the number shown to be worse.

    With Holm-corrected p values all limits hold at once with probability 1 - alpha, since they are wrong only if some
    claim about a pair is (Al Mohamad, Goeman and van Zwet 2022, Biometrics 78, from Tukey's tests of the pairs).

    Args:
        means: shape (k,), NaN for a supporter without a mean.
        p: shape (k, k), corrected p values of the pairs, NaN where no test could be made.
        alpha: above 0, below 1.

    Returns:
        None for a supporter without a mean, which others are not ranked against.
    """
    known = ~np.isnan(means)
    apart = np.where(np.isnan(p), 1.0, p) < alpha
    better = (apart & (means[None, :] > means[:, None])).sum(axis=1)
    worse = (apart & (means[None, :] < means[:, None])).sum(axis=1)
    k = int(known.sum())
    return tuple(
        RankLimits(best=1 + int(above), worst=k - int(below)) if has else None
        for above, below, has in zip(better, worse, known, strict=True)
    )


def alike_neighbours(means: FloatArray, p: FloatArray, alpha: float = 0.05) -> tuple[tuple[int, int], ...]:
    """Return the pairs of neighbours in rank that cannot be told apart, best first.

    Args:
        means: shape (k,), NaN for a supporter without a mean.
        p: shape (k, k), corrected p values of the pairs.
        alpha: above 0, below 1.

    Returns:
        pairs of column numbers, the one with the higher mean first.
    """
    order = [int(j) for j in np.argsort(-means, kind="stable") if not np.isnan(means[j])]
    return tuple((a, b) for a, b in pairwise(order) if not p[a, b] < alpha)
