"""What has happened since a call of the runner began, as progress tells it."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.runs.meter import Meter
from emoharbor.eval.runs.progress import Progress
from emoharbor.state.episode import EpisodeState


@dataclass(slots=True)
class Tally:
    """Counts of one call of the runner.

    Attributes:
        meter: of the run.
        planned: episodes there are to do.
        waited: seconds that calls have waited for limits, by the models' own count.
        openings: first messages that are being made.
        judged: whether the run has a judge.
    """

    meter: Meter
    planned: int = 0
    waited: Callable[[], float] = float
    openings: Callable[[], int] = int
    judged: bool = True
    began: float = field(default_factory=time.monotonic)
    done: int = 0
    running: int = 0
    turns: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    latest: str = ""

    def add(self, state: EpisodeState, key: EpisodeKey) -> None:
        """Count an episode that has ended."""
        self.done += 1
        self.latest = str(key)
        outcome = state.outcome.value if state.outcome else "none"
        self.outcomes[outcome] += 1
        if state.outcome is None or not state.outcome.judged:
            self.failures[outcome] += 1
        elif state.verdict is None and self.judged:
            self.failures["unjudged"] += 1
        elif state.verdict is not None and state.verdict.unscored is not None:
            self.failures["unscored"] += 1

    @property
    def is_whole(self) -> bool:
        """Whether all there was to do is done, with nothing to be run again on resume."""
        return self.done == self.planned and not self.failures["infrastructure"] and not self.failures["unjudged"]

    def snapshot(self, *, stopping: bool) -> Progress:
        """Return where the run is."""
        meter = self.meter
        return Progress(
            planned=self.planned, done=self.done, running=self.running, turns=self.turns,
            openings=self.openings(),
            seconds=time.monotonic() - self.began, outcomes=dict(self.outcomes), failures=dict(self.failures),
            tokens=meter.spent.tokens, cost_usd=meter.spent.cost_usd, latest=self.latest,
            seconds_by=dict(meter.seconds), waited=self.waited(), stopping=stopping,
            answers={label: (entry.calls, entry.seconds) for label, entry in meter.endpoints.items()},
        )  # fmt: skip
