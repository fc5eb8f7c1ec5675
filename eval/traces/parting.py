"""Where two episodes first part: the first turn, and in it the first of state, thought, words and answer."""

from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Literal

from emoharbor.eval.record import EpisodeRecord, TurnRecord
from emoharbor.eval.traces.patch import Change, changes

What = Literal["state", "thought", "words", "answer", "outcome"]
"""What differs: the inner world without its thought, the thought, the person's message, the supporter's, the end."""
_NO_TURN = TurnRecord(user=None, supporter=None, inner_world=None)


@dataclass(frozen=True, slots=True)
class Parting:
    """The first difference between two episodes.

    Attributes:
        turn: where.
        what: what differs there first.
        differences: the fields that differ, from the first episode to the second.
        also: what else differs in that turn.
    """

    turn: int
    what: What
    differences: tuple[Change, ...]
    also: tuple[What, ...]

    def data(self) -> dict[str, Any]:
        """Return it as data."""
        return {
            "turn": self.turn, "what": self.what, "also": list(self.also),
            "differences": [
                {"path": change.path, "first": change.old, "second": change.new} for change in self.differences
            ],
        }  # fmt: skip


def first_parting(one: EpisodeRecord, other: EpisodeRecord) -> Parting | None:
    """Return where two episodes part; None when they do not."""
    for index, (a, b) in enumerate(zip_longest(one.turns, other.turns, fillvalue=_NO_TURN)):
        if a != b:
            return _parting(index, a, b)
    if one.outcome == other.outcome:
        return None
    end = changes({"outcome": one.outcome and one.outcome.value}, {"outcome": other.outcome and other.outcome.value})
    return Parting(max(len(one.turns) - 1, 0), "outcome", end, ())


def _parting(turn: int, a: TurnRecord, b: TurnRecord) -> Parting:
    found = {what: found for what in _VIEWS if (found := changes(_view(what, a), _view(what, b)))}
    what, *rest = found
    return Parting(turn, what, found[what], tuple(rest))


_VIEWS: tuple[What, ...] = ("state", "thought", "words", "answer")


def _view(what: What, turn: TurnRecord) -> dict[str, Any]:
    if what == "words":
        return {"words": turn.user}
    if what == "answer":
        return {"answer": turn.supporter}
    world = turn.inner_world.model_dump(mode="json") if turn.inner_world else {}
    thought = world.pop("thought", None) or {}
    return thought if what == "thought" else world
