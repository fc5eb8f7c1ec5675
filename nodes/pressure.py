"""Pressure: events in the middle of a dialogue, given in the config or drawn by seed.

Events are settled with the first state, from the run's seed, the person and the repeat; the supporter is no part of it,
so that all supporters meet the same ones. Wordings: `pressure.yaml`.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from random import Random
from typing import Annotated, Self

from pydantic import Field, TypeAdapter, model_validator

from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.base import Frozen, Text
from emoharbor.state.episode import Channels
from emoharbor.state.errors import ConfigError
from emoharbor.state.event import EVENT_KINDS, Event, EventKind
from emoharbor.state.seeds import derive_seed
from emoharbor.state.yamlfile import read_yaml

_AFTER = 2
"""Turns that are left after the last event that is drawn, to see what becomes of it."""
_TABLE = TypeAdapter(dict[EventKind, tuple[str, ...]])


class GivenEvent(Frozen):
    """An event that a config gives."""

    turn: Annotated[int, Field(strict=True, ge=1)]
    """Before the person's message of this turn; the opening is turn 0."""
    kind: EventKind
    text: Text = ""
    """What happens, told to the person as `you`; empty for a bundled wording, drawn by seed."""


class Pressure(Frozen):
    """Events of every episode: those given, and as many as `draw` says."""

    events: tuple[GivenEvent, ...] = ()
    draw: Annotated[int, Field(strict=True, ge=0)] = 0
    """How many are drawn for each person and repeat, at turns of their own."""
    kinds: Annotated[tuple[EventKind, ...], Field(min_length=1)] = EVENT_KINDS
    """The kinds to draw from."""
    earliest: Annotated[int, Field(strict=True, ge=1)] = 3
    latest: Annotated[int, Field(strict=True, ge=1)] | None = None
    """The last turn that may be drawn; None leaves two turns after it."""

    @model_validator(mode="after")
    def _one_a_turn(self) -> Self:
        turns = [event.turn for event in self.events]
        if len(set(turns)) < len(turns):
            msg = "two events are given for one turn; give each a turn of its own"
            raise ValueError(msg)
        return self

    def last_turn(self, max_turns: int) -> int:
        """Return the last turn that may be drawn."""
        return min(max_turns - 1, max_turns - 1 - _AFTER if self.latest is None else self.latest)

    def problem(self, max_turns: int) -> str | None:
        """Return why these events do not fit into so many turns, or None."""
        late = next((event.turn for event in self.events if event.turn >= max_turns), None)
        if late is not None:
            return (
                f"an event is given for turn {late}, but with {max_turns} turns the last message is of {max_turns - 1}"
            )
        given = {event.turn for event in self.events}
        free = sum(turn not in given for turn in range(self.earliest, self.last_turn(max_turns) + 1))
        if self.draw > free:
            return f"draw is {self.draw}, but from turn {self.earliest} to {self.last_turn(max_turns)} {free} are free"
        return None


def events_of(
    pressure: Pressure, profile: PartialProfile, *, seed: int, repeat: int, max_turns: int
) -> tuple[Event, ...]:
    """Return the events of one person and repeat, in order: the same for every supporter.

    Args:
        pressure: what the config says.
        profile: the person; their stakes may stand in a wording.
        seed: of the run.
        repeat: of the episode.
        max_turns: of the episode; what does not fit into it is left out.
    """
    if not (pressure.events or pressure.draw):
        return ()
    rng = Random(derive_seed(seed, profile.id, repeat, "pressure"))  # noqa: S311 - variety, not secrecy
    given = {event.turn for event in pressure.events}
    free = [turn for turn in range(pressure.earliest, pressure.last_turn(max_turns) + 1) if turn not in given]
    drawn = [
        GivenEvent(turn=turn, kind=rng.choice(pressure.kinds))
        for turn in sorted(rng.sample(free, min(pressure.draw, len(free))))
    ]
    wanted = sorted([*pressure.events, *drawn], key=lambda event: event.turn)
    return tuple(
        Event(turn=event.turn, kind=event.kind, text=event.text or _wording(event.kind, profile, rng))
        for event in wanted
        if event.turn < max_turns
    )


def happening(state: Channels) -> Event | None:
    """Return what happened since the last message, or None."""
    return next((event for event in state.get("events", ()) if event.turn == state["turn"]), None)


def happened(state: Channels) -> str:
    """Return what happened so far, for the person's inner roles; empty when nothing did."""
    lines = []
    for event in state.get("events", ()):
        if event.turn == state["turn"]:
            lines.append(
                f"Since your last message something has happened that the supporter knows nothing of: {event.text}"
            )
        elif event.turn < state["turn"]:
            lines.append(f"Before your message of turn {event.turn} this had happened: {event.text}")
    return "\n".join(lines)


def _wording(kind: EventKind, profile: PartialProfile, rng: Random) -> str:
    stakes = profile.situation.stakes if profile.situation else ""
    return rng.choice([text for text in _wordings()[kind] if stakes or "{stakes}" not in text]).replace(
        "{stakes}", stakes
    )


@cache
def _wordings() -> Mapping[EventKind, tuple[str, ...]]:
    file = read_yaml(files("emoharbor.nodes").joinpath("pressure.yaml"), ConfigError, "wordings by kind of event")
    return _TABLE.validate_python(file.data)
