"""How far a run is: a plain snapshot that a command line renders."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Progress:
    """A run at one moment.

    Attributes:
        planned: episodes this call has to do; what an earlier call finished is not among them.
        done: of those, how many have ended, well or not.
        running: episodes under way.
        openings: first messages that are being made, which episodes wait for.
        turns: turns finished since the start of this call.
        seconds: since the start of this call.
        outcomes: episodes that ended, by outcome.
        failures: what went wrong in them, by kind: outcomes that are no completion, and `unscored`.
        tokens: prompt and completion tokens of the run so far, earlier calls included; None when no endpoint said.
        cost_usd: of the run so far; None when a price is not known.
        latest: the episode that ended last, as `P010/attuned/0`; empty before the first.
        seconds_by: time of nodes at work by side (`person`, `supporter`, `judge`), over all episodes under way at once.
        waited: seconds of it that calls of models waited for limits: calls in flight, pauses an endpoint asked for.
        answers: of each model (`gpt-4.1 at api.openai.com`), how many answers and the seconds they took together.
        stopping: somebody asked it to stop, and what is under way is being finished.
        unit: what is counted: `episodes`, or `ratings` when a run is judged again.
    """

    planned: int
    done: int = 0
    running: int = 0
    openings: int = 0
    turns: int = 0
    seconds: float = 0.0
    outcomes: Mapping[str, int] = field(default_factory=dict)
    failures: Mapping[str, int] = field(default_factory=dict)
    tokens: int | None = None
    cost_usd: float | None = None
    latest: str = ""
    seconds_by: Mapping[str, float] = field(default_factory=dict)
    waited: float = 0.0
    answers: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    stopping: bool = False
    unit: Literal["episodes", "ratings"] = "episodes"

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
