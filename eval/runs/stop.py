"""When to end a run early: before more money is wasted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from emoharbor.state.episode import EpisodeState
from emoharbor.state.errors import ModelNotFound, QuotaSpent, Unauthorised
from emoharbor.state.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why a run ended early.

    Attributes:
        kind: `budget`: what the run may use is used up; `endpoint`: an endpoint fails constantly; `interrupt`: somebody
            asked it to stop.
        reason: one line.
    """

    kind: Literal["budget", "endpoint", "interrupt"]
    reason: str

    def __str__(self) -> str:
        """Return the reason."""
        return self.reason


StopRule = Callable[[EpisodeState], Stopped | None]
"""Asked after each episode, with its last state; a reason stops the run: no episode is begun any more, those under way
stop at their next finished turn."""

_HOPELESS = (Unauthorised.kind, ModelNotFound.kind, QuotaSpent.kind)


class EndpointGone:
    """Stops after several episodes in a row that ended at a refused key, a missing model or a spent quota."""

    def __init__(self, in_a_row: int = 3) -> None:
        self._limit = in_a_row
        self._seen = 0

    def __call__(self, state: EpisodeState) -> Stopped | None:
        """Count one episode."""
        reason = why_unmade(state)
        self._seen = self._seen + 1 if reason.startswith(_HOPELESS) else 0
        if self._seen < self._limit:
            return None
        return Stopped("endpoint", f"{self._seen} episodes in a row ended the same way: {reason}")


def why_unmade(state: EpisodeState) -> str:
    """Return why an episode could not be finished, or not be judged; empty when it could."""
    if state.outcome is Outcome.INFRASTRUCTURE:
        return state.outcome_reason
    unjudged = state.outcome is not None and state.outcome.judged and state.verdict is None
    last = state.faults[-1] if unjudged and state.faults else None
    return f"{last.kind}: {last.detail}" if last is not None and last.role == "judge" else ""
