"""A graph as our own SVG: hand-laid-out, no service, no fonts to load, readable on light and dark pages.

The person's seats and the supporter stand in one row, the judge below; `next turn` runs back above the row.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from langgraph.constants import END, START

from emoharbor.eval.reports.drawing import DOES, Arrow, Drawing, Seat
from emoharbor.eval.reports.inert import plain

_W, _H, _GAP = 172, 86, 46
_LEFT, _ROW, _BELOW = 96, 92, 262
_RADIUS, _APART = 15, 20
_CHARS = 24
"""Characters of a name that fit a box."""
_LISTED = 3
"""Names of supporters listed in their box."""

_STYLE = """
    text { font-family: ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2933 }
    .role { font-size: 17px; font-weight: 600 } .does { font-size: 12.5px; fill: #52606d }
    .by { font-size: 11.5px; fill: #7b8794; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
    .label { font-size: 12.5px; fill: #52606d } .frame { fill: #f0f4f8; stroke: #bcccdc; stroke-dasharray: 5 4 }
    .person { fill: #ffffff; stroke: #2f80a8 } .supporter { fill: #fffaf0; stroke: #c77d1b }
    .judge { fill: #f6f2ff; stroke: #7a5cc4 } .box { stroke-width: 1.6 }
    .caption { font-size: 12.5px; fill: #52606d; paint-order: stroke; stroke: #f0f4f8; stroke-width: 7px }
    .arrow { fill: none; stroke: #66788a; stroke-width: 1.6 } .tip, .start { fill: #66788a }
    .stop { fill: none; stroke: #66788a; stroke-width: 2 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 } .does, .label { fill: #aab7c4 } .by { fill: #8b98a5 }
      .caption { fill: #aab7c4; stroke: #1b2530 }
      .frame { fill: #1b2530; stroke: #3d4f60 } .person { fill: #0f1720; stroke: #57a9d1 }
      .supporter { fill: #211a10; stroke: #e0a04a } .judge { fill: #1b1628; stroke: #a48be0 }
      .arrow, .stop { stroke: #93a4b5 } .tip, .start { fill: #93a4b5 }
    }
""".strip("\n")


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where a node stands: its middle and half its size."""

    x: float
    y: float
    w: float
    h: float


def svg(drawing: Drawing) -> str:
    """Return the SVG document."""
    spots = _places(drawing)
    width, height = _size(spots)
    title = _title(drawing)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" role="img" aria-label="{title}">',
            f"  <title>{title}</title>",
            f"  <style>\n{_STYLE}\n  </style>",
            f"  {_MARKER}",
            *(f"  {line}" for _, line in _body(drawing, spots)),
            "</svg>",
            "",
        ]
    )


def inline_svg(drawing: Drawing) -> str:
    """Return the same to stand inside a page: the page's own styles colour it, and each part says what it is.

    Seats are `<g data-seat="feel">`, arrows `<g data-arrow="feel think">`, so that a page can light the path.
    """
    spots = _places(drawing)
    width, height = _size(spots)
    parts = [f"<g {about}>{line}</g>" if about else line for about, line in _body(drawing, spots)]
    return (
        f'<svg class="graph" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{_title(drawing)}">'
        f"{_MARKER}{''.join(parts)}</svg>"
    )


_MARKER = (
    '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
    'orient="auto-start-reverse"><path class="tip" d="M0 0 L10 5 L0 10 z"/></marker></defs>'
)


def _size(spots: dict[str, _Spot]) -> tuple[float, float]:
    width = max(spot.x + spot.w for spot in spots.values()) + 40
    return width, max(spot.y + spot.h for spot in spots.values()) + 34


def _title(drawing: Drawing) -> str:
    return "The graph of an episode: " + ", ".join(seat.role for seat in (*drawing.person, *drawing.others))


def _body(drawing: Drawing, spots: dict[str, _Spot]) -> Iterator[tuple[str, str]]:
    """Yield each part with the attribute that says what it is; empty for what is neither seat nor arrow."""
    yield "", _frame(drawing, spots)
    for arrow in drawing.arrows:
        yield f'data-arrow="{arrow.source} {arrow.target}"', _arrow(arrow, spots)
    yield "", _caption(drawing, spots)
    for seat in drawing.person:
        yield f'data-seat="{seat.role}"', _box(seat, spots[seat.role], "person")
    for seat in drawing.others:
        yield f'data-seat="{seat.role}"', _box(seat, spots[seat.role], seat.role)
    for line in _ends(spots):
        yield "", line


def _places(drawing: Drawing) -> dict[str, _Spot]:
    half_w, half_h = _W / 2, _H / 2
    y = _ROW + half_h
    spots = {START: _Spot(_LEFT - 56, y, _RADIUS, _RADIUS)}
    x = _LEFT + half_w
    for seat in drawing.person:
        spots[seat.role] = _Spot(x, y, half_w, half_h)
        x += _W + _GAP
    others = {seat.role for seat in drawing.others}
    last = spots[drawing.person[-1].role]
    if "supporter" in others:
        spots["supporter"] = _Spot(x + 48, y, half_w, half_h)
    right = spots.get("supporter", last)
    if "judge" in others:
        spots["judge"] = _Spot(last.x, _BELOW + half_h, half_w, half_h)
        crossed = any(arrow.source == "supporter" and arrow.target == "judge" for arrow in drawing.arrows)
        end_y = _BELOW + half_h + (_APART if crossed else 0)
        spots[END] = _Spot(right.x if right is not last else last.x + _W, end_y, _RADIUS, _RADIUS)
    elif any(arrow.target == END for arrow in drawing.arrows):
        spots[END] = _Spot(last.x, _BELOW, _RADIUS, _RADIUS)
    return spots


def _frame(drawing: Drawing, spots: dict[str, _Spot]) -> str:
    first, last = spots[drawing.person[0].role], spots[drawing.person[-1].role]
    x, y = first.x - first.w - 20, first.y - first.h - 18
    width, height = last.x + last.w + 20 - x, 2 * first.h + 60
    return f'<rect class="frame" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="14"/>'


def _caption(drawing: Drawing, spots: dict[str, _Spot]) -> str:
    """Write the frame's caption, over the arrows that cross it."""
    first = spots[drawing.person[0].role]
    inner = any(seat.role != "speak" for seat in drawing.person)
    wide = len(drawing.person) > 1
    says = "the simulated person: one shared inner world" if inner and wide else "the simulated person"
    return f'<text class="caption" x="{first.x - first.w:g}" y="{first.y + first.h + 28:g}">{says}</text>'


def _box(seat: Seat, spot: _Spot, kind: str) -> str:
    names = _names(seat)
    top = spot.y - (8 if len(names) == 1 else 8 + 6 * (len(names) - 1))
    texts = [f'<text class="role" x="{spot.x:g}" y="{top - 10:g}" text-anchor="middle">{seat.role}</text>']
    texts.append(f'<text class="does" x="{spot.x:g}" y="{top + 9:g}" text-anchor="middle">{DOES[seat.role]}</text>')
    for number, name in enumerate(names):
        y = top + 30 + 14 * number
        texts.append(f'<text class="by" x="{spot.x:g}" y="{y:g}" text-anchor="middle">{escape(name)}</text>')
    rect = (
        f'<rect class="box {kind}" x="{spot.x - spot.w:g}" y="{spot.y - spot.h:g}" '
        f'width="{2 * spot.w:g}" height="{2 * spot.h:g}" rx="10"/>'
    )
    return rect + "".join(texts)


def _names(seat: Seat) -> list[str]:
    """Names as they fit the box: supporters on up to two lines, long names cut in the middle."""
    names = [_short(name) for name in seat.played_by]
    if len(names) > _LISTED:
        return [", ".join(names[:2])[:_CHARS], f"and {len(names) - 2} more"]
    joined = ", ".join(names)
    return [joined] if len(joined) <= _CHARS else names[:2] if len(names) == 2 else [_short(joined)]


def _short(name: str) -> str:
    clean = " ".join(plain(name).split())
    return clean if len(clean) <= _CHARS else f"{clean[: _CHARS - 11]}…{clean[-10:]}"


def _arrow(arrow: Arrow, spots: dict[str, _Spot]) -> str:
    source, target = spots[arrow.source], spots[arrow.target]
    if arrow.label == "next turn":
        return _back(source, target, arrow.label)
    if arrow.target == "judge":
        return _down(arrow, source, target)
    if arrow.source == "judge" or source.y == target.y:
        return _line(f"M{source.x + source.w:g} {target.y:g} H{target.x - target.w - 2:g}")
    return _line(f"M{source.x:g} {source.y + source.h:g} V{target.y - target.h - 2:g}")


def _back(source: _Spot, target: _Spot, label: str) -> str:
    """Run back above the row."""
    y = _ROW - 52
    path = _line(
        f"M{source.x:g} {source.y - source.h:g} V{y + 14:g} Q{source.x:g} {y:g} {source.x - 14:g} {y:g} "
        f"H{target.x + 14:g} Q{target.x:g} {y:g} {target.x:g} {y + 14:g} V{target.y - target.h - 2:g}"
    )
    return path + _text((source.x + target.x) / 2, y - 8, label)


def _down(arrow: Arrow, source: _Spot, target: _Spot) -> str:
    """Go down to the judge: straight from the seat above it, round the corner from the others."""
    label_y = target.y - target.h - 14
    if source.x == target.x:
        path = _line(f"M{source.x:g} {source.y + source.h:g} V{target.y - target.h - 2:g}")
        return path + _text(source.x + 10, label_y, arrow.label, anchor="start")
    side = -1 if source.x < target.x else 1
    y = target.y if side < 0 else target.y - _APART
    path = _line(
        f"M{source.x:g} {source.y + source.h:g} V{y - 14:g} "
        f"Q{source.x:g} {y:g} {source.x - side * 14:g} {y:g} H{target.x + side * (target.w + 2):g}"
    )
    return path + _text(source.x + side * 10, label_y, arrow.label, anchor="end" if side < 0 else "start")


def _ends(spots: dict[str, _Spot]) -> Iterator[str]:
    start = spots[START]
    yield f'<circle class="start" cx="{start.x:g}" cy="{start.y:g}" r="{_RADIUS - 4}"/>'
    yield _text(start.x, start.y + 30, "start")
    if END in spots:
        stop = spots[END]
        yield f'<circle class="stop" cx="{stop.x:g}" cy="{stop.y:g}" r="{_RADIUS - 3}"/>'
        yield f'<circle class="start" cx="{stop.x:g}" cy="{stop.y:g}" r="{_RADIUS - 8}"/>'
        yield _text(stop.x, stop.y + 32, "end")


def _line(path: str) -> str:
    return f'<path class="arrow" marker-end="url(#tip)" d="{path}"/>'


def _text(x: float, y: float, text: str, *, anchor: str = "middle") -> str:
    """Write a label; what follows a colon goes on a second line."""
    first, _, second = text.partition(": ")
    if second:
        return _text(x, y - 15, f"{first}:", anchor=anchor) + _text(x, y, second, anchor=anchor)
    return f'<text class="label" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'
