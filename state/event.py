"""Something that happens to the person in the middle of the dialogue, outside of it."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from emoharbor.state.base import FilledText, Frozen

EventKind = Literal["bad_news", "interruption", "misunderstanding"]
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)


class Event(Frozen):
    """One event. The supporter knows of it only what the person says.

    An episode's events are settled before its first word and stand in its state, so that it goes on in the same way
    from any turn.
    """

    turn: Annotated[int, Field(ge=1)]
    """It happens after the reply of the turn before and before the person's message of this one."""
    kind: EventKind
    text: FilledText
    """What happens, told to the person as `you`."""
