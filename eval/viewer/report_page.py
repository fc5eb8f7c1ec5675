"""A report as one HTML file: style, charts and text inside, nothing that runs and nothing that is loaded."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from markupsafe import Markup

from emoharbor.eval.reports.plots import intervals, trajectory
from emoharbor.eval.reports.report import CAUTION, Report, Shown
from emoharbor.eval.reports.tables import Cell, Column, Sheet, in_words
from emoharbor.eval.viewer.episode import ENDS, groups, name_of, turn_views
from emoharbor.eval.viewer.heat import STEPS
from emoharbor.eval.viewer.pages import DASH, environment, static_file

_HEAT = "Dimensions"
"""Title of the table whose cells are coloured by their mean."""


def report_html(report: Report) -> str:
    """Return the whole page."""
    style = "\n".join(static_file(name).read_text(encoding="utf-8") for name in ("base.css", "report.css"))
    return environment().get_template("report.html").render(
        report=report, caution=CAUTION, style=_safe(style), interval_plot=_safe(intervals(report.board)),
        sheets=list(_sheets(report)),
        episodes=[_episode(shown, f"e{place}-") for place, shown in enumerate(report.episodes, 1)],
    )  # fmt: skip


def _safe(text: str | None) -> Markup | None:
    return None if text is None else Markup(text)  # noqa: S704 - our own style sheet, or SVG that escapes every name


@dataclass(frozen=True, slots=True)
class _Square:
    """One cell of a table. `step` is its colour, where the table is a heat map."""

    text: str
    right: bool
    step: int | None = None


def _sheets(report: Report) -> Iterator[dict[str, Any]]:
    for sheet in report.tables.sheets:
        heat = sheet.title == _HEAT and report.scale is not None
        yield {
            "title": sheet.title, "notes": sheet.notes, "heat": heat,
            "columns": [{"name": column.name, "right": column.align == "right"} for column in sheet.columns],
            "rows": [list(_row(row, sheet, report if heat else None)) for row in sheet.rows],
        }  # fmt: skip


def _row(row: tuple[Cell, ...], sheet: Sheet, report: Report | None) -> Iterator[_Square]:
    for cell, column in zip(row, sheet.columns, strict=True):
        yield _Square(in_words(cell, column, DASH), column.align == "right", _step(cell, column, report))


def _step(cell: Cell, column: Column, report: Report | None) -> int | None:
    if report is None or report.scale is None or column.align == "left" or not isinstance(cell, int | float):
        return None
    low, high = report.scale.low, report.scale.high
    return max(0, min(STEPS, round(STEPS * (cell - low) / (high - low))))


def _episode(shown: Shown, prefix: str) -> dict[str, Any]:
    record = shown.record
    own = record.primary
    judgement = next((item for item in own if item.scores is not None), own[0] if own else None)
    return {
        "why": shown.why, "record": record, "who": name_of(shown.person), "judgement": judgement,
        "grouped": groups(judgement) if judgement else [], "views": turn_views(record, shown.person),
        "end": ENDS[record.outcome] if record.outcome else "", "plot": _safe(trajectory(record)),
        "at": partial(_address, prefix),
    }  # fmt: skip


def _address(prefix: str, turn: int) -> str:
    return f"#{prefix}turn-{turn}"
