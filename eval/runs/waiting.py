"""An episode that waits for a human: LangGraph's interrupt, told to whoever runs it, and gone on with their answer."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import GraphOutput

from emoharbor.state.episode import EpisodeState, Fault
from emoharbor.state.inner_world import InnerWorld
from emoharbor.state.outcome import Outcome
from emoharbor.state.shift import Shift
from emoharbor.state.verdict import Judgement

Answer = Callable[[EpisodeState, Mapping[str, Any]], Awaitable[str]]
"""Asked when an episode waits for a human: with its state, and with what the human may see of it. Returns what they
say; may take as long as it likes."""
_VALUES = (InnerWorld, Shift, Fault, Judgement, Outcome)
"""What the channels hold; LangGraph warns of each type that it was not told of, and later versions refuse it."""


def keeper() -> InMemorySaver:
    """Return what keeps the state of an episode while it waits. What lasts is in the run folder."""
    types = [(kind.__module__, kind.__name__) for kind in _VALUES]
    return InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=types))


def waiting(end: GraphOutput[Any]) -> tuple[EpisodeState, Mapping[str, Any] | None]:
    """Return the state that a graph gave back, and what it asks a human; None when it asks nothing."""
    return EpisodeState.from_channels(end.value), end.interrupts[0].value if end.interrupts else None
