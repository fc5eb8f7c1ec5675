"""The table to fill in by hand, and how it is read back."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

from emoharbor.eval.rating.pack import Pack

COLUMNS = ("pack", "rater", "item", "dimension", "question", "score", "remark")
CANNOT_TELL = ("null", "?")
_FORMULA = re.compile(r"^[=+\-@\t\r]")


@dataclass(frozen=True, slots=True)
class Given:
    """One rating as it came back.

    Attributes:
        place: where it stands, for messages: `line 12`, `ratings[3]`.
        item: the dialogue.
        dimension: what was rated.
        score: as written; `null` for cannot tell; None when nothing is written.
    """

    place: str
    item: str
    dimension: str
    score: str | None


@dataclass(frozen=True, slots=True)
class Returned:
    """A file that came back."""

    pack: str
    rater: str
    ratings: tuple[Given, ...]
    remarks: dict[str, str]


def blank_table(pack: Pack, rater: str) -> str:
    """Return one rater's table as CSV: a line for each question, its score left empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for item in pack.orders[rater]:
        for dimension in pack.rubric.dimensions:
            writer.writerow((pack.id, rater, item, dimension.id, _inert(dimension.asks), "", ""))
    return out.getvalue()


def read_table(text: str) -> Returned:
    """Read a table.

    Raises:
        ValueError: when it is no such table, or holds more than one pack or rater.
    """
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
    missing = [
        name for name in ("pack", "rater", "item", "dimension", "score") if name not in (reader.fieldnames or ())
    ]
    if missing:
        raise ValueError(f"line 1: no column is called {missing[0]!r}; keep the first line as it was")
    rows = list(_rows(reader))
    heads = {(row["pack"], row["rater"]) for _, row in rows}
    if len(heads) != 1:
        named = ", ".join(sorted(f"{pack} {rater}" for pack, rater in heads)) or "none"
        raise ValueError(f"one file holds the ratings of one rater for one pack; this one has: {named}")
    pack, rater = heads.pop()
    ratings = tuple(Given(f"line {line}", row["item"], row["dimension"], row["score"] or None) for line, row in rows)
    return Returned(pack, rater, ratings, {row["item"]: row["remark"] for _, row in rows if row.get("remark")})


def _rows(reader: "csv.DictReader[str]") -> Iterator[tuple[int, dict[str, str]]]:
    for row in reader:
        found = {str(name): str(value or "").strip() for name, value in row.items()}
        if any(found.values()):
            yield reader.line_num, found


def _delimiter(text: str) -> str:
    """Spreadsheets of many countries write semicolons."""
    head = text.split("\n", 1)[0]
    return max((",", ";", "\t"), key=head.count)


def _inert(text: str) -> str:
    """A cell that a spreadsheet would take for a formula begins with an apostrophe."""
    return f"'{text}" if _FORMULA.match(text) else text
