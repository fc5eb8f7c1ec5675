"""What somebody changed in an inner world by hand: in Studio between two nodes, or before a fork is played."""

from collections.abc import Iterator

from emoharbor.state.inner_world import InnerWorld
from emoharbor.state.shift import Shift, ShiftField, ShiftValue

EDITED = "edited"
"""The cause of such a change."""


def edits_between(before: InnerWorld, after: InnerWorld, turn: int) -> tuple[Shift, ...]:
    """Return one shift for each field that differs, by the role `editor`.

    Args:
        before: the inner world as the person's roles left it.
        after: as it is now.
        turn: the turn before which it was changed.
    """
    return tuple(
        Shift(field=field, before=old, proposed=new, applied=new, role="editor", turn=turn, cause=EDITED)
        for field, old, new in _pairs(before, after)
        if old != new
    )


def _pairs(before: InnerWorld, after: InnerWorld) -> Iterator[tuple[ShiftField, ShiftValue, ShiftValue]]:
    yield "emotions", _emotions(before), _emotions(after)
    yield "distress", before.distress, after.distress
    yield "trust", before.trust, after.trust
    yield "felt_understood", before.felt_understood, after.felt_understood
    yield "readiness", before.readiness, after.readiness
    was, now = ({need.id: need.status for need in world.needs} for world in (before, after))
    for need in {**was, **now}:
        yield "need", f"{need}:{was.get(need, '')}", f"{need}:{now.get(need, '')}"
    yield "released", before.released, after.released
    yield "disclosed", _facts(before), _facts(after)
    yield "gist", _gist(before), _gist(after)


def _emotions(world: InnerWorld) -> tuple[str, ...]:
    return tuple(f"{emotion.label}:{emotion.intensity}" for emotion in world.emotions)


def _facts(world: InnerWorld) -> tuple[str, ...]:
    return tuple(item.fact for item in world.disclosed)


def _gist(world: InnerWorld) -> str:
    return world.thought.gist if world.thought else ""
