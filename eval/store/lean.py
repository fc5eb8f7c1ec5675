"""Outcomes and scores without words: what figures need of a run, a tenth of the time of reading its judgements whole.

Judgements were validated when they were written; here their JSON is taken as it is, but for the means.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import from_json
from sqlalchemy import Row, func, select

from emoharbor.eval.store.database import open_to_read
from emoharbor.eval.store.folder import DATABASE
from emoharbor.eval.store.schema import episodes, judgements
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Control, Scores

# of several attempts at an episode the newest: SQLite takes bare columns from the row that holds the maximum
_EPISODES = (
    select(
        episodes.c.id, episodes.c.profile, episodes.c.supporter, episodes.c.repeat, episodes.c.outcome,
        func.max(episodes.c.attempt),
    )
    .group_by(episodes.c.profile, episodes.c.supporter, episodes.c.repeat)
    .order_by(episodes.c.profile, episodes.c.supporter, episodes.c.repeat)
)  # fmt: skip
_JUDGEMENTS = select(judgements.c.episode, judgements.c.own, judgements.c.body).order_by(judgements.c.episode)


class LeanRating(NamedTuple):
    """The score of one dimension."""

    dimension: str
    score: int | None


@dataclass(frozen=True, slots=True)
class LeanJudgement:
    """A `Judgement` without its words."""

    judge: str
    judge_id: str
    own: bool
    repeat: int
    control: Control | None
    counterfactual: str | None
    with_log: bool
    ratings: tuple[LeanRating, ...]
    scores: Scores | None


@dataclass(frozen=True, slots=True)
class LeanResult:
    """How an episode ended and was rated; the run's own ratings first."""

    profile: str
    supporter: str
    repeat: int
    outcome: Outcome | None
    judgements: tuple[LeanJudgement, ...]


def read_lean(folder: Path) -> Iterator[LeanResult]:
    """Yield every episode begun, by profile, supporter, repeat; of several attempts the newest. Nothing without any.

    Raises:
        RunFolderError: when the database is of another version of this program.
    """
    if not (folder / DATABASE).exists():
        return
    engine = open_to_read(folder / DATABASE)
    try:
        with engine.begin() as connection:
            rated: dict[int, list[LeanJudgement]] = defaultdict(list)
            for row in connection.execute(_JUDGEMENTS):
                rated[row.episode].append(_judgement(row))
            found = connection.execute(_EPISODES).all()
    finally:
        engine.dispose()
    for number, profile, supporter, repeat, outcome, _ in found:
        ratings = sorted(rated.pop(number, ()), key=lambda item: (not item.own, item.judge, item.judge_id, item.repeat))
        yield LeanResult(profile, supporter, repeat, Outcome(outcome) if outcome else None, tuple(ratings))


def _judgement(row: Row[Any, Any, Any]) -> LeanJudgement:
    body: dict[str, Any] = from_json(row.body, cache_strings="keys")
    scores = body["scores"]
    return LeanJudgement(
        judge=body["judge"], judge_id=body.get("judge_id", ""), own=bool(row.own), repeat=body["repeat"],
        control=body.get("control"), counterfactual=body["counterfactual"], with_log=body.get("with_log", True),
        ratings=tuple([LeanRating(item["dimension"], item["score"]) for item in body["ratings"]]),
        scores=None if scores is None else Scores.model_validate(scores),
    )  # fmt: skip
