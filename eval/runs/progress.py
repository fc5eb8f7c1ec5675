"""How far a run is: a plain snapshot that a command line renders."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Progress:
    """A run at one moment.

    Attributes:
        planned: episodes this call has to do; what an earlier call finished is not among them.
        done: of those, how many have ended, well or not.
        running: episodes under way.
        turns: turns finished since the start of this call.
        seconds: since the start of this call.
        outcomes: episodes that ended, by outcome.
        failures: what went wrong in them, by kind: outcomes that are no completion, and `unscored`.
        tokens: prompt and completion tokens so far; None when no endpoint said.
        cost_usd: None while the price is unknown.
        latest: the episode that ended last, as `P010/attuned/0`; empty before the first.
    """

    planned: int
    done: int = 0
    running: int = 0
    turns: int = 0
    seconds: float = 0.0
    outcomes: Mapping[str, int] = field(default_factory=dict)
    failures: Mapping[str, int] = field(default_factory=dict)
    tokens: int | None = None
    cost_usd: float | None = None
    latest: str = ""

    @property
    def rate(self) -> float:
        """Episodes a minute."""
        return 60 * self.done / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the rate so far; None before the first episode has ended."""
        return (self.planned - self.done) * self.seconds / self.done if self.done else None


OnProgress = Callable[[Progress], None]
"""Called at the start, at most ten times a second while turns and episodes end, and once at the end."""
