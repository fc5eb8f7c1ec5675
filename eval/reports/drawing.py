"""What the graph of a cast looks like: its seats and labelled arrows, read from the compiled graph."""

from collections.abc import Mapping
from dataclasses import dataclass

from langgraph.constants import END, START

from emoharbor.graphs.episode import build_episode
from emoharbor.nodes.cast import Cast
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.base import Role
from emoharbor.state.errors import ProfileError

DOES: Mapping[str, str] = {
    "feel": "appraises, feels",
    "think": "decides what to say",
    "speak": "says it",
    "fused": "feels, thinks, speaks",
    "supporter": "the system under test",
    "judge": "rates as the person",
}
"""What each seat does, in a few words."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One box.

    Attributes:
        role: the seat.
        played_by: names of who may play it.
    """

    role: Role
    played_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Arrow:
    """From one node to another; `START` and `END` are LangGraph's names."""

    source: str
    target: str
    label: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A whole picture.

    Attributes:
        person: the seats of the simulated person, in order.
        others: supporter and judge, as far as the cast has them.
        arrows: how it goes on; a stop after a failure, possible at any node, is left out.
    """

    person: tuple[Seat, ...]
    others: tuple[Seat, ...]
    arrows: tuple[Arrow, ...]


def drawing_of(cast: Cast) -> Drawing:
    """Return the drawing of a cast's graph."""
    edges = {(edge.source, edge.target) for edge in build_episode(cast, _nobody).get_graph().edges}
    person = tuple(Seat(part.role, (part.name,)) for part in cast.user)
    others: list[Seat] = []
    if cast.supporters:
        others.append(Seat("supporter", tuple(cast.supporters)))
    if cast.judge:
        others.append(Seat("judge", (cast.judge.name,)))
    order = [START, *(seat.role for seat in (*person, *others)), END]
    arrows = [
        Arrow(source, target, _label(source, target, cast))
        for source in order
        for target in order
        if (source, target) in edges and _shown(source, target, cast)
    ]
    return Drawing(person, tuple(others), tuple(arrows))


def _shown(source: str, target: str, cast: Cast) -> bool:
    """Leave out the entries of a resumed state and the stop after a failure: they are possible everywhere."""
    if source == START:
        return target == cast.chain[0]
    if target == END:
        return source == "judge" or (cast.judge is None and source == cast.chain[-1])
    return True


def _label(source: str, target: str, cast: Cast) -> str:
    if target == END and source != "judge" and cast.supporters:
        return "goodbye, or turn limit"
    if source == "supporter" and target == cast.chain[0]:
        return "next turn"
    if target == "judge":
        if source == "supporter":
            return "turn limit"
        return {"speak": "goodbye", "fused": "goodbye, or turn limit"}.get(source, "turn limit: last reply taken in")
    return ""


def _nobody(profile_id: str) -> PartialProfile:
    raise ProfileError(f"a drawing has no people; {profile_id!r} was asked for")
