"""Resampling people: bootstrap intervals of means and of paired differences, with repeats kept together.

The profile is the unit. Whoever is drawn comes with all repeats and with the scores of every supporter, so intervals
allow for what people have in common, and differences of supporters stay paired. A resample is a row of weights: how
often each profile is drawn. All means of all resamples are then one matrix product.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Literal

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray, IntArray, Seed, column_means, generator, ratio
from emoharbor.eval.statistics.distributions import normal_cdf, normal_quantile, t_quantile
from emoharbor.state.base import Frozen

Method = Literal["expanded", "percentile", "bca", "t"]
"""How an interval is made; `interval_of` says how, docs/methods.md how often each covers the truth."""


class Interval(Frozen):
    """A confidence interval and how it was made."""

    low: float
    high: float
    level: float
    """0.95 for 95 %."""
    method: str
    resamples: int | None = None
    """None for a formula without resampling."""
    seed: Seed | None = None


class Estimate(Frozen):
    """A figure with its interval.

    Attributes of `value`: None when nothing was measured. `interval`: None when fewer than two profiles were.
    """

    value: float | None
    interval: Interval | None
    n: int
    """Profiles the figure rests on."""


def draw_weights(n: int, resamples: int = 10_000, seed: Seed = 0) -> FloatArray:
    """Return how often each profile is drawn in each resample.

    Draws n of n profiles with replacement (Efron 1979). Draw once and hand the same weights to every figure: then
    all figures speak of the same resampled people.

    Args:
        n: number of profiles.
        resamples: number of resamples B.
        seed: start of the generator.

    Returns:
        shape (B, n); whole numbers, each row adds up to n.
    """
    drawn: IntArray = generator(seed).integers(0, n, size=(resamples, n))
    drawn += np.arange(resamples)[:, None] * n
    return np.bincount(drawn.ravel(), minlength=resamples * n).reshape(resamples, n).astype(np.float64)


def draw_means(x: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mean of each column in each resample, over the profiles that have a value in that column.

    Args:
        x: shape (n, k), NaN where missing.
        weights: shape (B, n) from `draw_weights`.

    Returns:
        shape (B, k); NaN where a resample holds no profile with a value.
    """
    present = ~np.isnan(x)
    if x.shape[0] > 0 and present.all():
        means: FloatArray = weights @ x / weights.sum(axis=1, keepdims=True)
        return means
    counts = weights @ present.astype(np.float64)
    sums = weights @ np.where(present, x, 0.0)
    return ratio(sums, counts)


def interval_of(  # noqa: PLR0913 - the settings of an estimator, by keyword
    draws: FloatArray,
    n: int,
    *,
    level: float = 0.95,
    method: Method = "expanded",
    seed: Seed = 0,
    estimate: float | None = None,
    influence: FloatArray | None = None,
) -> Interval | None:
    """Return the interval that resampled figures give.

    - `percentile`: the middle `level` of the draws (Efron 1979). Too short for few profiles.
    - `expanded`: the same at a level widened to what Student's t and n - 1 in the variance ask for (Hesterberg 2015,
      The American Statistician 69): tail Phi(-sqrt(n / (n - 1)) t(1 - alpha / 2, n - 1)). The default:
      right coverage at 20 profiles, and never leaves the scale.
    - `bca`: bias-corrected and accelerated (Efron 1987); needs `estimate` and `influence`. For skewed figures of
      many profiles.

    Args:
        draws: shape (B,); NaN draws are left out.
        n: profiles the figure rests on.
        level: above 0, below 1.
        method: see above; `t` is not made of draws (`t_interval`).
        seed: what the draws were made from, for the record.
        estimate: the figure of the profiles themselves, for `bca`.
        influence: shape (n,), how much each profile pulls the figure, for `bca`; for a mean the values less the mean.

    Returns:
        None with fewer than two profiles, or without draws.

    Raises:
        ValueError: for `t`, or for `bca` without its two arguments.
    """
    known = draws[~np.isnan(draws)]
    if n < 2 or known.size == 0:
        return None
    tail = (1 - level) / 2
    if method == "expanded":
        tail = normal_cdf(sqrt(n / (n - 1)) * t_quantile(tail, n - 1))
    elif method == "t":
        raise ValueError("a t interval is not made of draws")
    tails = (tail, 1 - tail)
    if method == "bca":
        if estimate is None or influence is None:
            raise ValueError("a BCa interval needs the estimate and the influence of each profile")
        tails = _bca_tails(known, tail, estimate, influence)
    low, high = (float(value) for value in np.quantile(known, tails))
    return Interval(low=low, high=high, level=level, method=f"bootstrap {method}", resamples=draws.size, seed=seed)


