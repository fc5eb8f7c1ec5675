"""What a number of people can show: power of the paired t test."""

from collections.abc import Callable
from math import sqrt

from emoharbor.eval.statistics.distributions import noncentral_t_tail, normal_quantile, t_quantile

_MOST = 10_000_000


def smallest_difference(sd: float, n: int, alpha: float = 0.05, power: float = 0.8) -> float | None:
    """Return the smallest true mean difference that a paired t test of n people finds with the given power.

    Two-sided test; noncentral t distribution (Cohen 1988, chapter 2), far tail neglected: it is below 1e-9 for any
    power of use. Plan with it, or say what a null result can exclude; do not compute power from an observed
    difference, which only restates its p value (Hoenig and Heisey 2001).

    Args:
        sd: standard deviation of the differences, at least 0.
        n: people.
        alpha: above 0, below 1.
        power: above alpha, below 1.

    Returns:
        in the units of `sd`; None with fewer than two people.
    """
    if n < 2:
        return None
    if sd == 0:
        return 0.0
    critical = t_quantile(1 - alpha / 2, n - 1)

    def short(shift: float) -> bool:
        return noncentral_t_tail(critical, n - 1, shift) < power

    high = critical + normal_quantile(power) + 1
    while short(high):
        high *= 2
    return _bisect(short, 0.0, high) * sd / sqrt(n)


def profiles_needed(difference: float, sd: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Return how many people a paired t test needs to find a true mean difference with the given power.

    Args:
        difference: the true mean difference to be found; its sign does not matter.
        sd: standard deviation of the differences.
        alpha: above 0, below 1.
        power: above alpha, below 1.

    Returns:
        at least 2; None when the difference is 0 or needs more than ten million people.
    """
    if difference == 0:
        return None

    def enough(n: int) -> bool:
        found = smallest_difference(sd, n, alpha, power)
        return found is not None and found <= abs(difference)

    high = 2
    while not enough(high):
        high *= 2
        if high > _MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _bisect(below: Callable[[float], bool], low: float, high: float) -> float:
    """The point at which `below` turns false, to the last bits."""
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if below(middle) else (low, middle)
    return high
