"""The dialogue as a chat, with what is felt and thought beside each message (below it where there is little room)."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from emoharbor.eval.record import EpisodeRecord, TurnRecord
from emoharbor.eval.reports.glyphs import DISTRESS, TRUST, Glyphs, level
from emoharbor.eval.reports.inert import inert, one_line
from emoharbor.eval.reports.person import person_name
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.event import Event
from emoharbor.state.inner_world import InnerWorld

_ROOMY = 100
"""From this width on, the inner world stands beside the message."""
_SIDE, _NAMES = 42, 12


def dialogue(record: EpisodeRecord, profile: PartialProfile, glyphs: Glyphs, width: int) -> RenderableType:
    """Return the whole dialogue.

    Args:
        record: the episode.
        profile: the person.
        glyphs: what the terminal can show.
        width: cells of a line.
    """
    held = len(profile.situation.guarded) if profile.situation else 0
    chat = _Chat(person_name(profile), record.supporter, held, glyphs, width >= _ROOMY, record.events)
    return Group(*(chat.turn(index, turn) for index, turn in enumerate(record.turns)))


def last_turn(record: EpisodeRecord, profile: PartialProfile, glyphs: Glyphs, width: int) -> RenderableType:
    """Return the last turn of the same, for a talk that goes on."""
    held = len(profile.situation.guarded) if profile.situation else 0
    chat = _Chat(person_name(profile), record.supporter, held, glyphs, width >= _ROOMY, record.events)
    return chat.turn(len(record.turns) - 1, record.turns[-1])


@dataclass(frozen=True, slots=True)
class _Chat:
    """How the turns are laid out.

    Attributes:
        who: name of the person.
        supporter: name of the supporter.
        held: how many facts the person holds back at the start.
        glyphs: what the terminal can show.
        beside: whether the inner world stands beside the message, not below it.
        events: what happened on the way.
    """

    who: str
    supporter: str
    held: int
    glyphs: Glyphs
    beside: bool
    events: tuple[Event, ...]

    def turn(self, index: int, turn: TurnRecord) -> RenderableType:
        """Return one turn."""
        grid = Table.grid(padding=(0, 2, 0, 0), expand=True)
        grid.add_column(width=min(_NAMES, max(len(self.who), len(self.supporter))), overflow="fold")
        grid.add_column(ratio=1)
        if self.beside:
            grid.add_column(width=_SIDE)
        for event in self.events:
            if event.turn == index:
                what = Text.assemble((f"{event.kind.replace('_', ' ')}: ", "magenta"), one_line(event.text, "magenta"))
                self._row(grid, Text(""), what, None)
        said = Text("(says no more)", "dim") if turn.user is None else inert(turn.user)
        inner = None if turn.inner_world is None else self._inner(turn.inner_world, index)
        self._row(grid, one_line(self.who, "bold cyan"), said, inner)
        if turn.supporter is not None:
            grid.add_row()
            self._row(grid, one_line(self.supporter, "bold green"), inert(turn.supporter), None)
        head = Text("after the last reply" if turn.user is None else f"turn {index}", "dim")
        rule = Rule(head, align="left", style="dim", characters=self.glyphs.axis[1])
        return Padding(Group(rule, grid), (0, 0, 1, 0))

    def _row(self, grid: Table, name: Text, said: Text, inner: Text | None) -> None:
        if self.beside:
            grid.add_row(name, said, inner)
            return
        grid.add_row(name, said)
        if inner is not None:
            grid.add_row("", inner)

    def _inner(self, world: InnerWorld, index: int) -> Text:
        distress = level("distress", world.distress, self.glyphs, DISTRESS)
        trust = level("trust   " if self.beside else "trust", world.trust, self.glyphs, TRUST)
        lines = [_feelings(world)]
        lines += [distress, trust] if self.beside else [Text("   ").join([distress, trust])]
        if world.thought is not None:
            lines.append(Text.assemble(("thinks ", "dim"), one_line(world.thought.monologue, "italic dim")))
        lines += self._told(world, index)
        return Text("\n").join(lines)

    def _told(self, world: InnerWorld, index: int) -> Iterator[Text]:
        for number, item in enumerate(world.disclosed, start=1):
            if item.turn == index:
                slip = "" if item.released else "; it slipped out"
                yield Text.assemble(
                    (f"{self.glyphs.told} tells ", "yellow"),
                    one_line(item.fact, "yellow"),
                    (f" ({number} of {self.held} held back{slip})", "yellow"),
                )


def _feelings(world: InnerWorld) -> Text:
    words = ", ".join(f"{emotion.label} {emotion.intensity}" for emotion in world.emotions)
    line = Text.assemble(("feels ", "dim"), words or "nothing in particular")
    if world.felt_understood is not None:
        line.append(f"; understood {world.felt_understood:+d}", "dim")
    return line
