"""Charts as plain data that `static/charts.js` gives to Plotly.

Colours are left to the page's theme, and the only text under test in them is names. A table with the same figures
stands behind each.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.statistics.leaderboard import Leaderboard

Figure = Mapping[str, Any]
_DASHES = ("solid", "dot")


def trajectory(records: Sequence[EpisodeRecord], names: Sequence[str] = ("",)) -> Figure | None:
    """Return distress and trust over the turns, of one episode or of two; None where nothing was felt.

    Args:
        records: one episode, or two to lay over each other.
        names: of each, for the legend; empty for a single one.
    """
    lines = [
        line for record, name, dash in zip(records, names, _DASHES, strict=False) for line in _lines(record, name, dash)
    ]
    told = [_told(record) for record in records[:1]] if lines else []
    if not lines:
        return None
    last = max(line["x"][-1] for line in lines)
    return {
        "kind": "trajectory",
        "traces": [*lines, *(item for item in told if item["x"])],
        "x": {"title": "turn", "range": [-0.3, last + 0.3], "dtick": 1 if last <= 16 else 5},
        "y": {"range": [-0.4, 10.4], "dtick": 5},
        "events": [{"turn": turn, "text": text} for turn, text in _events(records[0])] if len(records) == 1 else [],
    }


def _lines(record: EpisodeRecord, name: str, dash: str) -> Iterable[dict[str, Any]]:
    worlds = [turn.inner_world for turn in record.turns if turn.inner_world is not None]
    if not worlds:
        return
    turns = [world.turn for world in worlds]
    behind = f" · {name}" if name else ""
    for role in ("distress", "trust"):
        values = [round(getattr(world, role), 2) for world in worlds]
        yield {"x": turns, "y": values, "name": role + behind, "role": role, "dash": dash, "mode": "lines+markers"}


def _told(record: EpisodeRecord) -> dict[str, Any]:
    """Mark the turns in which something held back was told, on the line of trust."""
    trust = {turn.inner_world.turn: turn.inner_world.trust for turn in record.turns if turn.inner_world is not None}
    last = next((turn.inner_world for turn in reversed(record.turns) if turn.inner_world is not None), None)
    turns = sorted({item.turn for item in last.disclosed} & trust.keys()) if last else []
    values = [round(trust[turn], 2) for turn in turns]
    return {"x": turns, "y": values, "name": "told", "role": "told", "dash": "solid", "mode": "markers"}


def _events(record: EpisodeRecord) -> Iterable[tuple[int, str]]:
    for event in getattr(record, "events", ()):
        yield event.turn, f"{event.kind}: {event.text}"


def intervals(board: Leaderboard) -> Figure | None:
    """Return each supporter's overall score with its interval; None while nobody has one."""
    rows = [row for row in reversed(board.supporters) if row.overall is not None]
    if not rows:
        return None
    values = [round(row.overall, 2) for row in rows if row.overall is not None]
    ends = [row.overall_ci or (value, value) for row, value in zip(rows, values, strict=True)]
    return {
        "kind": "intervals",
        "names": [row.name for row in rows],
        "values": values,
        "low": [round(low, 2) for low, _ in ends],
        "high": [round(high, 2) for _, high in ends],
        "known": [row.overall_ci is not None for row in rows],
    }
