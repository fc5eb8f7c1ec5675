"""A graph as plain lines of text."""

from langgraph.constants import END, START

from emoharbor.eval.reports.drawing import DOES, Drawing
from emoharbor.eval.reports.inert import plain

_NAMES = {START: "START", END: "END"}


def flow(drawing: Drawing, arrow: str = "→") -> str:
    """Return the seats, who plays them, and each arrow on its own line."""
    seats = (*drawing.person, *drawing.others)
    width = max(len(seat.role) for seat in seats)
    does = max(len(DOES[seat.role]) for seat in seats)
    lines = [f"{seat.role:<{width}}  {DOES[seat.role]:<{does}}  {plain(', '.join(seat.played_by))}" for seat in seats]
    lines.append("")
    for item in drawing.arrows:
        source, target = _NAMES.get(item.source, item.source), _NAMES.get(item.target, item.target)
        line = f"{source:<{width}} {arrow} {target:<{width}}  {item.label}"
        lines.append(line.rstrip())
    return "\n".join(lines) + "\n"
