"""How far a set of shards is, read from their folders."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.exc import OperationalError

from emoharbor.eval.runs.progress import Progress
from emoharbor.eval.store.database import open_to_read
from emoharbor.eval.store.folder import DATABASE
from emoharbor.eval.store.schema import episodes, judgements
from emoharbor.state.errors import RunFolderError
from emoharbor.state.outcome import Outcome

_ENDED = select(
    episodes.c.outcome,
    func.count(),
    func.sum(episodes.c.prompt_tokens),
    func.sum(episodes.c.completion_tokens),
).group_by(episodes.c.outcome)
_UNSCORED = select(func.count()).where(
    judgements.c.own, func.json_extract(judgements.c.body, "$.unscored").is_not(None)
)


def standing(folders: Sequence[Path], planned: int, seconds: float) -> Progress:
    """Return how far some shards are together.

    Args:
        folders: of the shards; one that cannot be read yet counts as nothing.
        planned: episodes of all of them.
        seconds: since they were started.
    """
    outcomes: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    running, tokens = 0, None
    for folder in folders:
        for outcome, count, prompt, completion in _ended(folder):
            if outcome is None:
                running += count
                continue
            outcomes[outcome] += count
            if not Outcome(outcome).judged:
                failures[outcome] += count
            if prompt is not None or completion is not None:
                tokens = (tokens or 0) + (prompt or 0) + (completion or 0)
    return Progress(
        planned=planned, done=outcomes.total(), running=running, seconds=seconds, outcomes=dict(outcomes),
        failures=dict(failures), tokens=tokens,
    )  # fmt: skip


def last_standing(folder: Path, planned: int, seconds: float) -> Progress:
    """Return how a run ended, with the ratings that could not be read among its failures."""
    found = standing([folder], planned, seconds)
    engine = open_to_read(folder / DATABASE)
    with engine.connect() as connection:
        unread = int(connection.execute(_UNSCORED).scalar_one())
    return replace(found, failures={**found.failures, "unscored": unread}) if unread else found


def _ended(folder: Path) -> list[tuple[str | None, int, int | None, int | None]]:
    try:
        engine = open_to_read(folder / DATABASE)
        with engine.connect() as connection:
            return [(row[0], row[1], row[2], row[3]) for row in connection.execute(_ENDED)]
    except (RunFolderError, OperationalError):  # not begun, just being made, or on another machine's disk
        return []
