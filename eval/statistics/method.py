"""How figures are made: what every table names, so that it can be made again."""

from pydantic import Field

from emoharbor.eval.statistics.bootstrap import Interval
from emoharbor.state.base import Frozen

Limits = tuple[float, float]
RESAMPLES = 10_000


class How(Frozen):
    """The choices behind the figures of one table."""

    resamples: int = Field(default=RESAMPLES, ge=100)
    """Of every bootstrap and permutation."""
    seed: int = Field(default=0, ge=0)
    level: float = Field(default=0.95, gt=0.5, lt=1)
    """Of the intervals."""
    bound: float | None = Field(default=None, gt=0)
    """A personal effect inside plus and minus this is none, in points of the rubric's scale; None tests nothing."""

    @property
    def alpha(self) -> float:
        """The error rate of the tests."""
        return 1 - self.level

    def intervals(self) -> str:
        """Return how intervals were made."""
        return (
            f"{self.level:.0%} intervals: bootstrap over people, {self.resamples:,} resamples, a person's repeats kept "
            f"together (percentile, widened for small n); seed {self.seed}."
        )

    def flips(self) -> str:
        """Return how pairs were tested."""
        return (
            f"Tests: differences within the same people, sign-flip permutation, {self.resamples:,} flips (all of them "
            f"up to 15 differences), two-sided; seed {self.seed}."
        )


def limits(interval: Interval | None) -> Limits | None:
    """Return the two ends of an interval."""
    return None if interval is None else (interval.low, interval.high)
