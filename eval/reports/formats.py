"""A page of tables drawn for the terminal, and written as Markdown, LaTeX and CSV."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from emoharbor.eval.reports.glyphs import Glyphs
from emoharbor.eval.reports.inert import one_line
from emoharbor.eval.reports.tables import Column, Page, Sheet, flat_columns, in_words

DASH = "\u2013"
"""An en dash, where there is no value."""
_BETWEEN = 3
"""Cells between two columns, and at both ends of a table."""
_KEYS = 0.7
"""The share of the width that the columns which tell rows apart may take in each part of a table."""
_HEAD = 12
"""Cells that a head may take for itself before it is broken between words."""
_FOLDED = 32
"""Cells that a column of words can do with."""
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~$])")
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    DASH: "--", "|": r"\textbar{}",
}  # fmt: skip


def drawn(page: Page, glyphs: Glyphs) -> RenderableType:
    """Return the page for a terminal: columns stay straight whatever the width of the characters.

    No figure is ever cut: a table that is wider than the terminal goes on below, with the columns repeated that tell
    its rows apart.
    """
    return _Drawn(page, glyphs)


@dataclass(frozen=True, slots=True)
class _Drawn:
    page: Page
    glyphs: Glyphs

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        page = _encodable(self.page, options.encoding)
        for sheet in page.sheets:
            yield Text(f"\n{one_line(sheet.title).plain}", "bold")
            for part in _parts(sheet, self.glyphs, options.max_width):
                yield _table(part, self.glyphs)
            yield from (one_line(note, "dim") for note in sheet.notes)
        if page.notes:
            yield Text("")
        yield from (one_line(note) for note in page.notes)


def _encodable(page: Page, encoding: str) -> Page:
    """What a terminal cannot show becomes `?` before columns are measured, so that they stay straight there too."""

    def fit(text: str) -> str:
        return text.encode(encoding, "replace").decode(encoding)

    def fitted(sheet: Sheet) -> Sheet:
        return Sheet(
            fit(sheet.title),
            tuple(replace(column, name=fit(column.name)) for column in sheet.columns),
            tuple(tuple(fit(cell) if isinstance(cell, str) else cell for cell in row) for row in sheet.rows),
            tuple(fit(note) for note in sheet.notes),
        )

    return Page(fit(page.title), tuple(fitted(sheet) for sheet in page.sheets), tuple(fit(note) for note in page.notes))


def _parts(sheet: Sheet, glyphs: Glyphs, width: int) -> Iterator[Sheet]:
    """Cut a table into as many as are needed to fit, each with the columns that tell its rows apart."""
    needs = [_width(sheet, index, glyphs) + _BETWEEN for index in range(len(sheet.columns))]
    keys = list(range(_keys(sheet, needs, width)))
    taken: list[int] = []
    for index in range(len(keys), len(needs)):
        if taken and sum(needs[item] for item in (*keys, *taken, index)) > width:
            yield _only(sheet, [*keys, *taken])
            taken = []
        taken.append(index)
    yield _only(sheet, [*keys, *taken])


def _keys(sheet: Sheet, needs: Sequence[int], width: int) -> int:
    """Return how many columns it takes from the left to tell all rows apart; one, where that leaves too little room."""
    for count, column in enumerate(sheet.columns, 1):
        if column.align != "left" or sum(needs[:count]) > width * _KEYS:
            break
        if len({tuple(map(str, row[:count])) for row in sheet.rows}) == len(sheet.rows):
            return count
    return 1


def _width(sheet: Sheet, index: int, glyphs: Glyphs) -> int:
    """The cells a column needs; words may be broken, figures not."""
    column = sheet.columns[index]
    shown = [in_words(row[index], column, glyphs.dash) for row in sheet.rows]
    widest = max((cell_len(one_line(text).plain) for text in shown), default=0)
    if column.align == "left":
        return min(_FOLDED, max(widest, cell_len(column.name)))
    head = one_line(column.name).plain
    return max(widest, min(cell_len(head), _HEAD), *(cell_len(word) for word in head.split()), 1)


def _only(sheet: Sheet, kept: Sequence[int]) -> Sheet:
    rows = tuple(tuple(row[index] for index in kept) for row in sheet.rows)
    return Sheet(sheet.title, tuple(sheet.columns[index] for index in kept), rows)


def _table(sheet: Sheet, glyphs: Glyphs) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for index, column in enumerate(sheet.columns):
        width, figures = _width(sheet, index, glyphs), column.align == "right"
        table.add_column(
            one_line(column.name),
            justify=column.align,
            overflow="fold",
            width=width if figures else None,
            min_width=width,
        )
    for row in sheet.rows:
        cells = zip(row, sheet.columns, strict=True)
        table.add_row(*(_shown(in_words(cell, column, glyphs.dash), glyphs) for cell, column in cells))
    return table


def _shown(text: str, glyphs: Glyphs) -> Text:
    return Text(text, "dim") if text == glyphs.dash else one_line(text)


def markdown(page: Page) -> str:
    """Return the page as Markdown; what a name holds of its marks is escaped."""
    return "\n".join([f"# {escaped(page.title)}", "", *markdown_parts(page)])


def markdown_parts(page: Page) -> Iterator[str]:
    """Yield the lines of a page without its title."""
    for sheet in page.sheets:
        yield from (f"## {escaped(sheet.title)}", "")
        yield from _markdown_table(sheet)
        yield ""
        for note in sheet.notes:
            yield from (escaped(note), "")
    for note in page.notes:
        yield from (f"- {escaped(note)}",)


def _markdown_table(sheet: Sheet) -> Iterator[str]:
    heads = [escaped(column.name) for column in sheet.columns]
    rows = [
        [escaped(in_words(cell, column, DASH)) for cell, column in zip(row, sheet.columns, strict=True)]
        for row in sheet.rows
    ]
    widths = [max(3, *(cell_len(line[index]) for line in [heads, *rows])) for index in range(len(heads))]
    yield _line(heads, widths, sheet.columns)
    marks = ["-" * (width - 1) + ":" if column.align == "right" else "-" * width
             for width, column in zip(widths, sheet.columns, strict=True)]  # fmt: skip
    yield f"| {' | '.join(marks)} |"
    for row in rows:
        yield _line(row, widths, sheet.columns)


def _line(cells: Sequence[str], widths: Sequence[int], columns: Sequence[Column]) -> str:
    padded = []
    for cell, width, column in zip(cells, widths, columns, strict=True):
        space = " " * (width - cell_len(cell))
        padded.append(space + cell if column.align == "right" else cell + space)
    return f"| {' | '.join(padded)} |"


def escaped(text: str) -> str:
    """Return text on one line in which no mark of Markdown means anything."""
    return _MARKDOWN.sub(r"\\\1", one_line(text).plain)


def latex(page: Page) -> str:
    """Return the page's tables for `booktabs`, each in a `table` of its own; notes as comments and captions."""
    parts = [f"% {_comment(page.title)}; needs \\usepackage{{booktabs}}"]
    for sheet in page.sheets:
        parts += [*_latex_table(sheet), ""]
    parts += [f"% {_comment(note)}" for note in page.notes]
    return "\n".join(parts) + "\n"


