"""The set as a figure: our own SVG, a panel of bars for each attribute, readable on light and dark pages."""

from collections.abc import Iterator, Mapping
from typing import Any
from xml.sax.saxutils import escape

from emoharbor.eval.reports.inert import plain
from emoharbor.eval.reports.words import counted

_COLUMNS, _WIDTH, _GAP = 3, 300, 28
_ROW, _HEAD, _LABEL, _BAR = 17, 34, 158, 110
_MARGIN, _TITLE = 24, 46
_SHOWN = 12
"""Values shown in a panel; the rest stand together in one bar."""
_CHARS = 23
_STYLE = """
    text { font: 11.5px ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2933 }
    .title { font-size: 17px; font-weight: 600 } .head { font-size: 12.5px; font-weight: 600 }
    .bar { fill: #2f80a8 } .rest { fill: #9fb3c8 } .count { fill: #52606d }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 } .bar { fill: #57a9d1 } .rest { fill: #3d4f60 } .count { fill: #aab7c4 }
    }
""".strip("\n")


def people_figure(stats: Mapping[str, Any]) -> str:
    """Return the SVG document of what `people_stats` returns."""
    panels = [(name, _shortened(values)) for name, values in stats["counts"].items()]
    heights = [_TITLE] * _COLUMNS
    body: list[str] = []
    for name, values in panels:
        column = heights.index(min(heights))
        x = _MARGIN + column * (_WIDTH + _GAP)
        body += _panel(name, values, x, heights[column] + _HEAD / 2)
        heights[column] += _HEAD + _ROW * len(values) + 8
    width, height = 2 * _MARGIN + _COLUMNS * _WIDTH + (_COLUMNS - 1) * _GAP, max(heights) + _MARGIN
    title = f"{counted(stats['people'], 'person', 'people')}: how often each value occurs"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img" aria-label="{title}">',
            f"  <title>{title}</title>",
            f"  <style>\n{_STYLE}\n  </style>",
            f'  <text class="title" x="{_MARGIN}" y="32">{title}</text>',
            *(f"  {line}" for line in body),
            "</svg>",
            "",
        ]
    )


def _panel(name: str, values: Mapping[str, int], x: float, y: float) -> Iterator[str]:
    yield f'<text class="head" x="{x:g}" y="{y:g}">{_text(name)}</text>'
    longest = max(values.values(), default=1)
    for at, (value, count) in enumerate(values.items()):
        top = y + 8 + at * _ROW
        kind = "rest" if value.endswith(" others") else "bar"
        width = max(1.0, _BAR * count / longest)
        yield (
            f'<text x="{x + _LABEL - 8:g}" y="{top + 11:g}" text-anchor="end">{_text(value)}</text>'
            f'<rect class="{kind}" x="{x + _LABEL:g}" y="{top + 2:g}" width="{width:.1f}" height="11" rx="2"/>'
            f'<text class="count" x="{x + _LABEL + width + 5:.1f}" y="{top + 11:g}">{count}</text>'
        )


def _shortened(values: Mapping[str, int]) -> dict[str, int]:
    shown = dict(list(values.items())[:_SHOWN])
    rest = list(values.values())[_SHOWN:]
    return {**shown, f"{len(rest)} others": sum(rest)} if rest else shown


def _text(found: str) -> str:
    line = " ".join(plain(found).split())
    return escape(line if len(line) <= _CHARS else f"{line[: _CHARS - 1]}…")
