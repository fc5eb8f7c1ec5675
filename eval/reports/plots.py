"""Charts as SVG for a page that stands by itself: no script, no fonts; the page's style sheet colours them.

Plotly's script is 4.5 MB and needs to run; these two charts are a few kilobytes, print well, and are there without it.
"""

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.reports.inert import plain
from emoharbor.eval.statistics.rows import Leaderboard, SupporterRow
from emoharbor.state.inner_world import InnerWorld

_ROW, _NAMES, _WIDE = 30, 190, 560
_LONGEST = 26
"""Characters of a name that fit beside the chart."""
_TALL, _STEP = 150, 44
_TOP = 10.0


def intervals(board: Leaderboard) -> str | None:
    """Return each supporter's overall score with its interval, on 0 to 100; None while nobody has one."""
    rows = [row for row in board.supporters if row.overall is not None]
    if not rows:
        return None
    height = _ROW * len(rows) + 34
    label = "Overall score of each supporter, 0 to 100: " + ", ".join(f"{row.name} {row.overall:.1f}" for row in rows)
    body = [*_grid(len(rows)), *(item for place, row in enumerate(rows) for item in _interval(place, row))]
    return _svg(_NAMES + _WIDE + 70, height, label, body)


def _grid(rows: int) -> Iterator[str]:
    bottom = _ROW * rows + 8
    for value in range(0, 101, 20):
        x = _across(value)
        yield f'<line class="grid" x1="{x:g}" y1="4" x2="{x:g}" y2="{bottom}"/>'
        yield f'<text class="tick" x="{x:g}" y="{bottom + 17}" text-anchor="middle">{value}</text>'


def _interval(place: int, row: SupporterRow) -> Iterator[str]:
    y = _ROW * place + 20
    mean = row.overall or 0.0
    yield f'<text class="name" x="{_NAMES - 14}" y="{y + 4}" text-anchor="end">{_name(row.name)}</text>'
    if row.overall_ci:
        low, high = (_across(value) for value in row.overall_ci)
        yield f'<line class="interval" x1="{low:.1f}" y1="{y}" x2="{high:.1f}" y2="{y}"/>'
    yield f'<circle class="mean" cx="{_across(mean):.1f}" cy="{y}" r="5"/>'
    yield f'<text class="value" x="{_NAMES + _WIDE + 14}" y="{y + 4}">{mean:.1f}</text>'


def _across(value: float) -> float:
    return _NAMES + _WIDE * value / 100


def trajectory(record: EpisodeRecord) -> str | None:
    """Return distress and trust over the turns; None where there is no inner world."""
    worlds = [turn.inner_world for turn in record.turns if turn.inner_world is not None]
    if not worlds:
        return None
    step = min(_STEP, 640 / max(1, len(worlds) - 1))
    points = [(44 + step * place, world) for place, world in enumerate(worlds)]
    right = points[-1][0]
    first, last = worlds[0], worlds[-1]
    label = (
        f"Distress from {first.distress:.1f} to {last.distress:.1f} and trust from {first.trust:.1f} to "
        f"{last.trust:.1f} over {len(worlds)} turns"
    )
    body = [*_scale(points), *_curve("distress", points), *_curve("trust", points), *_told(points)]
    return _svg(right + 110, _TALL + 50, label, body)


def _scale(points: Sequence[tuple[float, InnerWorld]]) -> Iterator[str]:
    right = points[-1][0]
    for value in (0, 5, 10):
        y = _up(value)
        yield f'<line class="grid" x1="36" y1="{y:g}" x2="{right + 8:g}" y2="{y:g}"/>'
        yield f'<text class="tick" x="26" y="{y + 4:g}" text-anchor="end">{value}</text>'
    every = 1 if len(points) <= 20 else 5
    for x, world in points:
        if world.turn % every == 0:
            yield f'<text class="tick" x="{x:g}" y="{_TALL + 40}" text-anchor="middle">{world.turn}</text>'


def _curve(field: str, points: Sequence[tuple[float, InnerWorld]]) -> Iterator[str]:
    places = [(x, _up(getattr(world, field)), getattr(world, field), world.turn) for x, world in points]
    line = " ".join(f"{x:g},{y:.1f}" for x, y, _, _ in places)
    yield f'<polyline class="line {field}" points="{line}"/>'
    for x, y, value, turn in places:
        said = f"<title>{field} {value:.1f} at turn {turn}</title>"
        yield f'<circle class="dot {field}" cx="{x:g}" cy="{y:.1f}" r="3.5">{said}</circle>'
    x, y, value, _ = places[-1]
    yield f'<text class="end {field}" x="{x + 14:g}" y="{y + 4:.1f}">{field} {value:.1f}</text>'


def _told(points: Sequence[tuple[float, InnerWorld]]) -> Iterator[str]:
    """Mark the turns in which something that was held back was told."""
    told = {item.turn for _, world in points for item in world.disclosed}
    for x, world in points:
        if world.turn in told:
            yield f'<path class="told" d="M{x:g} 6 l5 6 l-5 6 l-5 -6 z"><title>told something held back</title></path>'


def _up(value: float) -> float:
    return 20 + _TALL * (1 - value / _TOP)


def _name(name: str) -> str:
    shown = " ".join(plain(name).split())
    return escape(shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 10]}…{shown[-9:]}")


def _svg(width: float, height: float, label: str, body: Sequence[str]) -> str:
    said = quoteattr(" ".join(plain(label).split()))
    return (
        f'<svg class="plot" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" role="img" '
        f"aria-label={said}>{''.join(body)}</svg>"
    )
