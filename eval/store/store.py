"""Writing a run: what the runner tells as it happens, made durable before the runner goes on."""

import sqlite3
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Delete, Insert, Update, bindparam, delete, insert, update
from sqlalchemy.dialects import sqlite

from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.secrets import hide_secrets
from emoharbor.eval.spent import Spent
from emoharbor.eval.store.database import close_writing, open_to_write
from emoharbor.eval.store.folder import DATABASE
from emoharbor.eval.store.reader import Reader
from emoharbor.eval.store.rows import turn_rows
from emoharbor.eval.store.schema import SPENT, episodes, judgements, judgings, openings, traces, turns
from emoharbor.eval.store.writer import Writer
from emoharbor.state.episode import Channels, EpisodeState
from emoharbor.state.verdict import Judgement

_BEGIN = insert(episodes)
_CLEAR = delete(turns).where(turns.c.episode == bindparam("id"), turns.c.turn >= bindparam("from_turn"))
_REOPEN = (
    update(episodes)
    .where(episodes.c.id == bindparam("id_"))
    .values(turn=bindparam("turn"), last=bindparam("last"), outcome=None, reason="", finished=None)
)
_TURN = insert(turns).prefix_with("OR REPLACE")
_AT = (
    update(episodes)
    .where(episodes.c.id == bindparam("id_"))
    .values({name: bindparam(name) for name in ("turn", "last", *SPENT)})
)
_END = (
    update(episodes)
    .where(episodes.c.id == bindparam("id_"))
    .values({name: bindparam(name) for name in ("turn", "last", "outcome", "reason", "finished", *SPENT)})
)
_OPENING = insert(openings).prefix_with("OR REPLACE")
_JUDGEMENT = insert(judgements).prefix_with("OR REPLACE")
_JUDGING = insert(judgings).prefix_with("OR REPLACE")
_TRACE = insert(traces).prefix_with("OR REPLACE")


class Store:
    """A run folder that is being written. One process has it at a time.

    Every method that is awaited returns once its rows have been synced to disk.
    """

    def __init__(self, folder: Path) -> None:
        """Open the database of a folder that `prepare` has given us.

        Raises:
            RunFolderError: when it cannot be written or is newer than this program.
        """
        self._engine = open_to_write(folder / DATABASE)
        self.reader = Reader(folder)
        self._next_id = self.reader.highest_id() + 1
        self._writer = Writer(self._engine, str(folder / DATABASE))
        self._open: dict[EpisodeKey, tuple[int, int]] = {}
        """Row id of each episode under way, and the first turn that is not saved yet."""
        self._traces: dict[int, int] = {}
        """By row id: the number of the next piece of an episode's trace."""

    async def begin(self, start: EpisodeState, attempt: int = 0) -> None:
        """Begin an episode from its first state."""
        number, self._next_id = self._next_id, self._next_id + 1
        self._open[_key(start)] = (number, 0)
        self._traces[number] = 0
        row = {
            "id": number, "profile": start.profile_id, "supporter": start.supporter, "repeat": start.repeat,
            "attempt": attempt, "start": start.model_dump_json(), "turn": 0, "last": None, "outcome": None,
            "reason": "", "started": time.time(), "counted": True,
        }  # fmt: skip
        await self._writer.write(lambda connection: _do(connection, (_BEGIN, row)))

    async def reopen(self, number: int, state: EpisodeState) -> None:
        """Go on with an episode from a state that was rebuilt; what came after it is dropped.

        Args:
            number: the episode's row id.
            state: the state it goes on from; with an outcome, when only the judge is still to come.
        """
        self._open[_key(state)] = (number, state.turn)
        # the pieces of the time before tell what happened then, also in the turn that is played again
        self._traces[number] = self.reader.next_trace(number)
        if state.outcome is not None:
            return
        where = {"id_": number, "turn": state.turn, "last": state.last}
        after = {"id": number, "from_turn": state.turn}
        # a turn in progress: a message that waits for a human's answer, or an inner world that was edited
        rows = _stamped(turn_rows(state.channels(), state.turn), number)
        await self._writer.write(lambda connection: _do(connection, (_CLEAR, after), (_TURN, rows), (_REOPEN, where)))

    async def save_turn(
        self,
        state: Channels,
        trace: bytes | None = None,
        spent: Spent = Spent(),  # noqa: B008 - a frozen value
    ) -> None:
        """Save a finished turn; the graph's `on_turn`.

        Args:
            state: the whole state.
            trace: of what ran since the last turn was saved.
            spent: by the episode so far.
        """
        key = EpisodeKey(profile=state["profile_id"], supporter=state["supporter"], repeat=state["repeat"])
        number, first = self._open[key]
        rows = _stamped(turn_rows(state, first), number)
        self._open[key] = (number, state["turn"])
        where = {"id_": number, "turn": state["turn"], "last": state["last"], **_columns(spent)}
        blobs = self._trace_rows(number, [trace] if trace else [])
        await self._writer.write(lambda connection: _do(connection, (_TURN, rows), (_AT, where), (_TRACE, blobs)))

    async def finish(
        self,
        state: EpisodeState,
        spent: Spent = Spent(),  # noqa: B008 - a frozen value
        traces: Sequence[bytes] = (),
    ) -> None:
        """Save the end of an episode, whatever its outcome.

        Args:
            state: the last state.
            spent: by all its calls.
            traces: of what ran since the last turn was saved.
        """
        number, first = self._open.pop(_key(state))
        rows = _stamped(turn_rows(state.channels(), first), number)
        end = {
            "id_": number, "turn": state.turn, "last": state.last, "outcome": state.outcome,
            "reason": hide_secrets(state.outcome_reason), "finished": time.time(), **_columns(spent),
        }  # fmt: skip
        verdict = [_judgement_row(number, state.verdict)] if state.verdict else []
        # a row of the last turn may stand there from before a resume
        stale = {"id": number, "from_turn": first}
        blobs = self._trace_rows(number, traces)
        del self._traces[number]
        await self._writer.write(
            lambda connection: _do(
                connection, (_CLEAR, stale), (_TURN, rows), (_END, end), (_JUDGEMENT, verdict), (_TRACE, blobs)
            )
        )

    async def save_opening(
        self,
        state: EpisodeState,
        spent: Spent = Spent(),  # noqa: B008 - a frozen value
        trace: bytes | None = None,
    ) -> None:
        """Save the opening of one person and repeat."""
        row = {
            "profile": state.profile_id, "repeat": state.repeat, "state": state.model_dump_json(), "saved": time.time(),
            "trace": trace, **_columns(spent),
        }  # fmt: skip
        await self._writer.write(lambda connection: _do(connection, (_OPENING, row)))

    async def save_judgement(self, number: int, judgement: Judgement, trace: bytes | None, judging: "Judging") -> None:
        """Save a rating of a finished episode.

        Args:
            number: the episode's row id.
            judgement: the rating.
            trace: of what it took.
            judging: the time of judging that it belongs to, with what that has used so far.
        """
        rows, spent = _judgement_row(number, judgement, trace), judging.row()
        await self._writer.write(lambda connection: _do(connection, (_JUDGEMENT, rows), (_JUDGING, spent)))

    async def save_judging(self, judging: "Judging") -> None:
        """Save what a time of judging has used, also for ratings that failed."""
        row = judging.row()
        await self._writer.write(lambda connection: _do(connection, (_JUDGING, row)))

    def _trace_rows(self, number: int, blobs: Sequence[bytes]) -> list[dict[str, Any]]:
        first = self._traces[number]
        self._traces[number] = first + len(blobs)
        return [{"episode": number, "seq": seq, "blob": blob} for seq, blob in enumerate(blobs, first)]

    def close(self) -> None:
        """Write what is waiting, and close the database."""
        self._writer.close()
        self.reader.close()
        close_writing(self._engine)


