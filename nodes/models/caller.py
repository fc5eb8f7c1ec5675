"""Who a model call is for. Told to a rehearsal endpoint on this machine, so that its scenario can address calls."""

from contextvars import ContextVar
from typing import NamedTuple
from urllib.parse import quote

PREFIX = "x-emoharbor-"
"""Begins the name of each header."""


class Caller(NamedTuple):
    """The seat a call is for.

    Attributes:
        role: the role, or None to leave it to the trace (LangGraph names the node).
        turn: index of the turn, or None.
        profile: id of the person, or None; a supporter never knows it.
    """

    role: str | None = None
    turn: int | None = None
    profile: str | None = None


_CALLER: ContextVar[Caller] = ContextVar("emoharbor_caller", default=Caller())  # noqa: B039 - a tuple


class calling:  # noqa: N801 - read as the verb it is: `with calling("feel", 3, "P040"):`
    """Says who the model calls inside are for. Every node enters one, so it is no generator."""

    __slots__ = ("_caller", "_token")

    def __init__(self, role: str | None = None, turn: int | None = None, profile: str | None = None) -> None:
        self._caller = Caller(role, turn, profile)

    def __enter__(self) -> None:
        self._token = _CALLER.set(self._caller)

    def __exit__(self, *_: object) -> None:
        _CALLER.reset(self._token)


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
