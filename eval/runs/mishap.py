"""An exception inside an episode, as an outcome: the run goes on without it."""

import re

from emoharbor.eval.secrets import hide_secrets
from emoharbor.state.episode import EpisodeState, Fault
from emoharbor.state.errors import NodeError
from emoharbor.state.outcome import Outcome
from emoharbor.state.text import clean

_NODE = re.compile(r"During task with name '([^']+)'")
"""What LangGraph adds to an exception that passes through it."""


def broken_off(state: EpisodeState, error: BaseException) -> EpisodeState:
    """Return a state that ends here, unfinished, with what went wrong.

    Args:
        state: the last state that is known; on resume the episode goes on from its last finished turn.
        error: what came out of the graph.
    """
    reason = _reason(error)
    role = _role(error)
    fault = Fault.model_validate({"role": role or "feel", "turn": state.turn, "kind": "exception", "detail": reason})
    return state.model_copy(
        update={
            "outcome": Outcome.INFRASTRUCTURE,
            "outcome_reason": reason,
            "faults": (*state.faults, fault) if role else state.faults,
        }
    )


def _reason(error: BaseException) -> str:
    if isinstance(error, NodeError):
        text = str(error)
    else:
        where = f" in node {role!r}" if (role := _role(error)) else ""
        text = f"{type(error).__name__}{where}: {error}"
    return hide_secrets(clean(" ".join(text.split())))


def _role(error: BaseException) -> str | None:
    if isinstance(error, NodeError):
        return error.role
    found = _NODE.search("\n".join(getattr(error, "__notes__", ())))
    return found.group(1) if found else None


def first_of(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first exception of a group of tasks, however deep it lies."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
