"""What chance alone would give: rank correlations after dealing out one side at random, and areas under the curve."""

from typing import Literal

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray, IntArray, Seed, generator
from emoharbor.eval.statistics.bootstrap import Interval
from emoharbor.eval.statistics.correlation import pearson_rows
from emoharbor.state.base import Frozen


class Chance(Frozen):
    """Where a figure lies when nothing is there."""

    low: float
    high: float
    """The middle 95 % of shuffles."""
    p: float
    """Two-sided: share of shuffles at least as far from their mean, this one counted (Phipson and Smyth 2010)."""
    shuffles: int
    within: Literal["dialogues", "all"]
    """What was shuffled: the turns inside each dialogue, or everything."""


class Area(Frozen):
    """How well a figure tells one group from another: the chance that it is higher for a random one of the first."""

    value: float | None
    """0.5 tells nothing, 1 all; None when a group is empty."""
    interval: Interval | None
    n: tuple[int, int]
    """Dialogues of each group that have the figure."""


def chance(
    x: FloatArray, y: FloatArray, blocks: IntArray | None, *, shuffles: int = 1_000, seed: Seed = 0
) -> Chance | None:
    """Return where Spearman's rho lies when `y` is dealt out at random.

    Args:
        x: shape (m,), no NaN.
        y: shape (m,), no NaN.
        blocks: shape (m,): shuffle only inside blocks of equal number; None shuffles all.
        shuffles: how many.
        seed: start of the generator.

    Returns:
        None when one side does not vary.
    """
    if x.size < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    a, b = ranks(x), ranks(y)
    keys = generator(seed).random((shuffles, x.size)) + (0 if blocks is None else blocks)
    home = np.argsort(np.zeros(x.size) if blocks is None else blocks, kind="stable")
    dealt = np.empty((shuffles, x.size))
    dealt[:, home] = b[np.argsort(keys, axis=1)]
    drawn = pearson_rows(np.broadcast_to(a, dealt.shape), dealt)
    real = float(pearson_rows(a[None, :], b[None, :])[0])
    middle = float(np.mean(drawn))
    hits = int((np.abs(drawn - middle) >= abs(real - middle) - 1e-12).sum())
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Chance(
        low=float(low),
        high=float(high),
        p=(hits + 1) / (shuffles + 1),
        shuffles=shuffles,
        within="all" if blocks is None else "dialogues",
    )


def area(first: FloatArray, second: FloatArray, *, level: float = 0.95, resamples: int = 2_000, seed: Seed = 0) -> Area:
    """Return the area under the ROC curve, ties counted half (Mann and Whitney 1947).

    Interval: percentile bootstrap, each group resampled by itself.

    Args:
        first: shape (a,), the group that should be higher; NaN where missing.
        second: shape (b,), the other.
        level: above 0, below 1.
        resamples: how many.
        seed: start of the generator.
    """
    a, b = first[~np.isnan(first)], second[~np.isnan(second)]
    sizes = (a.size, b.size)
    if not all(sizes):
        return Area(value=None, interval=None, n=sizes)
    wins = (a[:, None] > b).astype(np.float64) + 0.5 * (a[:, None] == b)
    value = float(wins.mean())
    if min(sizes) < 2:
        return Area(value=value, interval=None, n=sizes)
    random = generator(seed)
    rows = random.multinomial(a.size, np.full(a.size, 1 / a.size), size=resamples)
    columns = random.multinomial(b.size, np.full(b.size, 1 / b.size), size=resamples)
    draws = ((rows @ wins) * columns).sum(axis=1) / (a.size * b.size)
    tail = (1 - level) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    interval = Interval(
        low=float(low), high=float(high), level=level, method="percentile", resamples=resamples, seed=seed
    )
    return Area(value=value, interval=interval, n=sizes)


def ranks(values: FloatArray) -> FloatArray:
    """Return the rank of each value, from 1, ties averaged."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    found: FloatArray = ((ends - counts + 1 + ends) / 2)[place]
    return found
