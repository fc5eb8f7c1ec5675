"""The leaderboard as a table: general beside tailored, and every denominator."""

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from emoharbor.eval.reports.glyphs import Glyphs
from emoharbor.eval.reports.inert import one_line
from emoharbor.eval.statistics.leaderboard import Leaderboard
from emoharbor.state.outcome import Outcome

_FAILURES = {
    "lowest": "a supporter that failed a person counts as the lowest score on every dimension",
    "exclude": "episodes in which the supporter failed are left out",
}


def leaderboard_table(board: Leaderboard, glyphs: Glyphs) -> RenderableType:
    """Return the table of means, the dimensions, the denominators, and how to read it."""
    parts: list[RenderableType] = [_means(board, glyphs)]
    if any(row.dimensions for row in board.supporters):
        parts.append(_dimensions(board, glyphs))
    parts += [_counts(board), _outcomes(board)]
    parts += [Text(line) for line in _notes(board)]
    return Group(*parts)


def _means(board: Leaderboard, glyphs: Glyphs) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("rank", justify="right")
    table.add_column("supporter", overflow="fold")
    for head in ("n", "overall", "general", "tailored", "gap"):
        table.add_column(head, justify="right")
    for row in board.supporters:
        rank = glyphs.dash if row.rank is None else f"{row.rank}{'*' if row.rank_changes else ''}"
        table.add_row(
            rank, one_line(row.name, "bold"), str(row.n), _number(row.overall, glyphs, 1), _number(row.general, glyphs),
            _number(row.tailored, glyphs), _number(row.gap, glyphs, signed=True),
        )  # fmt: skip
    return table


def _dimensions(board: Leaderboard, glyphs: Glyphs) -> Table:
    """One line a dimension, one column a supporter: ten names do not fit side by side."""
    names = list(dict.fromkeys(name for row in board.supporters for name in row.dimensions))
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("dimension", overflow="fold")
    for row in board.supporters:
        table.add_column(one_line(row.name), justify="right", overflow="fold")
    for name in names:
        table.add_row(one_line(name), *(_number(row.dimensions.get(name), glyphs) for row in board.supporters))
    return table


def _counts(board: Leaderboard) -> Table:
    heads = ("planned", "scored", "failed", "invalid", "unfinished", "unscored")
    table = _table("episodes", heads)
    for row in board.supporters:
        table.add_row(one_line(row.name), *(str(getattr(row.counts, head)) for head in heads))
    return table


def _outcomes(board: Leaderboard) -> Table:
    found = [name for name in (*Outcome, "none") if any(row.outcomes.get(name) for row in board.supporters)]
    table = _table("ended", found)
    for row in board.supporters:
        table.add_row(one_line(row.name), *(str(row.outcomes.get(name, 0)) for name in found))
    return table


def _table(first: str, heads: Sequence[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, overflow="fold")
    for head in heads:
        table.add_column(head, justify="right", overflow="fold")
    return table


def _notes(board: Leaderboard) -> Iterator[str]:
    yield f"Plain means; n episodes each; {_FAILURES[board.failures]}. Overall is 0 to 100, the group means are on the"
    yield "rubric's scale, the gap is general minus tailored: compare it between supporters."
    if any(row.rank_changes for row in board.supporters):
        other = "exclude" if board.failures == "lowest" else "lowest"
        yield f"* The rank changes with `--failures {other}`."


def _number(value: float | None, glyphs: Glyphs, digits: int = 2, *, signed: bool = False) -> Text:
    if value is None:
        return Text(glyphs.dash, "dim")
    return Text(f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}")
