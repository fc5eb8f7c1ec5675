"""How far a set of shards is, read from their folders."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sqlalchemy import case, exists, func, select
from sqlalchemy.exc import OperationalError

from emoharbor.eval.runs.progress import Progress
from emoharbor.eval.store.database import open_to_read
from emoharbor.eval.store.folder import DATABASE
from emoharbor.eval.store.reader import Reader
from emoharbor.eval.store.schema import episodes, judgements
from emoharbor.state.errors import RunFolderError
from emoharbor.state.outcome import Outcome

_later = episodes.alias()
_REPLACED = exists().where(
    _later.c.profile == episodes.c.profile,
    _later.c.supporter == episodes.c.supporter,
    _later.c.repeat == episodes.c.repeat,
    _later.c.attempt > episodes.c.attempt,
)
"""An attempt that was given up for a new one: its tokens were spent, but it is no episode."""
_ENDED = select(
    episodes.c.outcome,
    func.sum(case((_REPLACED, 0), else_=1)),
    func.sum(episodes.c.prompt_tokens),
    func.sum(episodes.c.completion_tokens),
    func.sum(episodes.c.turn),
).group_by(episodes.c.outcome)
_UNSCORED = select(func.count()).where(
    judgements.c.own, func.json_extract(judgements.c.body, "$.unscored").is_not(None)
)


def standing(folders: Sequence[Path], planned: int, seconds: float) -> Progress:
    """Return how far some shards are together, with what earlier calls did.

    Args:
        folders: of the shards; one that cannot be read yet counts as nothing.
        planned: episodes of all of them.
        seconds: since they were started.
    """
    outcomes: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    running, turns, tokens = 0, 0, None
    for folder in folders:
        for outcome, count, prompt, completion, played in _ended(folder):
            turns += played
            if prompt is not None or completion is not None:
                tokens = (tokens or 0) + (prompt or 0) + (completion or 0)
            if outcome is None:
                running += count
            elif count:
                outcomes[outcome] += count
                if not Outcome(outcome).judged:
                    failures[outcome] += count
    return Progress(
        planned=planned, done=outcomes.total(), running=running, turns=turns, seconds=seconds, outcomes=dict(outcomes),
        failures=dict(failures), tokens=tokens,
    )  # fmt: skip


def last_standing(folder: Path, planned: int, seconds: float, *, judged: bool) -> Progress:
    """Return how a run ended: with ratings that could not be read, or not be asked for, among its failures.

    Args:
        folder: of the run.
        planned: its episodes.
        seconds: since it was started.
        judged: whether it has a judge.
    """
    found = standing([folder], planned, seconds)
    with open_to_read(folder / DATABASE).connect() as connection:
        unread = int(connection.execute(_UNSCORED).scalar_one())
    reader = Reader(folder)
    spent = reader.spent()
    over = [item for item in reader.standings() if item.outcome is not None and item.outcome.judged]
    reader.close()
    more = {"unscored": unread, "unjudged": sum(not item.judged for item in over) if judged else 0}
    failures = {**found.failures, **{kind: count for kind, count in more.items() if count}}
    return replace(found, failures=failures, tokens=spent.tokens, cost_usd=spent.cost_usd)


def _ended(folder: Path) -> list[tuple[str | None, int, int | None, int | None, int]]:
    try:
        engine = open_to_read(folder / DATABASE)
        with engine.connect() as connection:
            return [(row[0], row[1], row[2], row[3], row[4]) for row in connection.execute(_ENDED)]
    except (RunFolderError, OperationalError):  # not begun, just being made, or on another machine's disk
        return []
