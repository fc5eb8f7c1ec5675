"""What the trace of a node shows of the state it was given."""

from collections.abc import Mapping
from typing import Any

from emoharbor.state.episode import Channels
from emoharbor.state.event import Event

_AS_THEY_ARE = ("profile_id", "turn", "last", "outcome", "inner")
_MESSAGES = 2


def shown(state: Channels) -> dict[str, Any]:
    """Return where the episode stands: the last two messages and the inner world; the trace holds what came before.

    The whole state at every node would grow with the square of the turns.
    """
    now: dict[str, Any] = {name: state[name] for name in _AS_THEY_ARE if name in state}  # type: ignore[literal-required]  # keys of Channels
    if events := _happening(state):
        now["events"] = events
    return {**now, "messages": state.get("messages", [])[-_MESSAGES:]}


def follows(state: Channels, before: Channels, update: Mapping[str, Any]) -> bool:
    """Tell whether what is shown of a state is what `shown_after` makes of the state before and an update of it."""
    for name in _AS_THEY_ARE:
        value = update.get(name)
        if state.get(name) is not (before.get(name) if value is None else value):
            return False
    said = [*before.get("messages", ())[-_MESSAGES:], *update.get("messages", ())]
    is_said = [*map(id, state.get("messages", ())[-_MESSAGES:])] == [*map(id, said[-_MESSAGES:])]
    return is_said and not _happening(state)


def shown_after(before: Mapping[str, Any], update: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is shown to the next node, of what was shown to one and what it gave back, both as JSON."""
    now = {**before, **update}
    messages = [*before["messages"], *update.get("messages", ())]
    return {**{name: now[name] for name in _AS_THEY_ARE if name in now}, "messages": messages[-_MESSAGES:]}


def _happening(state: Channels) -> list[Event]:
    return [event for event in state.get("events", ()) if event.turn == state.get("turn")]
