"""Quantiles and tails of the distributions the estimators use: typed names over `scipy.special`.

scipy ships no types, so it is imported here and in the one function of `permutation.py` and `correlation.py` that
needs a whole test. `scipy.special` alone loads in a third of the time of `scipy.stats`.
"""

from scipy import special  # type: ignore[import-untyped]  # scipy has no types


def normal_cdf(z: float) -> float:
    """Return P(Z <= z) of the standard normal distribution."""
    return float(special.ndtr(z))


def normal_quantile(p: float) -> float:
    """Return z with P(Z <= z) = p."""
    return float(special.ndtri(p))


def t_quantile(p: float, df: float) -> float:
    """Return t with P(T <= t) = p, Student's t with `df` degrees of freedom."""
    return float(special.stdtrit(df, p))


def t_tail(t: float, df: float) -> float:
    """Return P(T > t)."""
    return float(special.stdtr(df, -t))


def f_quantile(p: float, above: float, below: float) -> float:
    """Return f with P(F <= f) = p, for F with `above` and `below` degrees of freedom."""
    return float(special.fdtri(above, below, p))


def noncentral_t_tail(t: float, df: float, shift: float) -> float:
    """Return P(T > t) of the noncentral t distribution with noncentrality `shift`."""
    return 1.0 - float(special.nctdtr(df, shift, t))