def t_interval(x: FloatArray, *, level: float = 0.95) -> Interval | None:
    """Return mean +- t(1 - alpha / 2, n - 1) s / sqrt(n) (Student 1908); None with fewer than two values.

    Args:
        x: shape (n,), NaN where missing.
        level: above 0, below 1.
    """
    known = x[~np.isnan(x)]
    n = known.size
    if n < 2:
        return None
    half = t_quantile((1 + level) / 2, n - 1) * float(known.std(ddof=1)) / sqrt(n)
    mean = float(known.mean())
    return Interval(low=mean - half, high=mean + half, level=level, method="t")


def mean_estimates(  # noqa: PLR0913 - the settings of an estimator, by keyword
    x: FloatArray,
    *,
    level: float = 0.95,
    method: Method = "expanded",
    resamples: int = 10_000,
    seed: Seed = 0,
    weights: FloatArray | None = None,
) -> tuple[Estimate, ...]:
    """Return the mean of each column with its interval.

    Not for a handful of profiles: below ten, any interval rests on little more than the assumption of its formula.

    Args:
        x: shape (n, k): profile means, NaN where missing.
        level: above 0, below 1.
        method: see `interval_of`; `t` is mean +- t s / sqrt(n).
        resamples: number of resamples, when no weights are given.
        seed: start of the generator, or what the given weights were made from.
        weights: shape (B, n) from `draw_weights`, to share resamples between figures.
    """
    means = column_means(x)
    counts = (~np.isnan(x)).sum(axis=0)
    if method == "t":
        intervals: Sequence[Interval | None] = [t_interval(column, level=level) for column in x.T]
    else:
        draws = draw_means(x, draw_weights(x.shape[0], resamples, seed) if weights is None else weights)
        intervals = [
            _mean_interval(draws[:, j], x[:, j], level=level, method=method, seed=seed) for j in range(x.shape[1])
        ]
    return tuple(
        Estimate(value=None if np.isnan(mean) else float(mean), interval=interval, n=int(n))
        for mean, interval, n in zip(means, intervals, counts, strict=True)
    )


def mean_estimate(  # noqa: PLR0913 - the settings of an estimator, by keyword
    x: FloatArray,
    *,
    level: float = 0.95,
    method: Method = "expanded",
    resamples: int = 10_000,
    seed: Seed = 0,
    weights: FloatArray | None = None,
) -> Estimate:
    """Return the mean of one column, shape (n,), as `mean_estimates` does."""
    column = x[:, None]
    return mean_estimates(column, level=level, method=method, resamples=resamples, seed=seed, weights=weights)[0]


def paired_difference(  # noqa: PLR0913 - the settings of an estimator, by keyword
    a: FloatArray,
    b: FloatArray,
    *,
    level: float = 0.95,
    method: Method = "expanded",
    resamples: int = 10_000,
    seed: Seed = 0,
    weights: FloatArray | None = None,
) -> Estimate:
    """Return the mean of a minus b over the profiles that have both, with its interval.

    Args:
        a: shape (n,), one value a profile, NaN where missing.
        b: shape (n,), in the same order of profiles.
        level: above 0, below 1.
        method: see `interval_of`.
        resamples: number of resamples, when no weights are given.
        seed: start of the generator.
        weights: shape (B, n), to share resamples between figures.
    """
    return mean_estimate(a - b, level=level, method=method, resamples=resamples, seed=seed, weights=weights)


def _mean_interval(draws: FloatArray, x: FloatArray, *, level: float, method: Method, seed: Seed) -> Interval | None:
    known = x[~np.isnan(x)]
    if known.size < 2:
        return None
    mean = float(known.mean())
    return interval_of(
        draws, known.size, level=level, method=method, seed=seed, estimate=mean, influence=known - mean
    )  # fmt: skip


def _bca_tails(draws: FloatArray, tail: float, estimate: float, influence: FloatArray) -> tuple[float, float]:
    """Efron and Tibshirani 1993, chapter 14; ties count half, since scores are coarse."""
    below = float(np.mean(draws < estimate) + np.mean(draws == estimate) / 2)
    bias = normal_quantile(min(max(below, 1 / draws.size), 1 - 1 / draws.size))
    spread = float(np.sum(influence**2))
    pull = float(np.sum(influence**3)) / (6 * spread**1.5) if spread > 0 else 0.0
    z = bias + normal_quantile(tail), bias - normal_quantile(tail)
    low, high = (normal_cdf(bias + value / (1 - pull * value)) for value in z)
    return low, high