@dataclass(slots=True)
class Judging:
    """One time of judging a run again.

    Attributes:
        id: of its own.
        started: seconds since 1970, UTC.
        spent: by it so far.
    """

    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    started: float = field(default_factory=time.time)
    spent: Spent = field(default_factory=Spent)

    def row(self) -> dict[str, Any]:
        """Return it as it is kept."""
        return {"id": self.id, "started": self.started, "saved": time.time(), **_columns(self.spent)}


def _do(connection: Connection, *steps: tuple[Any, dict[str, Any] | list[dict[str, Any]]]) -> None:
    """Carry statements out in the transaction of `connection`, in SQLite's own hands: no result is to be read."""
    driver: sqlite3.Connection = connection.connection.driver_connection  # type: ignore[assignment]  # our engine's
    for statement, values in steps:
        for row in filter(None, values if isinstance(values, list) else [values]):
            sql, constants = _sql(statement, tuple(row))
            driver.execute(sql, {**constants, **row})


@cache
def _sql(statement: Insert | Update | Delete, names: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    """Return a statement as SQLite reads it, with named parameters, and the values that stand in the statement itself.

    To let SQLAlchemy prepare it anew for each turn takes four times as long as to write the turn.
    """
    columns = names if isinstance(statement, Insert) else None
    found = statement.compile(dialect=sqlite.dialect(paramstyle="named"), column_keys=columns)
    return str(found), {name: value for name, value in found.params.items() if name not in names}


def _stamped(rows: list[dict[str, Any]], number: int) -> list[dict[str, Any]]:
    now = time.time()
    return [{**row, "episode": number, "saved": now} for row in rows]


def _columns(spent: Spent) -> dict[str, Any]:
    return {
        "prompt_tokens": spent.prompt, "completion_tokens": spent.completion, "cached_tokens": spent.cached,
        "cost_usd": spent.cost_usd, "counted": spent.counted,
    }  # fmt: skip


def _judgement_row(number: int, judgement: Judgement, trace: bytes | None = None) -> dict[str, Any]:
    return {
        "episode": number, "judge_id": judgement.judge_id, "repeat": judgement.repeat,
        "control": judgement.control or "", "counterfactual": judgement.counterfactual or "",
        "with_log": judgement.with_log, "judge": judgement.judge, "own": judgement.own,
        "body": judgement.model_dump_json(), "saved": time.time(), "trace": trace,
    }  # fmt: skip


def _key(state: EpisodeState) -> EpisodeKey:
    return EpisodeKey(profile=state.profile_id, supporter=state.supporter, repeat=state.repeat)
