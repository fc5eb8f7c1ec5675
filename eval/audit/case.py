"""One episode, laid out for the checks: what was said, from which inner world, and what it is held against."""

from dataclasses import dataclass, field
from functools import cached_property

from emoharbor.eval.audit.finding import Finding, Kind
from emoharbor.eval.audit.limits import AuditLimits
from emoharbor.eval.audit.yardstick import Yardstick
from emoharbor.eval.record import EpisodeRecord
from emoharbor.state.base import Role
from emoharbor.state.inner_world import InnerWorld
from emoharbor.state.shift import Shift

SHOWN = 300
"""Characters of a message that a finding shows."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the person.

    Attributes:
        turn: its turn.
        text: the message.
        world: the inner world it was said from; None where nothing is known of it.
        heard: the supporter's replies before it, oldest first.
        before: the person's messages before it, oldest first.
    """

    turn: int
    text: str
    world: InnerWorld | None
    heard: tuple[str, ...]
    before: tuple[str, ...]

    @property
    def words(self) -> str:
        """The message, as a finding shows it."""
        return self.text if len(self.text) <= SHOWN else f"{self.text[:SHOWN]}…"


@dataclass(frozen=True)
class Case:
    """An episode and whom it is held against.

    Attributes:
        record: the episode.
        person: what is known of the person; the checks that need more find nothing.
        limits: from when on something is a fault.
    """

    record: EpisodeRecord
    person: Yardstick
    limits: AuditLimits = field(default_factory=AuditLimits)

    @cached_property
    def said(self) -> tuple[Said, ...]:
        """The person's messages, in order."""
        found: list[Said] = []
        heard: tuple[str, ...] = ()
        before: tuple[str, ...] = ()
        for turn, item in enumerate(self.record.turns):
            if item.user is not None:
                found.append(Said(turn, item.user, item.inner_world, heard, before))
                before = (*before, item.user)
            if item.supporter is not None:
                heard = (*heard, item.supporter)
        return tuple(found)

    @cached_property
    def shifts(self) -> tuple[Shift, ...]:
        """What the person's roles proposed; what somebody changed by hand (`state/edits.py`) is not theirs."""
        return tuple(shift for shift in self.record.shifts if shift.role != "editor")

    @cached_property
    def worlds(self) -> dict[int, InnerWorld]:
        """The inner world of each turn."""
        return {turn: item.inner_world for turn, item in enumerate(self.record.turns) if item.inner_world is not None}

    @cached_property
    def last_world(self) -> InnerWorld | None:
        """The inner world at the end; None where nothing is known of it."""
        return self.worlds[max(self.worlds)] if self.worlds else None

    @cached_property
    def speaker(self) -> Role:
        """The role that says the messages."""
        roles = {shift.role for shift in self.shifts} | {fault.role for fault in self.record.faults}
        return "fused" if "fused" in roles else "speak"

    @cached_property
    def thinks(self) -> bool:
        """Whether somebody decided what is told."""
        return any(world.thought is not None for world in self.worlds.values())

    @cached_property
    def feels(self) -> bool:
        """Whether trust is tracked."""
        return any(shift.field == "trust" for shift in self.shifts)

    def finding(self, said: Said, kind: Kind, rule: str, why: str) -> Finding:
        """Return a finding about a message."""
        return Finding(kind=kind, rule=rule, turn=said.turn, role=self.speaker, words=said.words, why=why)
