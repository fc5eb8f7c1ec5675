"""Tests of a paired difference: sign flips and Wilcoxon's signed ranks.

Under the hypothesis that two supporters do equally well for every person, each person's difference could as well have
had the other sign. The sign-flip test (Fisher 1935; Pitman 1937) asks how often random signs give a sum of
differences at least as far from 0 as the one observed, ties counted as extreme.
"""

from math import gcd
from typing import Literal

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray, IntArray, Seed, generator
from emoharbor.state.base import Frozen

FEW = 15
"""Up to so many differences other than 0, all sign vectors are tried: 2 ** 15 are fewer than a Monte Carlo test's."""
_BLOCK = 10_000
_GRID = 10**6
_LARGEST_SUM = 2_000_000


class TestResult(Frozen):
    """A two-sided test of whether a paired difference is 0."""

    __test__ = False  # the name is no pytest class

    p: float
    n: int
    """Pairs."""
    nonzero: int
    """Pairs that differ."""
    statistic: float
    """Sum of the differences, or Wilcoxon's W."""
    method: Literal["exact", "monte_carlo", "wilcoxon"]
    resamples: int | None = None
    seed: Seed | None = None


def sign_flip(
    differences: FloatArray,
    *,
    method: Literal["auto", "exact", "monte_carlo"] = "auto",
    resamples: int = 10_000,
    seed: Seed = 0,
) -> TestResult | None:
    """Return the two-sided sign-flip test of a paired difference.

    Monte Carlo p is (hits + 1) / (resamples + 1), never 0 (Phipson and Smyth 2010). Not for unpaired samples, nor
    when pairs depend on each other: average repeats first.

    Args:
        differences: shape (n,), one a profile, NaN where missing.
        method: `exact` sums over all 2^n sign vectors, for any n, if the differences lie on a grid (as scores do);
            `auto` is exact up to `FEW` nonzero differences, else Monte Carlo.
        resamples: sign vectors of the Monte Carlo test.
        seed: start of the generator.

    Returns:
        None without pairs.

    Raises:
        ValueError: for `exact` with many differences that lie on no grid.
    """
    known = differences[~np.isnan(differences)]
    if known.size == 0:
        return None
    nonzero = known[known != 0]
    if method == "exact" or (method == "auto" and nonzero.size <= FEW):
        p = _all_signs(nonzero) if nonzero.size <= FEW else _on_a_grid(nonzero)
        return TestResult(p=p, n=known.size, nonzero=nonzero.size, statistic=float(known.sum()), method="exact")
    p = float(_flips(known[:, None], resamples, seed)[0])
    return TestResult(
        p=p, n=known.size, nonzero=nonzero.size, statistic=float(known.sum()), method="monte_carlo",
        resamples=resamples, seed=seed,
    )  # fmt: skip


def sign_flip_pairs(x: FloatArray, *, resamples: int = 10_000, seed: Seed = 0) -> FloatArray:
    """Return the sign-flip p of every pair of columns, all with the same sign vectors.

    Args:
        x: shape (n, k): profile means, NaN where missing. A pair rests on the profiles that have both.
        resamples: sign vectors of the Monte Carlo test; pairs of up to `FEW` nonzero differences are exact.
        seed: start of the generator.

    Returns:
        shape (k, k), symmetric; NaN on the diagonal and for pairs without a shared profile.
    """
    k = x.shape[1]
    first, second = np.triu_indices(k, 1)
    p = np.full((k, k), np.nan)
    if first.size == 0:
        return p
    differences = x[:, first] - x[:, second]
    found = _flips(differences, resamples, seed)
    for j, column in enumerate(differences.T):
        nonzero = column[~np.isnan(column) & (column != 0)]
        if np.isnan(column).all():
            found[j] = np.nan
        elif nonzero.size <= FEW:
            found[j] = _all_signs(nonzero)
    p[first, second] = p[second, first] = found
    return p


def wilcoxon(differences: FloatArray) -> TestResult | None:
    """Return Wilcoxon's signed-rank test (1945): zeros dropped, ties corrected, no continuity correction.

    scipy chooses the exact distribution for few untied differences, else the normal approximation. It tests whether
    differences are symmetric about 0, not whether the mean is: read it beside the sign-flip test, not instead.

    Args:
        differences: shape (n,), NaN where missing.

    Returns:
        None without pairs. p is 1 when no pair differs.
    """
    known = differences[~np.isnan(differences)]
    if known.size == 0:
        return None
    nonzero = int((known != 0).sum())
    statistic, p = _signed_ranks(known) if nonzero else (0.0, 1.0)
    return TestResult(p=p, n=known.size, nonzero=nonzero, statistic=statistic, method="wilcoxon")


def _signed_ranks(known: FloatArray) -> tuple[float, float]:
    # loading scipy.stats takes a second, and most commands never test
    from scipy import stats  # type: ignore[import-untyped]  # noqa: PLC0415 - scipy has no types

    sizes = np.abs(known[known != 0])
    # left to itself, scipy tries all sign vectors of up to 13 tied differences one by one, which takes seconds
    untied = sizes.size <= 50 and np.unique(sizes).size == sizes.size == known.size
    how = "exact" if untied else "approx"
    found = stats.wilcoxon(known, zero_method="wilcox", correction=False, alternative="two-sided", method=how)
    return float(found.statistic), float(found.pvalue)


def _flips(differences: FloatArray, resamples: int, seed: Seed) -> FloatArray:
    """The Monte Carlo p of each column; a missing difference adds nothing to any sum."""
    d = np.nan_to_num(differences, nan=0.0)
    rng = generator(seed)
    observed = np.abs(d.sum(axis=0)) * (1 - 1e-12) - 1e-12  # equal sums may differ in the last bit
    hits = np.zeros(d.shape[1], dtype=np.int64)
    for start in range(0, resamples, _BLOCK):
        size = (min(_BLOCK, resamples - start), d.shape[0])
        signs = rng.integers(0, 2, size=size, dtype=np.int8).astype(np.float64) * 2 - 1
        hits += (np.abs(signs @ d) >= observed).sum(axis=0)
    return (hits + 1) / (resamples + 1)


def _all_signs(d: FloatArray) -> float:
    """The share of all 2^n sign vectors at least as extreme."""
    sums = np.zeros(1)
    for value in d:
        sums = np.concatenate([sums + value, sums - value])
    observed = abs(float(d.sum())) * (1 - 1e-12) - 1e-12
    return float(np.mean(np.abs(sums) >= observed))


def _on_a_grid(d: FloatArray) -> float:
    """The same for whole multiples of one step: the distribution of the sum grows by one difference at a time."""
    steps = _whole_steps(d)
    total = int(np.abs(steps).sum())
    chance = np.zeros(2 * total + 1)
    chance[total] = 1.0
    for step in np.abs(steps):
        moved = np.zeros_like(chance)
        moved[step:] += chance[: chance.size - step] / 2
        moved[: chance.size - step] += chance[step:] / 2
        chance = moved
    extreme = np.abs(np.arange(-total, total + 1)) >= abs(int(steps.sum()))
    return min(1.0, float(chance[extreme].sum()))


def _whole_steps(d: FloatArray) -> IntArray:
    """The differences in units of their greatest common step."""
    scaled = np.rint(d * _GRID).astype(np.int64)
    step = gcd(*(int(value) for value in scaled))
    steps: IntArray = scaled // max(step, 1)
    if not np.allclose(scaled / _GRID, d, rtol=0, atol=1e-9) or int(np.abs(steps).sum()) > _LARGEST_SUM:
        raise ValueError("an exact test of so many differences needs values on a grid, such as whole numbers")
    return steps
