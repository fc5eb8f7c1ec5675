"""Two runs side by side: paired figures, and where each pair of episodes first parts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from emoharbor.eval.reports.inert import inert, one_line
from emoharbor.eval.reports.trace import short
from emoharbor.eval.statistics.paired import WORLD, Pair, PairedFigure, paired_figures
from emoharbor.eval.traces.parting import Parting, first_parting

_NAMES = {
    "state": "the inner world", "thought": "the thought", "words": "what the person said",
    "answer": "what the supporter said", "outcome": "how it ended",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sides:
    """What the two runs are called."""

    first: str
    second: str


def diff_page(pairs: Sequence[Pair], sides: Sides, differences: Sequence[str]) -> RenderableType:
    """Return the page.

    Args:
        pairs: the episodes that both have.
        sides: the names of the runs.
        differences: what differs between the two configs, one line each.
    """
    return Group(*_parts(pairs, sides, differences))


def _parts(pairs: Sequence[Pair], sides: Sides, differences: Sequence[str]) -> Iterator[RenderableType]:
    yield Text.assemble(("A  ", "bold"), one_line(sides.first), ("\nB  ", "bold"), one_line(sides.second))
    for line in differences:
        yield one_line(f"   {line}", "yellow")
    if not pairs:
        yield Text("The two runs have no episode in common.", "dim")
        return
    yield figures_table(paired_figures(pairs))
    yield Text(
        "n pairs in which both runs have the figure; means over people, a person's pairs averaged first; B - A with "
        "its bootstrap interval over people (10,000 resamples, seed 0) and the p of a sign-flip test, Holm-corrected; "
        "in how many pairs B is higher and lower. The last three are simulator-reported: read from the episode, not "
        "rated. Two supporters of one run: emoharbor compare.",
        "dim",
    )
    yield Padding(
        Text.assemble(("ended  ", "dim"), _ends(pairs, 0), ("   A\n       ", "dim"), _ends(pairs, 1), ("   B", "dim")),
        (1, 0),
    )
    partings = [(pair, first_parting(*pair)) for pair in pairs]
    yield _summary([parting for _, parting in partings])
    for pair, parting in partings:
        yield _parting(pair, parting)


def figures_table(figures: Sequence[PairedFigure]) -> Table:
    """Return the table of paired figures."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for head in ("n", "A", "B", "B - A", "95 %", "p", "higher", "lower"):
        table.add_column(head, justify="right", no_wrap=True)
    for figure in figures:
        bold = "bold" if figure.difference else ""
        table.add_row(
            one_line(figure.name, "dim" if figure.name in (*WORLD, "turns") else ""), str(figure.n),
            _number(figure.first), _number(figure.second), Text(_number(figure.difference, "+.2f"), bold),
            _interval(figure.difference_ci), _chance(figure.p_holm), str(figure.higher), str(figure.lower),
        )  # fmt: skip
    return table


def _number(value: float | None, form: str = ".2f") -> str:
    return "" if value is None else format(value, form)


def _interval(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"[{ends[0]:+.2f}, {ends[1]:+.2f}]"


def _chance(p: float | None) -> str:
    return "" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def _ends(pairs: Sequence[Pair], side: int) -> str:
    counts = Counter(str(pair[side].outcome or "not finished") for pair in pairs)
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


def _summary(partings: Sequence[Parting | None]) -> Text:
    counts = Counter(parting.what for parting in partings if parting is not None)
    same = sum(parting is None for parting in partings)
    parts = [f"{count} first in {_NAMES[what]}" for what, count in counts.most_common()]
    return Text(f"{len(partings)} pairs: " + ", ".join([*parts, *([f"{same} the same"] if same else [])]), "bold")


def _parting(pair: Pair, parting: Parting | None) -> RenderableType:
    head = one_line(pair[0].episode, "bold")
    if parting is None:
        return head.append("  the same to the end", "dim")
    head.append(f"  parts at turn {parting.turn} in ").append(_NAMES[parting.what], "bold cyan")
    if parting.also:
        head.append(f"; there also {', '.join(_NAMES[what] for what in parting.also)}", "dim")
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(min_width=12, overflow="fold")
    grid.add_column(width=1)
    grid.add_column(overflow="fold")
    for change in parting.differences:
        name = one_line(change.path.removeprefix("/"), "yellow")
        grid.add_row(name, Text("A", "dim"), _value(change.old))
        grid.add_row("", Text("B", "dim"), _value(change.new))
    return Group(head, Padding(grid, (0, 0, 1, 2)))


def _value(value: Any) -> Text:
    if value is None:
        return Text("nothing", "dim")
    return inert(value) if isinstance(value, str) else one_line(short(value))


def diff_data(pairs: Sequence[Pair], sides: Sides, differences: Sequence[str]) -> dict[str, Any]:
    """Return the same as data."""
    found = [(pair, first_parting(*pair)) for pair in pairs]
    return {
        "first": sides.first, "second": sides.second, "differences": list(differences),
        "figures": [figure.model_dump(mode="json") for figure in paired_figures(pairs)],
        "episodes": [
            {
                "first": first.episode, "second": second.episode,
                "outcomes": [first.outcome, second.outcome],
                "parting": None if parting is None else parting.data(),
            }
            for (first, second), parting in found
        ],
    }  # fmt: skip
