"""Shares with intervals that know that episodes of one person are alike.

Wilson's score interval at the effective sample size: `n` over Kish's design effect, which is the variance of the share
between people over that of independent episodes, and at least 1. A share of 0 or 1 shows no spread; there the people
are counted, not their episodes. See Brown, Cai and DasGupta (2001) for the interval, Dean and Pagano (2015) for it
under clustering.
"""

from collections.abc import Iterable
from math import sqrt
from statistics import NormalDist

from emoharbor.state.base import Frozen


class Rate(Frozen):
    """A share of episodes (or of moves): 0 to 1; None where there are none."""

    count: int
    of: int
    people: int
    rate: float | None
    low: float | None
    high: float | None
    level: float = 0.95

    @property
    def text(self) -> str:
        """As people read it: `3.1 % [1.2, 7.6]`."""
        if self.rate is None or self.low is None or self.high is None:
            return "none"
        return f"{self.rate * 100:.1f} % [{self.low * 100:.1f}, {self.high * 100:.1f}]"


Tally = tuple[str, int, int]
"""Of one person: id, how many, of how many."""


def rate_of(tallies: Iterable[Tally], level: float = 0.95) -> Rate:
    """Return the share over all people.

    Args:
        tallies: counts by person; one person may come several times.
        level: of the interval.
    """
    people: dict[str, tuple[int, int]] = {}
    for name, count, of in tallies:
        had = people.get(name, (0, 0))
        people[name] = (had[0] + count, had[1] + of)
    counts = [pair for pair in people.values() if pair[1]]
    total, of = sum(count for count, _ in counts), sum(of for _, of in counts)
    if not of:
        return Rate(count=0, of=0, people=0, rate=None, low=None, high=None, level=level)
    share = total / of
    low, high = _wilson(share, _effective(counts, share, of), level)
    return Rate(count=total, of=of, people=len(counts), rate=share, low=low, high=high, level=level)


def _effective(counts: list[tuple[int, int]], share: float, of: int) -> float:
    """The number of independent episodes that would tell as much."""
    people = len(counts)
    if people < 2 or share in (0.0, 1.0):
        return float(people)
    between = people / (people - 1) * sum((count - share * n) ** 2 for count, n in counts) / of**2
    effect = between / (share * (1 - share) / (of - 1))
    return of / max(1.0, effect)


def _wilson(share: float, n: float, level: float) -> tuple[float, float]:
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)
