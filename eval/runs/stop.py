"""When to end a run early: before more money is wasted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from emoharbor.state.episode import EpisodeState
from emoharbor.state.errors import ModelNotFound, Unauthorised
from emoharbor.state.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why a run ended early.

    Attributes:
        kind: `budget`: what the run may use is used up; `endpoint`: an endpoint fails constantly.
        reason: one line.
    """

    kind: Literal["budget", "endpoint"]
    reason: str

    def __str__(self) -> str:
        """Return the reason."""
        return self.reason


StopRule = Callable[[EpisodeState, int | None], Stopped | None]
"""Asked after each episode, with its last state and the tokens of the run so far; a reason stops the run: no episode
is begun any more, those under way go on to their end."""

_HOPELESS = (Unauthorised.kind, ModelNotFound.kind)


class EndpointGone:
    """Stops after several episodes in a row that ended at a refused key or a missing model."""

    def __init__(self, in_a_row: int = 3) -> None:
        self._limit = in_a_row
        self._seen = 0

    def __call__(self, state: EpisodeState, tokens: int | None) -> Stopped | None:
        """Count one episode."""
        del tokens
        hopeless = state.outcome is Outcome.INFRASTRUCTURE and state.outcome_reason.startswith(_HOPELESS)
        self._seen = self._seen + 1 if hopeless else 0
        if self._seen < self._limit:
            return None
        return Stopped("endpoint", f"{self._seen} episodes in a row ended the same way: {state.outcome_reason}")


def token_budget(most: int) -> StopRule:
    """Return a rule that stops once so many tokens are used."""

    def rule(state: EpisodeState, tokens: int | None) -> Stopped | None:
        del state
        if tokens is None or tokens < most:
            return None
        return Stopped("budget", f"limits.budget_tokens is used up: {tokens} of {most} tokens")

    return rule
