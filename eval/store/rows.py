"""From a state to the rows of its turns, and back: pure functions, inverse to each other.

A role's shifts and faults carry the turn they arose in and only ever grow, so a turn's row holds those of its turn.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage
from pydantic import TypeAdapter

from emoharbor.eval.secrets import hide_secrets
from emoharbor.state.base import Role
from emoharbor.state.dialogue import supporter_message, user_message
from emoharbor.state.episode import Channels, EpisodeState, Fault, keep_by_turn
from emoharbor.state.inner_world import InnerWorld
from emoharbor.state.outcome import Outcome
from emoharbor.state.shift import Shift
from emoharbor.state.verdict import Judgement

Row = Mapping[str, Any]
"""A row of `turns`: turn, user, supporter, inner, shifts, faults."""

_SHIFTS = TypeAdapter(tuple[Shift, ...])
_FAULTS = TypeAdapter(tuple[Fault, ...])


def turn_rows(state: Channels, first: int) -> list[dict[str, Any]]:
    """Return the rows of the turns from `first` on; a turn in which nothing happened has none."""
    spoken = _spoken(state["messages"])
    worlds = {world.turn: world for world in state["worlds"]}
    shifts = [shift for shift in state["shifts"] if shift.turn >= first]
    faults = [fault for fault in state["faults"] if fault.turn >= first]
    # recorded words alone bring no inner world: the one the state began with is nobody's
    felt = bool(state["shifts"]) or not state.get("recorded")
    rows = []
    for turn in range(first, state["turn"] + 1):
        user, supporter = spoken.get((turn, "u")), spoken.get((turn, "a"))
        # the chain [speak] never moves the turn of its inner world; what it is now belongs to the newest turn
        inner = worlds.get(turn, state["inner"] if user is not None and felt else None)
        row = {
            "turn": turn,
            "user": user,
            "supporter": supporter,
            "inner": inner.model_dump_json() if inner else None,
            "shifts": _SHIFTS.dump_json(tuple(item for item in shifts if item.turn == turn)).decode(),
            "faults": hide_secrets(_FAULTS.dump_json(tuple(item for item in faults if item.turn == turn)).decode()),
        }
        if any(value not in (None, "[]") for name, value in row.items() if name != "turn"):
            rows.append(row)
    return rows


def finished_turns(rows: Sequence[Row]) -> int:
    """Return how many turns are finished: those that were answered."""
    return sum(row["supporter"] is not None for row in rows)


def at_turn(start: EpisodeState, rows: Sequence[Row], turn: int) -> EpisodeState:
    """Return the state at the start of a turn: before the first node for 0, else after the supporter's answer."""
    if turn == 0:
        return start
    return _joined(start, rows[:turn], turn=turn, last="supporter")


def at_end(  # noqa: PLR0913 - the columns of an episode, all keyword-only
    start: EpisodeState,
    rows: Sequence[Row],
    *,
    turn: int,
    last: Role | None,
    outcome: str | None,
    reason: str,
    verdict: Judgement | None,
) -> EpisodeState:
    """Return the last saved state."""
    state = _joined(start, rows, turn=turn, last=last)
    end = Outcome(outcome) if outcome else None
    return state.model_copy(update={"outcome": end, "outcome_reason": reason, "verdict": verdict})


def _joined(start: EpisodeState, rows: Sequence[Row], *, turn: int, last: Role | None) -> EpisodeState:
    messages: list[AnyMessage] = []
    worlds: tuple[InnerWorld, ...] = ()
    shifts: list[Shift] = []
    faults: list[Fault] = []
    inner = start.inner
    for row in rows:
        if row["user"] is not None:
            messages.append(user_message(row["turn"], row["user"]))
        if row["supporter"] is not None:
            messages.append(supporter_message(row["turn"], row["supporter"]))
        if row["inner"] is not None:
            inner = InnerWorld.model_validate_json(row["inner"])
            worlds = keep_by_turn(worlds, (inner,))
        shifts += _SHIFTS.validate_json(row["shifts"])
        faults += _FAULTS.validate_json(row["faults"])
    changes = {
        "turn": turn, "last": last, "messages": messages, "inner": inner, "worlds": worlds, "shifts": tuple(shifts),
        "faults": tuple(faults),
    }  # fmt: skip
    # the parts are validated one by one above
    return start.model_copy(update=changes)


def _spoken(messages: Sequence[AnyMessage]) -> dict[tuple[int, str], str]:
    found: dict[tuple[int, str], str] = {}
    turn = -1
    for message in messages:
        if isinstance(message, HumanMessage):
            turn += 1
            found[turn, "u"] = message.text
        else:
            found[turn, "a"] = message.text
    return found
