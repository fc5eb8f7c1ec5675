"""Looking over a whole run without its dialogues: one light line an episode, kept up to date while the run goes on.

Reading 6,000 whole records takes a minute; these lines take about a second the first time, and a few milliseconds
after that, since only episodes that changed are read again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import fmean
from sys import intern
from typing import Any

from pydantic_core import from_json
from sqlalchemy import Connection, func, select

from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.store.database import open_to_read
from emoharbor.eval.store.folder import DATABASE
from emoharbor.eval.store.said import saying
from emoharbor.eval.store.schema import episodes, judgements, turns
from emoharbor.state.outcome import Outcome

_MEANS = ("overall", "general", "tailored", "gap")
_CHUNK = 400
_HEADS = select(
    episodes.c.id, episodes.c.profile, episodes.c.supporter, episodes.c.repeat, episodes.c.attempt, episodes.c.turn,
    episodes.c.outcome, episodes.c.reason, episodes.c.started, episodes.c.finished, episodes.c.cost_usd,
)  # fmt: skip
_RATED = select(judgements.c.episode, func.count(), func.max(judgements.c.saved)).group_by(judgements.c.episode)


_ENDED = select(func.count()).select_from(
    select(episodes.c.profile, episodes.c.supporter, episodes.c.repeat)
    .where(episodes.c.outcome.is_not(None))
    .distinct()
    .subquery()
)


@dataclass(frozen=True, slots=True)
class Line:
    """One episode in a list.

    Attributes:
        key: which episode.
        number: its row id.
        attempt: its newest attempt.
        turns: finished turns.
        outcome, reason: how it ended; None while under way.
        started, finished: seconds since 1970, UTC.
        cost_usd: None where it is not known.
        overall, general, tailored, gap: means over the run's own ratings; None without them.
        dimensions: the same for each dimension.
        unscored: why its rating could not be read.
        faults: kinds of what went wrong, mended or not.
    """

    key: EpisodeKey
    number: int
    attempt: int
    turns: int
    outcome: Outcome | None
    reason: str
    started: float
    finished: float | None
    cost_usd: float | None
    overall: float | None
    general: float | None
    tailored: float | None
    gap: float | None
    dimensions: Mapping[str, float | None]
    unscored: str | None
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Rating:
    """The means of an episode's own ratings."""

    means: Mapping[str, float | None]
    dimensions: Mapping[str, float | None]
    unscored: str | None


_NONE = _Rating(dict.fromkeys(_MEANS), {}, None)


class Browser:
    """The lines of one run folder. Not safe for two threads at once."""

    def __init__(self, folder: Path) -> None:
        """Open the database.

        Raises:
            RunFolderError: when there is none, or it is newer than this program.
        """
        self._engine = open_to_read(folder / DATABASE)
        self._lines: dict[EpisodeKey, Line] = {}
        self._seen: dict[EpisodeKey, tuple[Any, ...]] = {}
        self.stamp = 0
        """Grows whenever a line changes."""

    def refresh(self) -> Sequence[Line]:
        """Read what changed, and return every episode begun, by profile, supporter, repeat; the newest attempt each."""
        with self._engine.begin() as connection:
            rated = {row[0]: tuple(row[1:]) for row in connection.execute(_RATED)}
            fresh: dict[EpisodeKey, Any] = {}
            marks: dict[EpisodeKey, tuple[Any, ...]] = {}
            for row in connection.execute(_HEADS):
                key = EpisodeKey(profile=intern(row.profile), supporter=intern(row.supporter), repeat=row.repeat)
                if key in fresh and fresh[key].attempt > row.attempt:
                    continue
                fresh[key] = row
                marks[key] = (row.id, row.turn, row.outcome, row.finished, rated.get(row.id))
            changed = {key: row for key, row in fresh.items() if self._seen.get(key) != marks[key]}
            self._take_in(connection, changed)
        self._seen = marks
        if changed:
            self._lines = dict(sorted(self._lines.items(), key=lambda item: _order(item[0])))
            self.stamp += 1
        return tuple(self._lines.values())

    def saying(self, words: str) -> Mapping[int, int]:
        """Return, by row id, the episodes in which a message holds `words`, in any case, each with the first turn."""
        with self._engine.begin() as connection:
            return saying(connection, words)

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def _take_in(self, connection: Connection, changed: Mapping[EpisodeKey, Any]) -> None:
        numbers = [row.id for row in changed.values()]
        ratings, faults = _ratings(connection, numbers), _faults(connection, numbers)
        for key, row in changed.items():
            self._lines[key] = _line(key, row, ratings.get(row.id, _NONE), faults.get(row.id, ()))


def ended(folder: Path) -> int:
    """Return how many episodes of a run have ended.

    Raises:
        RunFolderError: when there is no database, or it is newer than this program.
    """
    engine = open_to_read(folder / DATABASE)
    try:
        with engine.begin() as connection:
            return int(connection.execute(_ENDED).scalar_one())
    finally:
        engine.dispose()


def _order(key: EpisodeKey) -> tuple[str, str, int]:
    return key.profile, key.supporter, key.repeat


def _line(key: EpisodeKey, row: Any, rating: _Rating, faults: tuple[str, ...]) -> Line:
    return Line(
        key=key,
        number=row.id,
        attempt=row.attempt,
        turns=row.turn,
        outcome=Outcome(row.outcome) if row.outcome else None,
        reason=row.reason,
        started=row.started,
        finished=row.finished,
        cost_usd=row.cost_usd,
        **rating.means,
        dimensions=rating.dimensions,
        unscored=rating.unscored,
        faults=faults,
    )


def _ratings(connection: Connection, numbers: Iterable[int]) -> dict[int, _Rating]:
    """Read the own ratings of some episodes. Bodies are parsed one by one, as plain JSON, and let go of."""
    found: dict[int, list[dict[str, Any]]] = {}
    for chunk in _chunks(numbers):
        wanted = select(judgements.c.episode, judgements.c.body).where(
            judgements.c.episode.in_(chunk), judgements.c.own
        )
        for number, body in connection.execute(wanted):
            found.setdefault(number, []).append(_marks(from_json(body)))
    return {number: _joined(marks) for number, marks in found.items()}


def _marks(body: dict[str, Any]) -> dict[str, Any]:
    return {
        "scores": body.get("scores"), "unscored": body.get("unscored"),
        "dimensions": {intern(item["dimension"]): item["score"] for item in body.get("ratings", ())},
    }  # fmt: skip


def _joined(marks: Sequence[Mapping[str, Any]]) -> _Rating:
    scores = [item["scores"] for item in marks if item["scores"]]
    names = dict.fromkeys(name for item in marks for name in item["dimensions"])
    return _Rating(
        means={name: _mean(score.get(name) for score in scores) for name in _MEANS},
        dimensions={name: _mean(item["dimensions"].get(name) for item in marks) for name in names},
        unscored=None if scores else next((item["unscored"] for item in marks), None),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _faults(connection: Connection, numbers: Iterable[int]) -> dict[int, tuple[str, ...]]:
    found: dict[int, dict[str, None]] = {}
    for chunk in _chunks(numbers):
        wanted = select(turns.c.episode, turns.c.faults).where(turns.c.episode.in_(chunk), turns.c.faults != "[]")
        for number, faults in connection.execute(wanted):
            found.setdefault(number, {}).update(dict.fromkeys(intern(item["kind"]) for item in from_json(faults)))
    return {number: tuple(kinds) for number, kinds in found.items()}


def _chunks(numbers: Iterable[int]) -> Iterator[list[int]]:
    items = iter(numbers)
    while chunk := list(islice(items, _CHUNK)):
        yield chunk
