"""The whole state of an episode, in two forms that hold the same fields.

`EpisodeState` is the pydantic form: files, store and final validation. `Channels` is the form LangGraph carries: a
TypedDict of frozen values, since a pydantic channel state costs 4 to 5 % and is checked in the wrong place. The state
alone decides the next node, so a state loaded from JSON starts the graph again where it stopped.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, NotRequired, Required, Self, TypeVar, cast

from langchain_core.messages import AnyMessage
from pydantic import Field
from typing_extensions import TypedDict  # pydantic refuses typing.TypedDict before Python 3.12

from emoharbor.state.base import FilledText, Frozen, Role, Text, Turn
from emoharbor.state.event import Event
from emoharbor.state.inner_world import InnerWorld
from emoharbor.state.outcome import Outcome
from emoharbor.state.shift import Shift
from emoharbor.state.verdict import Judgement

V = TypeVar("V", bound=Frozen)
MAX_TURNS = 15
"""Turns of a session unless a config says otherwise (the paper's session, as a survey reports it)."""


class Fault(Frozen):
    """Something that went wrong at a node, mended or not."""

    role: Role
    turn: Turn
    kind: FilledText
    """For example `rate_limited`, `role_drift`, `unreadable`."""
    detail: Text = ""
    words: Text = ""
    """The message that was turned down, if that is what went wrong."""


def by_id(old: Any, new: Any) -> list[AnyMessage]:
    """Reducer: LangGraph's own for messages. Found at its first use, since reading a run needs no LangGraph."""
    from langgraph.graph.message import add_messages  # noqa: PLC0415 - LangGraph takes a second to import

    return cast("list[AnyMessage]", add_messages(old, new))


def keep_by_turn(old: tuple[InnerWorld, ...], new: tuple[InnerWorld, ...]) -> tuple[InnerWorld, ...]:
    """Reducer: one inner world a turn; a later picture of the same turn takes the place of the earlier one."""
    fresh = _values(InnerWorld, new)
    if len(fresh) == 1 and old and old[-1].turn == fresh[0].turn:
        return (*old[:-1], *fresh)
    if len(fresh) == 1 and (not old or old[-1].turn < fresh[0].turn):
        return (*old, *fresh)
    worlds = {world.turn: world for world in (*old, *fresh)}
    return tuple(worlds[turn] for turn in sorted(worlds))


def appending(kind: type[V]) -> Callable[[Sequence[V], Sequence[V]], tuple[V, ...]]:
    """Return the reducer of a log. A checkpoint gives a tuple back as a list, so `operator.add` would not do."""

    def append(old: Sequence[V], new: Sequence[V]) -> tuple[V, ...]:
        before, fresh = tuple(old), _values(kind, new)
        # Studio gives the whole state back when somebody has edited it
        return fresh if len(fresh) >= len(before) and fresh[: len(before)] == before else (*before, *fresh)

    return append


def _values(kind: type[V], items: Sequence[Any]) -> tuple[V, ...]:
    """Read what a server received as JSON; our own values pass through."""
    return tuple(item if isinstance(item, kind) else kind.model_validate(item) for item in items)


class EpisodeState(Frozen):
    """Everything an episode knows. Loading its JSON and starting the graph from it continues the episode."""

    profile_id: FilledText
    supporter: FilledText
    """Name of the supporter in the run."""
    repeat: Annotated[int, Field(ge=0)] = 0
    seed: int = 0
    """The run's seed; the nodes' seeds derive from it."""
    max_turns: Annotated[int, Field(ge=1)] = MAX_TURNS
    briefing: Text = ""
    """What the supporter is told about the person before the dialogue; empty for none."""
    recorded: bool = False
    """Whether a real person's record is played: its words are taken as they are, and its length is its own."""
    events: tuple[Event, ...] = ()
    """What happens to the person on the way, past and to come; each role is shown what has happened."""
    turn: Turn = 0
    """The turn in progress; equals `max_turns` while the last reply is taken in."""
    last: Role | None = None
    """The role that ran last."""
    outcome: Outcome | None = None
    outcome_reason: Text = ""
    messages: list[AnyMessage] = Field(default_factory=list)
    inner: InnerWorld
    worlds: tuple[InnerWorld, ...] = ()
    """The inner world after each turn's feel and think."""
    shifts: tuple[Shift, ...] = ()
    faults: tuple[Fault, ...] = ()
    verdict: Judgement | None = None

    def channels(self) -> "Channels":
        """Return this state as LangGraph's input."""
        # the test that both forms hold the same fields stands behind this cast
        return cast("Channels", {name: getattr(self, name) for name in type(self).model_fields})

    @classmethod
    def from_channels(cls, channels: Mapping[str, object]) -> Self:
        """Validate what LangGraph gave back.

        Raises:
            pydantic.ValidationError: if a node got a wrong value past its wrapper.
        """
        return cls.model_validate(dict(channels))


class Channels(TypedDict, total=False):
    """The state as LangGraph carries it. As input only `profile_id` is required; the first node fills in the rest."""

    profile_id: Required[str]
    supporter: NotRequired[str]
    repeat: NotRequired[int]
    seed: NotRequired[int]
    max_turns: NotRequired[int]
    briefing: NotRequired[str]
    recorded: NotRequired[bool]
    events: NotRequired[tuple[Event, ...]]
    turn: NotRequired[int]
    last: NotRequired[Role | None]
    outcome: NotRequired[Outcome | None]
    outcome_reason: NotRequired[str]
    messages: NotRequired[Annotated[list[AnyMessage], by_id]]
    inner: NotRequired[InnerWorld]
    worlds: NotRequired[Annotated[tuple[InnerWorld, ...], keep_by_turn]]
    shifts: NotRequired[Annotated[tuple[Shift, ...], appending(Shift)]]
    faults: NotRequired[Annotated[tuple[Fault, ...], appending(Fault)]]
    verdict: NotRequired[Judgement | None]
