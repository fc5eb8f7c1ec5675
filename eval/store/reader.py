"""Reading a run, also while it goes on: read-only connections, each read a consistent picture of one moment."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Connection, RowMapping, func, select

from emoharbor.eval.record import EpisodeKey, EpisodeRecord, EpisodeResult
from emoharbor.eval.spent import Spent
from emoharbor.eval.store.database import open_to_read
from emoharbor.eval.store.folder import DATABASE
from emoharbor.eval.store.rows import Row, at_end, at_turn, finished_turns
from emoharbor.eval.store.schema import SPENT, episodes, judgements, judgings, openings, traces, turns
from emoharbor.state.base import Role
from emoharbor.state.episode import EpisodeState
from emoharbor.state.errors import RunFolderError
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Judgement, Stance, order, primary

_NEWEST = (
    select(
        episodes.c.profile, episodes.c.supporter, episodes.c.repeat, func.max(episodes.c.attempt).label("attempt")
    )
    .group_by(episodes.c.profile, episodes.c.supporter, episodes.c.repeat)
    .subquery()
)  # fmt: skip
_EPISODES = (
    select(episodes)
    .join(
        _NEWEST,
        (episodes.c.profile == _NEWEST.c.profile)
        & (episodes.c.supporter == _NEWEST.c.supporter)
        & (episodes.c.repeat == _NEWEST.c.repeat)
        & (episodes.c.attempt == _NEWEST.c.attempt),
    )
    .order_by(episodes.c.profile, episodes.c.supporter, episodes.c.repeat)
)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an episode of a run stands.

    Attributes:
        key: which episode.
        number: its row id.
        attempt: its newest attempt.
        outcome: None while under way or broken off.
        judged: whether the judgement at its end is there.
        spent: by this attempt so far.
    """

    key: EpisodeKey
    number: int
    attempt: int
    outcome: Outcome | None
    judged: bool
    spent: Spent = field(default_factory=Spent)


@dataclass(frozen=True, slots=True)
class Times:
    """What the record of an episode leaves out because it differs from run to run.

    Attributes:
        attempt: of the episode.
        started, finished: seconds since 1970, UTC.
        prompt_tokens, completion_tokens, cached_tokens: None where no endpoint said.
        cost_usd: None when a price is not known.
    """

    attempt: int
    started: float
    finished: float | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None


