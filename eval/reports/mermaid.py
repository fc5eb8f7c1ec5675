"""A graph as Mermaid text, which GitHub and most documentation tools draw."""

from langgraph.constants import END, START

from emoharbor.eval.reports.drawing import DOES, Drawing, Seat

_NAMES = {START: "start", END: "stop"}


def mermaid(drawing: Drawing) -> str:
    """Return the Mermaid flowchart."""
    lines = [
        "flowchart LR",
        '    start(["start"])',
        '    subgraph person["the simulated person: one shared inner world"]',
    ]
    lines += ["        direction LR", *(f"        {_box(seat)}" for seat in drawing.person), "    end"]
    lines += [f"    {_box(seat)}" for seat in drawing.others]
    lines.append('    stop(["end"])')
    for arrow in drawing.arrows:
        label = f'|"{arrow.label}"|' if arrow.label else ""
        lines.append(
            f"    {_NAMES.get(arrow.source, arrow.source)} -->{label} {_NAMES.get(arrow.target, arrow.target)}"
        )
    return "\n".join(lines) + "\n"


def _box(seat: Seat) -> str:
    names = "<br/>".join(_safe(name) for name in seat.played_by)
    return f'{seat.role}["<b>{seat.role}</b><br/>{DOES[seat.role]}<br/><i>{names}</i>"]'


def _safe(name: str) -> str:
    """Write what could close the label or start HTML as entity codes."""
    codes = {'"': "#quot;", "<": "#lt;", ">": "#gt;", "#": "#35;", "`": "#96;"}
    return "".join(codes.get(char, char) for char in name if char.isprintable())
