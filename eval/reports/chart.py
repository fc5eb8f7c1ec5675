"""Distress and trust over the turns, as a small chart."""

from collections.abc import Sequence

from rich.text import Text

from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.reports.glyphs import DISTRESS, TRUST, Glyphs
from emoharbor.state.inner_world import InnerWorld

_ROWS = range(10, -1, -1)
_NAMED = 5
"""Every so many rows, the row says its level."""
_NARROW, _WIDE = 3, 4


def chart(record: EpisodeRecord, glyphs: Glyphs, width: int) -> Text | None:
    """Return the chart, or None when there is no inner world to draw (the chain `[speak]`)."""
    worlds = [turn.inner_world for turn in record.turns if turn.inner_world is not None]
    if not worlds:
        return None
    cell = _WIDE if 6 + _WIDE * len(worlds) <= width else _NARROW
    upright, flat, corner = glyphs.axis
    lines = [_row(row, worlds, glyphs, cell, upright) for row in _ROWS]
    lines.append(Text(f"    {corner}{flat * (cell * len(worlds))}", "dim"))
    lines.append(Text("turn  " + "".join(f"{world.turn:>{cell - 1}} " for world in worlds).rstrip(), "dim"))
    if any(item for world in worlds for item in world.disclosed):
        lines.append(_told(worlds, glyphs, cell))
    lines.append(_legend(worlds, glyphs))
    return Text("\n", no_wrap=True).join(lines)


def _row(row: int, worlds: Sequence[InnerWorld], glyphs: Glyphs, cell: int, upright: str) -> Text:
    name = f"{row:>3}" if row % _NAMED == 0 else "   "
    line = Text.assemble((f"{name} {upright} ", "dim"))
    for world in worlds:
        distressed, trusting = _nearest(world.distress) == row, _nearest(world.trust) == row
        mark, style = " ", ""
        if distressed and trusting:
            mark, style = glyphs.both, "bold"
        elif distressed:
            mark, style = glyphs.distress, DISTRESS
        elif trusting:
            mark, style = glyphs.trust, TRUST
        line.append(" " * (cell - 2)).append(mark, style).append(" ")
    return line


def _nearest(value: float) -> int:
    return min(_ROWS, key=lambda row: abs(row - value))


def _told(worlds: Sequence[InnerWorld], glyphs: Glyphs, cell: int) -> Text:
    told = {item.turn for world in worlds for item in world.disclosed}
    marks = "".join(f"{glyphs.told if world.turn in told else '':>{cell - 1}} " for world in worlds)
    return Text.assemble(("told  ", "dim"), (marks.rstrip(), "yellow"))


def _legend(worlds: Sequence[InnerWorld], glyphs: Glyphs) -> Text:
    first, last = worlds[0], worlds[-1]
    return Text.assemble(
        (f"      {glyphs.distress} distress ", DISTRESS), f"{first.distress:.1f} {glyphs.arrow} {last.distress:.1f}   ",
        (f"{glyphs.trust} trust ", TRUST), f"{first.trust:.1f} {glyphs.arrow} {last.trust:.1f}   ",
        (f"{glyphs.both} both", ""),
    )  # fmt: skip