class Reader:
    """The database of a run folder."""

    def __init__(self, folder: Path) -> None:
        """Open it.

        Raises:
            RunFolderError: when there is none, or it is newer than this program.
        """
        self._folder = folder
        self._engine = open_to_read(folder / DATABASE)

    def standings(self) -> list[Standing]:
        """Return where each episode stands, by profile, supporter, repeat."""
        with self._engine.begin() as connection:
            own = set(connection.execute(select(judgements.c.episode).where(judgements.c.own)).scalars())
            found = connection.execute(_EPISODES).mappings()
            return [_standing(row, own) for row in found]

    def records(self) -> Iterator[tuple[EpisodeRecord, Times]]:
        """Yield every episode begun, by profile, supporter, repeat; of several attempts the newest."""
        with self._engine.begin() as connection:
            for row in connection.execute(_EPISODES).mappings().all():
                yield _record(connection, row), _times(row)

    def results(self) -> Iterator[EpisodeResult]:
        """Yield the same without the dialogues, many times as fast."""
        rated = select(judgements.c.episode, judgements.c.own, judgements.c.body)
        with self._engine.begin() as connection:
            bodies: dict[int, list[tuple[bool, str]]] = {}
            for number, own, body in connection.execute(rated):
                bodies.setdefault(number, []).append((own, body))
            found = connection.execute(_EPISODES).mappings().all()
        for row in found:
            yield EpisodeResult(
                profile=row["profile"],
                supporter=row["supporter"],
                repeat=row["repeat"],
                outcome=Outcome(row["outcome"]) if row["outcome"] else None,
                judgements=_judged(bodies.pop(row["id"], ())),
            )

    def record(self, key: EpisodeKey) -> EpisodeRecord:
        """Return one episode.

        Raises:
            RunFolderError: when it has not begun.
        """
        with self._engine.begin() as connection:
            return _record(connection, self._episode(connection, key))

    def rebuild(self, key: EpisodeKey, turn: int | None = None) -> EpisodeState:
        """Return the state of an episode at the start of a turn (0: before the first node), or as last saved.

        Raises:
            RunFolderError: when it has not begun or did not get that far.
        """
        with self._engine.begin() as connection:
            row = self._episode(connection, key)
            rows = _turns(connection, row["id"])
            if turn is None:
                return _end(row, rows, _own(_judgements(connection, row["id"])))
        if not 0 <= turn <= finished_turns(rows):
            raise RunFolderError(f"{self._folder}: episode {key} has {finished_turns(rows)} finished turns, not {turn}")
        return at_turn(_start(row), rows, turn)

    def resumable(self, key: EpisodeKey) -> EpisodeState:
        """Return the state an unfinished episode goes on from.

        That is the state as last saved when it was broken off, its last finished turn when it ended by a fault, or
        the whole when it lacks only its judgement.
        """
        with self._engine.begin() as connection:
            row = self._episode(connection, key)
            rows = _turns(connection, row["id"])
        if row["outcome"] is None or Outcome(row["outcome"]).judged:
            return _end(row, rows, None)
        return at_turn(_start(row), rows, finished_turns(rows))

    def opening(self, profile: str, repeat: int) -> EpisodeState | None:
        """Return the opening of one person and repeat, or None when it is not made yet."""
        wanted = select(openings.c.state).where(openings.c.profile == profile, openings.c.repeat == repeat)
        with self._engine.begin() as connection:
            found = connection.execute(wanted).scalar_one_or_none()
        return None if found is None else EpisodeState.model_validate_json(found)

    def opened(self) -> set[tuple[str, int]]:
        """Return of which people and repeats the opening is made."""
        with self._engine.begin() as connection:
            return {(row[0], row[1]) for row in connection.execute(select(openings.c.profile, openings.c.repeat))}

    def spent(self) -> Spent:
        """Return what the run has used so far, over all attempts and openings."""
        found = Spent()
        with self._engine.begin() as connection:
            for table in (episodes, openings, judgings):
                for row in connection.execute(select(*(table.c[name] for name in SPENT))).mappings():
                    found += _spent(row)
        return found

    def highest_id(self) -> int:
        """Return the highest row id of an episode, 0 when there is none."""
        with self._engine.begin() as connection:
            return int(connection.execute(select(func.coalesce(func.max(episodes.c.id), 0))).scalar_one())

    def traces(self, key: EpisodeKey) -> list[bytes]:
        """Return the blobs of an episode's trace, in order; of several attempts the newest.

        Raises:
            RunFolderError: when it has not begun.
        """
        with self._engine.begin() as connection:
            number = self._episode(connection, key)["id"]
            wanted = select(traces.c.blob).where(traces.c.episode == number).order_by(traces.c.seq)
            return list(connection.execute(wanted).scalars())

    def stances(self) -> dict[int, list[Stance]]:
        """Return, by the episodes' row ids, from which stances they are rated already."""
        columns = [judgements.c[name] for name in Stance.model_fields]
        found: dict[int, list[Stance]] = {}
        with self._engine.begin() as connection:
            for row in connection.execute(select(judgements.c.episode, *columns)).mappings():
                given = {name: row[name] for name in Stance.model_fields}
                blank = {name: given[name] or None for name in ("control", "counterfactual")}
                found.setdefault(row["episode"], []).append(Stance.model_validate({**given, **blank}))
        return found

    def judgement_traces(self, key: EpisodeKey) -> list[bytes]:
        """Return the blobs of the traces of an episode's later ratings, oldest first.

        Raises:
            RunFolderError: when it has not begun.
        """
        with self._engine.begin() as connection:
            number = self._episode(connection, key)["id"]
            wanted = select(judgements.c.trace).where(judgements.c.episode == number, judgements.c.trace.is_not(None))
            return list(connection.execute(wanted.order_by(judgements.c.saved)).scalars())

    def opening_trace(self, profile: str, repeat: int) -> bytes | None:
        """Return the blob of the trace of an opening, or None when there is none."""
        wanted = select(openings.c.trace).where(openings.c.profile == profile, openings.c.repeat == repeat)
        with self._engine.begin() as connection:
            return connection.execute(wanted).scalar_one_or_none()

    def next_trace(self, number: int) -> int:
        """Return the number of an episode's next trace blob, by the episode's row id."""
        wanted = select(func.coalesce(func.max(traces.c.seq), -1) + 1).where(traces.c.episode == number)
        with self._engine.begin() as connection:
            return int(connection.execute(wanted).scalar_one())

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def _episode(self, connection: Connection, key: EpisodeKey) -> RowMapping:
        wanted = _EPISODES.where(
            episodes.c.profile == key.profile, episodes.c.supporter == key.supporter, episodes.c.repeat == key.repeat
        )
        row = connection.execute(wanted).mappings().one_or_none()
        if row is None:
            raise RunFolderError(f"{self._folder}: episode {key} has not begun, or is not in this run")
        return row


def _turns(connection: Connection, number: int) -> list[Row]:
    wanted = select(turns).where(turns.c.episode == number).order_by(turns.c.turn)
    return [cast("Row", row) for row in connection.execute(wanted).mappings()]


def _judgements(connection: Connection, number: int) -> tuple[Judgement, ...]:
    wanted = select(judgements.c.own, judgements.c.body).where(judgements.c.episode == number)
    return _judged((row.own, row.body) for row in connection.execute(wanted))


def _judged(rows: Iterable[tuple[bool, str]]) -> tuple[Judgement, ...]:
    """Return judgements in their order. Before version 3, only the column said whether one is the run's own."""
    found = ((bool(own), Judgement.model_validate_json(body)) for own, body in rows)
    return tuple(
        sorted((one if one.own is own else one.model_copy(update={"own": own}) for own, one in found), key=order)
    )


def _record(connection: Connection, row: RowMapping) -> EpisodeRecord:
    found = _judgements(connection, row["id"])
    state = _end(row, _turns(connection, row["id"]), _own(found))
    return EpisodeRecord.of(state, found)


def _end(row: RowMapping, rows: list[Row], verdict: Judgement | None) -> EpisodeState:
    last = cast("Role | None", row["last"])
    return at_end(
        _start(row), rows, turn=row["turn"], last=last, outcome=row["outcome"], reason=row["reason"], verdict=verdict
    )


def _own(found: Iterable[Judgement]) -> Judgement | None:
    return next(iter(primary(found)), None)


def _start(row: RowMapping) -> EpisodeState:
    return EpisodeState.model_validate_json(row["start"])


def _standing(row: RowMapping, own: set[Any]) -> Standing:
    return Standing(
        key=EpisodeKey(profile=row["profile"], supporter=row["supporter"], repeat=row["repeat"]),
        number=row["id"],
        attempt=row["attempt"],
        outcome=Outcome(row["outcome"]) if row["outcome"] else None,
        judged=row["id"] in own,
        spent=_spent(row),
    )


def _spent(row: RowMapping) -> Spent:
    return Spent.stored(*(row[name] for name in SPENT))


def _times(row: RowMapping) -> Times:
    return Times(**{name: row[name] for name in Times.__slots__})
