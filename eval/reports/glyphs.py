"""The marks that reports draw with, in two sets: for terminals that show Unicode and for those that show ASCII only."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

TOP = 10.0
"""The top of the scale of distress and trust."""
DISTRESS, TRUST = "magenta", "cyan"
"""Their colours, the same in every picture."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One set of marks, each one cell wide.

    Attributes:
        full: filled part of a bar.
        empty: the rest of a bar.
        distress: a point of the distress curve.
        trust: a point of the trust curve.
        both: a point where the two curves meet.
        axis: the upright and the level line of a chart, and their corner.
        told: marks a guarded fact that was told.
        steps: rising heights of a sparkline.
        quote: opening and closing quotation mark.
        dash: stands where there is no value.
        arrow: from one value to the next.
    """

    full: str
    empty: str
    distress: str
    trust: str
    both: str
    axis: tuple[str, str, str]
    told: str
    steps: str
    quote: tuple[str, str]
    dash: str
    arrow: str


FANCY = Glyphs("━", "─", "●", "○", "◉", ("┤", "─", "└"), "◆", "▁▂▃▄▅▆▇█", ("“", "”"), "·", "→")
ASCII = Glyphs("#", ".", "D", "T", "*", ("|", "-", "+"), "*", ".:-=+*#@", ('"', '"'), "-", "->")


def glyphs_for(console: Console) -> Glyphs:
    """Return the marks that a console can show."""
    return ASCII if console.options.ascii_only else FANCY


def bar(value: float, glyphs: Glyphs, *, top: float = TOP, width: int = 10, style: str = "") -> Text:
    """Return a level from 0 to `top` as a bar."""
    filled = max(0, min(width, round(width * value / top)))
    return Text.assemble((glyphs.full * filled, style), (glyphs.empty * (width - filled), "dim"))


def level(name: str, value: float, glyphs: Glyphs, style: str) -> Text:
    """Return a named level with its bar and number: `distress ━━━━━━━─── 7.0`."""
    return Text.assemble((f"{name} ", "dim"), bar(value, glyphs, style=style), (f" {value:.1f}", ""))


def sparkline(values: Sequence[float], glyphs: Glyphs, *, top: float = TOP) -> str:
    """Return values from 0 to `top` as one row of heights."""
    last = len(glyphs.steps) - 1
    return "".join(glyphs.steps[round(last * max(0.0, min(1.0, value / top)))] for value in values)


def score_style(score: float, low: float, high: float) -> str:
    """Return the colour of a score: the lowest two fifths red, the middle yellow, the top green."""
    part = (score - low) / (high - low)
    return "red" if part < 0.4 else "yellow" if part < 0.7 else "green"
