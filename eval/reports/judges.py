"""The judges of a run: who rated, how often, as whom."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.table import Table

from emoharbor.eval.reports.inert import one_line
from emoharbor.eval.run import Run
from emoharbor.state.verdict import Control, Judgement

_Row = tuple[str, Control | None, bool, bool]
"""Id of the judge, control, whether as another, whether with the log."""
_AS = {"person": "unlike person", "profile": "exchanged", "replay": "replayed"}


def judges_data(run: Run) -> list[dict[str, Any]]:
    """Return a line for each judge and way of rating: ratings, how many of them hold a score, repeats."""
    names = {record.judge_id: record for record in run.manifest.judges}
    ratings, scored, repeats = Counter[_Row](), Counter[_Row](), Counter[_Row]()
    judges: dict[_Row, Judgement] = {}
    for result in run.results():
        for judgement in result.judgements:
            row = (judgement.judge_id, judgement.control, judgement.counterfactual is not None, judgement.with_log)
            judges.setdefault(row, judgement)
            ratings[row] += 1
            scored[row] += judgement.scores is not None
            repeats[row] = max(repeats[row], judgement.repeat + 1)
    order = list(names)
    return [
        {
            "name": names[row[0]].name if row[0] in names else judges[row].judge, "judge": judges[row].judge,
            "judge_id": row[0], "own": judges[row].own, "rubric": judges[row].rubric, "control": row[1],
            "as_another": row[2], "with_log": row[3], "repeats": repeats[row], "ratings": ratings[row],
            "scored": scored[row],
        }
        for row in sorted(judges, key=lambda row: (_place(order, row[0]), str(row[1] or ""), row[2], not row[3]))
    ]  # fmt: skip


def judges_table(run: Run) -> Table:
    """Return the same as a table."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("judge", "id", "rubric", "as", "log"):
        table.add_column(name, overflow="fold")
    for name in ("repeats", "ratings", "scored"):
        table.add_column(name, justify="right")
    for row in judges_data(run):
        called = row["name"] if row["name"] == row["judge"] else f"{row['name']} ({row['judge']})"
        rubric = row["rubric"].partition("+")[0]
        table.add_row(
            one_line(called), row["judge_id"], one_line(rubric), rated_as(row["control"], row["as_another"]),
            "yes" if row["with_log"] else "no", str(row["repeats"]), str(row["ratings"]), str(row["scored"]),
        )  # fmt: skip
    return table


def rated_as(control: Control | None, another: bool) -> str:  # noqa: FBT001 - a column
    """Return in a word or two as whom an episode was rated."""
    if another:
        return _AS.get(control or "", "another")
    return "oneself, replayed" if control == "replay" else "oneself"


def _place(order: Sequence[str], judge: str) -> int:
    return order.index(judge) if judge in order else -1
