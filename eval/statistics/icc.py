"""Intraclass correlations: how much of the variance of ratings is of the things rated."""

from typing import Literal

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray
from emoharbor.eval.statistics.bootstrap import Interval
from emoharbor.eval.statistics.distributions import f_quantile
from emoharbor.state.base import Frozen

Form = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
"""Shrout and Fleiss's names: 1 raters nested in targets, 2 raters drawn at random (agreement), 3 these raters
(consistency); `1` of a single rating, `k` of the mean of k."""

_Ends = tuple[float | None, float | None]


class Icc(Frozen):
    """One intraclass correlation."""

    form: Form
    value: float | None
    """At most 1; below 0 when targets differ less than chance. None without variance, or with fewer than two rows
    or columns."""
    interval: Interval | None
    n: int
    """Targets used: those that every rater rated."""
    k: int
    """Raters."""


class MeanSquares(Frozen):
    """The two-way analysis of variance of a full table, one value a cell."""

    n: int
    k: int
    rows: float
    columns: float
    error: float
    within: float
    """Within rows: columns and error together."""


def mean_squares(table: FloatArray) -> MeanSquares:
    """Return the mean squares of a full table.

    Args:
        table: shape (n, k), both at least 2, no NaN.
    """
    n, k = table.shape
    centred = table - table.mean()
    rows = k * float((centred.mean(axis=1) ** 2).sum())
    columns = n * float((centred.mean(axis=0) ** 2).sum())
    total = float((centred**2).sum())
    error = total - rows - columns
    error = 0.0 if error < 1e-12 * total else error  # exact tables leave rounding behind
    return MeanSquares(
        n=n, k=k, rows=rows / (n - 1), columns=columns / (k - 1), error=error / ((n - 1) * (k - 1)),
        within=(columns + error) / (n * (k - 1)),
    )  # fmt: skip


def icc(ratings: FloatArray, *, level: float = 0.95) -> dict[Form, Icc]:
    """Return the six intraclass correlations of a table with their F intervals.

    Shrout and Fleiss (1979), Psychological Bulletin 86; intervals of McGraw and Wong (1996), Psychological Methods 1.
    Choose the form before looking: `2,1` for single ratings by any judge of this kind, `3,k` for the mean of just
    these. Not for scores that hardly differ between targets (the value is then low whatever the raters do), nor to
    compare sets of targets that differ in spread. Intervals assume normal scores.

    Args:
        ratings: shape (targets, raters), NaN where missing. Rows with a missing value are left out.
        level: above 0, below 1.
    """
    table = ratings[~np.isnan(ratings).any(axis=1)]
    n, k = table.shape
    forms: tuple[Form, ...] = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")
    if n < 2 or k < 2 or np.ptp(table) == 0:
        return {form: Icc(form=form, value=None, interval=None, n=n, k=k) for form in forms}
    ms = mean_squares(table)
    of_one = {
        "1": (_consistency(ms.rows, ms.within, k), _f_ends(ms.rows, ms.within, (n - 1, n * (k - 1)), k, level)),
        "2": (_absolute(ms), _absolute_ends(ms, level)),
        "3": (_consistency(ms.rows, ms.error, k), _f_ends(ms.rows, ms.error, (n - 1, (n - 1) * (k - 1)), k, level)),
    }
    found: dict[Form, Icc] = {}
    for form in forms:
        value, ends = of_one[form[0]]
        if form.endswith("k"):
            value, ends = stepped_up(value, k), (stepped_up(ends[0], k), stepped_up(ends[1], k))
        found[form] = Icc(form=form, value=value, interval=_interval(ends, level), n=n, k=k)
    return found


def stepped_up(single: float | None, k: float) -> float | None:
    """Return the reliability of a mean of k from that of one (Spearman 1910; Brown 1910).

    None where it has no value: at or below -1 / (k - 1).
    """
    if single is None or 1 + (k - 1) * single <= 1e-12:
        return None
    return k * single / (1 + (k - 1) * single)


def _consistency(rows: float, noise: float, k: int) -> float | None:
    below = rows + (k - 1) * noise
    return (rows - noise) / below if below > 0 else None


def _f_ends(rows: float, noise: float, degrees: tuple[int, int], k: int, level: float) -> _Ends:
    if noise == 0:
        return None, None
    f, tail = rows / noise, (1 + level) / 2
    low, high = f / f_quantile(tail, *degrees), f * f_quantile(tail, *reversed(degrees))
    return (low - 1) / (low + k - 1), (high - 1) / (high + k - 1)


def _absolute(ms: MeanSquares) -> float | None:
    below = ms.rows + (ms.k - 1) * ms.error + ms.k * (ms.columns - ms.error) / ms.n
    return (ms.rows - ms.error) / below if below > 0 else None


def _absolute_ends(ms: MeanSquares, level: float) -> _Ends:
    """McGraw and Wong 1996, with Satterthwaite's degrees of freedom."""
    value, n, k, tail = _absolute(ms), ms.n, ms.k, (1 + level) / 2
    if value is None or ms.error == 0:
        return None, None
    a = k * value / (n * (1 - value))
    b = 1 + k * value * (n - 1) / (n * (1 - value))
    columns, error = a * ms.columns, b * ms.error
    df = (columns + error) ** 2 / (columns**2 / (k - 1) + error**2 / ((n - 1) * (k - 1)))
    below, above = f_quantile(tail, n - 1, df), f_quantile(tail, df, n - 1)
    noise = k * ms.columns + (k * n - k - n) * ms.error
    # both sides of the lower end are divided by the quantile, which is beyond any float at a hundredth of a degree
    low = n * (ms.rows / below - ms.error) / (noise + n * ms.rows / below)
    high = n * (above * ms.rows - ms.error) / (noise + n * above * ms.rows)
    return low, high


def _interval(ends: _Ends, level: float) -> Interval | None:
    low, high = ends
    return None if low is None or high is None else Interval(low=low, high=high, level=level, method="F")
