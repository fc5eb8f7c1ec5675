"""Whether there is no effect worth speaking of."""

from math import sqrt

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray, Seed
from emoharbor.eval.statistics.bootstrap import Interval, Method, mean_estimate
from emoharbor.eval.statistics.distributions import t_tail
from emoharbor.state.base import Frozen


class Equivalence(Frozen):
    """Whether a mean difference lies within a bound stated beforehand."""

    difference: float
    interval: Interval
    """At level 1 - 2 alpha: 90 % for alpha 0.05."""
    bound: float
    p: float
    """The larger of the two one-sided p values (t)."""
    n: int
    equivalent: bool
    """Whether the interval lies wholly inside -bound to bound."""


def equivalence(  # noqa: PLR0913 - the settings of an estimator, by keyword
    differences: FloatArray,
    bound: float,
    *,
    alpha: float = 0.05,
    method: Method = "t",
    resamples: int = 10_000,
    seed: Seed = 0,
) -> Equivalence | None:
    """Test that a mean difference is smaller than a bound, either way.

    Two one-sided tests (Schuirmann 1987, Journal of Pharmacokinetics and Biopharmaceutics 15): the difference is taken
    as no larger than the bound when the interval at level 1 - 2 alpha lies inside it. A difference that is not
    significant is no evidence of none; this is. The bound must be stated before the data are seen.

    Args:
        differences: shape (n,), one a profile, NaN where missing.
        bound: above 0, in the units of the differences.
        alpha: above 0, below 0.5.
        method: of the interval; p is always of t tests.
        resamples: for a bootstrap interval.
        seed: for a bootstrap interval.

    Returns:
        None with fewer than two pairs.

    Raises:
        ValueError: when the bound is not above 0.
    """
    if not bound > 0:
        raise ValueError(f"a bound of equivalence must be above 0, not {bound}")
    found = mean_estimate(differences, level=1 - 2 * alpha, method=method, resamples=resamples, seed=seed)
    if found.value is None or found.interval is None:
        return None
    return Equivalence(
        difference=found.value,
        interval=found.interval,
        bound=bound,
        p=_larger_p(differences[~np.isnan(differences)], bound),
        n=found.n,
        equivalent=-bound < found.interval.low and found.interval.high < bound,
    )


def _larger_p(known: FloatArray, bound: float) -> float:
    mean, error = float(known.mean()), float(known.std(ddof=1)) / sqrt(known.size)
    if error == 0:
        return 0.0 if abs(mean) < bound else 1.0
    df = known.size - 1
    return max(t_tail((mean + bound) / error, df), t_tail((bound - mean) / error, df))
