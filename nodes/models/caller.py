"""Who a model call is for. Told to a rehearsal endpoint on this machine, so that its scenario can address calls."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from urllib.parse import quote

PREFIX = "x-emoharbor-"
"""Begins the name of each header."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The seat a call is for.

    Attributes:
        role: the role, or None to leave it to the trace (LangGraph names the node).
        turn: index of the turn, or None.
        profile: id of the person, or None; a supporter never knows it.
    """

    role: str | None = None
    turn: int | None = None
    profile: str | None = None


_CALLER: ContextVar[Caller] = ContextVar("emoharbor_caller", default=Caller())  # noqa: B039 - Caller is frozen


@contextmanager
def calling(role: str | None = None, turn: int | None = None, profile: str | None = None) -> Iterator[None]:
    """Say who the model calls inside are for."""
    token = _CALLER.set(Caller(role, turn, profile))
    try:
        yield
    finally:
        _CALLER.reset(token)


def caller_headers(node: object, attempt: int) -> dict[str, str]:
    """Return the headers that tell a rehearsal endpoint about a call.

    Args:
        node: the name of the graph's node that the call runs in, if the trace knows it.
        attempt: index of this request within one question to the model.
    """
    caller = _CALLER.get()
    role = caller.role or (node if isinstance(node, str) else None)
    told = {"role": role, "turn": caller.turn, "profile": caller.profile, "attempt": attempt}
    return {PREFIX + name: quote(str(value)) for name, value in told.items() if value is not None}
