"""Saying of a run that it branches off from an episode of another one, and from where."""

from collections.abc import Iterable
from typing import Any

from rich.table import Table
from rich.text import Text

from emoharbor.eval.people.branches import Branch
from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.reports.inert import one_line
from emoharbor.eval.runs.manifest import BranchOf
from emoharbor.state.verdict import Scores, primary


def branch_line(of: BranchOf) -> Text:
    """Return one line: which episode, from which turn, with which changes."""
    said = Text.assemble("A branch of ", one_line(of.episode, "bold"), f" from turn {of.turn} on", _changes(of))
    return said.append(f" (run {of.run_id[:8]})", "dim")


def branch_data(of: BranchOf) -> dict[str, Any]:
    """Return the same for JSON, to stand beside an episode's own keys."""
    return {"branch_of": of.model_dump(mode="json")}


def branches_lines(found: Iterable[Branch]) -> Text:
    """Return a line for each branch of a run."""
    lines = [
        Text.assemble(
            ("branch  ", "dim"), one_line(item.of.episode), f" from turn {item.of.turn} on with ",
            one_line(item.key.supporter, "bold"), _changes(item.of), ": ", one_line(str(item.folder), "dim"),
        )
        for item in found
    ]  # fmt: skip
    return Text("\n").join(lines)


def ends_table(of: BranchOf, branch: EpisodeRecord, before: EpisodeRecord) -> Table:
    """Return how the episode ended and how the branch did, side by side."""
    table = Table(
        "", "supporter", "turns", "outcome", "overall", "general", "tailored", "gap", box=None, pad_edge=False
    )
    for name, record in (("before", before), (f"from turn {of.turn}", branch)):
        scores = next((item.scores for item in primary(record.judgements) if item.scores), None)
        turns = sum(turn.supporter is not None for turn in record.turns)
        table.add_row(
            name, one_line(record.supporter), str(turns), str(record.outcome or "not finished"), *_scores(scores)
        )  # fmt: skip
    return table


def _changes(of: BranchOf) -> Text:
    changes = ", ".join(f"{name} = {_value(value)}" for name, value in of.edits.items())
    return one_line(f", {changes}") if changes else Text("")


def _scores(scores: Scores | None) -> list[str]:
    if scores is None:
        return ["-"] * 4
    values = (
        (scores.overall, "{:.1f}"), (scores.general, "{:.2f}"), (scores.tailored, "{:.2f}"), (scores.gap, "{:+.2f}"),
    )  # fmt: skip
    return ["-" if value is None else form.format(value) for value, form in values]


def _value(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
