"""Two supporters side by side, as tables."""

import shlex
from collections.abc import Iterator

from emoharbor.eval.reports.leaderboard import TREATMENTS
from emoharbor.eval.reports.tables import Cell, Column, Page, Ranged, Sheet
from emoharbor.eval.reports.words import counted
from emoharbor.eval.statistics.compare import Comparison, Difference


def compare_page(found: Comparison, run: str) -> Page:
    """Return the comparison as tables.

    Args:
        found: the comparison.
        run: the run folder, for the commands that show the people to look at.
    """
    sheets = [_figures(found)]
    if found.disagreements:
        sheets.append(_disagreements(found, run))
    return Page(f"{found.second} against {found.first}", tuple(sheets), tuple(_notes(found)))


def _figures(found: Comparison) -> Sheet:
    columns = (
        Column("figure", "left"), Column("n"), Column("A", digits=2), Column("B", digits=2),
        Column("B - A", digits=2, signed=True), Column("p", digits=3, chance=True),
        Column("Holm", digits=3, chance=True),
        Column("Wilcoxon", digits=3, chance=True), Column("dz", digits=2, signed=True), Column("win/tie/loss", "left"),
        Column("smallest", digits=2),
    )  # fmt: skip
    rows = tuple(_row(item) for item in found.figures if item.n or item.family == "means")
    return Sheet(f"A {found.first}, B {found.second}", columns, rows, tuple(_reading(found)))


def _row(item: Difference) -> tuple[Cell, ...]:
    return (
        item.figure, item.n, item.first, item.second, Ranged(item.difference, *(item.difference_ci or (None, None))),
        item.p, item.p_holm, item.wilcoxon, item.dz, f"{item.wins}/{item.ties}/{item.losses}" if item.n else None,
        item.smallest,
    )  # fmt: skip


def _reading(found: Comparison) -> Iterator[str]:
    yield (
        f"Paired by person: {counted(found.people_both, 'person', 'people')} with a score for both ({found.first} has "
        f"{found.people_first}, {found.second} {found.people_second}); n is the people behind each line."
    )
    yield (
        "p: sign-flip permutation test, two-sided. Holm: p corrected within the means and within the dimensions. dz: "
        "mean difference over the standard deviation of the differences. win/tie/loss: people for whom B is higher, "
        "equal, lower. smallest: the true difference that so many people would show in four tries of five."
    )


def _disagreements(found: Comparison, run: str) -> Sheet:
    columns = (
        Column("person", "left"), Column("A", digits=1), Column("B", digits=1),
        Column("B - A", digits=1, signed=True), Column("to look at", "left"),
    )  # fmt: skip
    rows = tuple(
        (
            item.profile, item.first, item.second, item.difference,
            f"emoharbor show {shlex.quote(run)} {shlex.quote(f'{item.profile}/{found.second}')}",
        )
        for item in found.disagreements
    )  # fmt: skip
    return Sheet("People on whom the two differ most, overall", columns, rows)


def _notes(found: Comparison) -> Iterator[str]:
    overall = next(item for item in found.figures if item.figure == "overall")
    yield _verdict(found, overall)
    if found.wanted is not None:
        yield (
            f"To show a true difference of {found.wanted:g} in overall in four tries of five, {overall.needed} people "
            "are needed."
            if overall.needed is not None
            else f"How many people a difference of {found.wanted:g} needs cannot be said from so few."
        )
    yield f"`--failures {found.failures}`: {TREATMENTS[found.failures]}."
    yield found.how.intervals()
    yield found.how.flips()
    yield from found.notes


def _verdict(found: Comparison, overall: Difference) -> str:
    if overall.difference is None:
        return f"No person has a score from both {found.first} and {found.second}."
    if overall.p is not None and overall.p < found.how.alpha:
        better, worse = (found.second, found.first) if overall.difference > 0 else (found.first, found.second)
        return f"{better} is above {worse} overall, by {abs(overall.difference):.1f} of 100 (p {_p(overall.p)})."
    least = "" if overall.smallest is None else f"; a true difference of {overall.smallest:.1f} would likely have shown"
    return f"{found.first} and {found.second} cannot be told apart overall (p {_p(overall.p)}){least}."


def _p(value: float | None) -> str:
    if value is None:
        return "not known"
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"
