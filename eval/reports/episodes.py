"""The episodes of a run, one a line."""

from collections.abc import Iterable

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.reports.inert import one_line
from emoharbor.state.verdict import Scores


def line_of_episode(record: EpisodeRecord) -> dict[str, object]:
    """Return one line about an episode as data."""
    scores = _scores(record)
    return {
        "episode": record.episode, "outcome": record.outcome, "turns": _turns(record),
        "scores": None if scores is None else scores.model_dump(mode="json"),
    }  # fmt: skip


def episodes_table(records: Iterable[EpisodeRecord]) -> Table:
    """Return a table, one episode a line."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("episode", overflow="fold")
    table.add_column("outcome")
    for head in ("turns", "overall", "general", "tailored", "gap"):
        table.add_column(head, justify="right")
    for record in records:
        scores = _scores(record)
        means = ("", "", "", "")
        if scores is not None:
            means = (
                _number(scores.overall, ".1f"), _number(scores.general, ".2f"),
                _number(scores.tailored, ".2f"), _number(scores.gap, "+.2f"),
            )  # fmt: skip
        outcome = Text(str(record.outcome)) if record.outcome else Text("not finished", "dim")
        table.add_row(one_line(record.episode, "bold"), outcome, str(_turns(record)), *means)
    return table


def _turns(record: EpisodeRecord) -> int:
    return sum(turn.supporter is not None for turn in record.turns)


def _scores(record: EpisodeRecord) -> Scores | None:
    """The main judgement's means: as oneself, first repeat."""
    for judgement in record.judgements:
        if judgement.counterfactual is None and judgement.scores is not None:
            return judgement.scores
    return None


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)
