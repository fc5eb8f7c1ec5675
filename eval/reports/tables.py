"""A page of tables as data: what the terminal, Markdown, LaTeX and CSV are all drawn from."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Align = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Ranged:
    """A figure with its limits.

    Attributes:
        value: the figure; None when it is missing, and then nothing of the rest is shown.
        low, high: its limits; None when there are none.
        mark: stands behind the figure, as the `*` of a rank that depends on a choice.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    mark: str = ""


Cell = str | int | float | None | Ranged


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        name: its head, plain text.
        align: of head and cells.
        digits: after the point; None writes numbers as they are.
        signed: whether a figure that is not negative gets a plus.
        brief: whether limits are left out where it is read; CSV has them.
        chance: whether it is a p value: one too small for the digits is written `<0.001`, never 0.
    """

    name: str
    align: Align = "right"
    digits: int | None = None
    signed: bool = False
    brief: bool = False
    chance: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table.

    Attributes:
        title: what it shows, one line.
        columns: the first names the row.
        rows: as many cells as columns each.
        notes: sentences that stand under it.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """Tables and the sentences that go with them.

    Attributes:
        title: of the whole.
        sheets: the tables; the first is the one that CSV holds.
        notes: sentences at the end: how to read it, estimators, seeds.
    """

    title: str
    sheets: tuple[Sheet, ...]
    notes: tuple[str, ...] = ()


def in_words(cell: Cell, column: Column, dash: str) -> str:
    """Return a cell as it is read: `62.5 [58.1, 66.9]`, `+0.25`, or the dash for what is missing."""
    if isinstance(cell, Ranged):
        if cell.value is None:
            return dash
        shown = f"{_number(cell.value, column)}{cell.mark}"
        if column.brief or cell.low is None or cell.high is None:
            return shown
        return f"{shown} [{_number(cell.low, column)}, {_number(cell.high, column)}]"
    if cell is None:
        return dash
    return cell if isinstance(cell, str) else _number(cell, column)


def _number(value: float, column: Column) -> str:
    if column.digits is None or isinstance(value, int):
        return f"{value:+}" if column.signed else str(value)
    if column.chance and value < 10**-column.digits:
        return f"<{10**-column.digits:.{column.digits}f}"
    shown = f"{value:{'+' if column.signed else ''}.{column.digits}f}"
    # a minus before nothing but zeros says less than it seems to
    return shown.replace("-", "+" if column.signed else "") if not float(shown) else shown


def flat_columns(sheet: Sheet) -> Iterator[tuple[str, list[str | int | float | None]]]:
    """Yield each column with its raw values; one of ranged figures gives figure, low, high, and `mark` if any."""
    for index, column in enumerate(sheet.columns):
        cells = [row[index] for row in sheet.rows]
        if not any(isinstance(cell, Ranged) for cell in cells):
            yield column.name, [None if isinstance(cell, Ranged) else cell for cell in cells]
            continue
        found = [cell if isinstance(cell, Ranged) else Ranged(None) for cell in cells]
        yield column.name, [cell.value for cell in found]
        yield f"{column.name} low", [cell.low for cell in found]
        yield f"{column.name} high", [cell.high for cell in found]
        if any(cell.mark for cell in found):
            yield f"{column.name} mark", [cell.mark for cell in found]