def _latex_table(sheet: Sheet) -> Iterator[str]:
    yield from (r"\begin{table}", r"\centering")
    yield rf"\caption{{{_tex('. '.join((sheet.title, *(note.rstrip('.') for note in sheet.notes))))}.}}"
    yield rf"\begin{{tabular}}{{{''.join(column.align[0] for column in sheet.columns)}}}"
    yield r"\toprule"
    yield _row(column.name for column in sheet.columns)
    yield r"\midrule"
    for row in sheet.rows:
        yield _row(in_words(cell, column, DASH) for cell, column in zip(row, sheet.columns, strict=True))
    yield from (r"\bottomrule", r"\end{tabular}", r"\end{table}")


def _row(cells: Iterator[str]) -> str:
    return rf"{' & '.join(_tex(cell) for cell in cells)} \\"


def _tex(text: str) -> str:
    return "".join(_LATEX.get(char, char) for char in one_line(text).plain)


def _comment(text: str) -> str:
    return one_line(text).plain


def as_csv(page: Page) -> str:
    """Return the first table as CSV: every figure unrounded, its limits in columns of their own, missing empty.

    A first cell that is blank, since it is that of the row above, is written out.
    """
    columns = dict(flat_columns(page.sheets[0]))
    heads = next(iter(columns.values()))
    for index, head in enumerate(heads[1:], 1):
        heads[index] = heads[index - 1] if head == "" else head
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()
