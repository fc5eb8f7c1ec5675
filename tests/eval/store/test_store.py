"""The database: durable before it returns, readable while it is written, clear when it fails."""

import asyncio
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.spent import Spent
from emoharbor.eval.store.database import open_to_read, open_to_write
from emoharbor.eval.store.reader import Reader
from emoharbor.eval.store.store import Store
from emoharbor.eval.store.writer import Writer
from emoharbor.state.dialogue import supporter_message, user_message
from emoharbor.state.episode import EpisodeState
from emoharbor.state.errors import RunFolderError
from emoharbor.state.outcome import Outcome

KEY = EpisodeKey(profile="P040", supporter="one")


def answered(start: EpisodeState) -> EpisodeState:
    """A state after one turn."""
    messages = [user_message(0, "Hm \ud800."), supporter_message(0, "你好")]
    return start.model_copy(update={"turn": 1, "last": "supporter", "messages": messages, "worlds": (start.inner,)})


async def test_a_saved_turn_is_read_by_another_connection_at_once(tmp_path: Path, person_state: EpisodeState) -> None:
    store, reader = Store(tmp_path), Reader(tmp_path)

    await store.begin(person_state)
    await store.save_turn(answered(person_state).channels())

    assert reader.rebuild(KEY, 1) == answered(person_state)
    assert reader.record(KEY).turns[0].supporter == "你好"
    assert reader.record(KEY).outcome is None
    store.close()


async def test_a_turn_that_is_not_finished_has_no_state(tmp_path: Path, person_state: EpisodeState) -> None:
    store = Store(tmp_path)
    await store.begin(person_state)

    assert store.reader.rebuild(KEY, 0) == person_state
    with pytest.raises(RunFolderError, match="episode P040/one/0 has 0 finished turns, not 1"):
        store.reader.rebuild(KEY, 1)
    store.close()


async def test_tokens_stand_beside_the_episode_and_missing_is_not_0(tmp_path: Path, person_state: EpisodeState) -> None:
    store = Store(tmp_path)
    await store.begin(person_state)
    end = person_state.model_copy(update={"outcome": Outcome.SUPPORTER_ERROR, "outcome_reason": "key sk-12345678abc"})
    await store.finish(end, Spent(prompt=10, completion=None, cached=0))

    ((record, times),) = store.reader.records()
    assert (times.prompt_tokens, times.completion_tokens, times.cached_tokens) == (10, None, 0)
    assert record.outcome_reason == "key [key]"
    store.close()


async def test_writes_that_wait_together_are_one_transaction(tmp_path: Path) -> None:
    engine = open_to_write(tmp_path / "run.db")
    writer, transactions = Writer(engine, "run.db"), set[int]()

    def note(connection: Connection) -> None:
        transactions.add(id(connection.get_transaction()))
        connection.execute(text("INSERT INTO traces VALUES (1, (SELECT count(*) FROM traces), x'00')"))

    def parent(connection: Connection) -> None:
        row = "INSERT INTO episodes (id, profile, supporter, repeat, attempt, start, turn, reason, started)"
        connection.execute(text(f"{row} VALUES (1, 'a', 'b', 0, 0, '{{}}', 0, '', 0)"))

    await writer.write(parent)
    await asyncio.gather(*(writer.write(note) for _ in range(200)))
    writer.close()

    with engine.begin() as connection:
        assert connection.execute(text("SELECT count(*) FROM traces")).scalar_one() == 200
    engine.dispose()
    assert len(transactions) < 200


async def test_a_full_disk_is_one_clear_line_and_what_was_saved_is_safe(
    tmp_path: Path, person_state: EpisodeState
) -> None:
    store = Store(tmp_path)
    await store.begin(person_state)

    def shrink(connection: Connection) -> None:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

    await store._writer.write(shrink)
    long = answered(person_state).model_copy(update={"messages": [user_message(0, "x" * 100_000)]})
    with pytest.raises(RunFolderError, match="cannot be written: database or disk is full; what was saved before"):
        await store.save_turn(long.channels())

    assert store.reader.rebuild(KEY, 0) == person_state
    store.close()


async def test_a_writer_that_has_a_bug_says_so_to_those_who_wait(tmp_path: Path) -> None:
    engine = open_to_write(tmp_path / "run.db")
    writer = Writer(engine, "run.db")

    def bug(_: Connection) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await writer.write(bug)
    writer.close()
    engine.dispose()


async def test_a_write_whose_caller_was_cancelled_stands(tmp_path: Path, person_state: EpisodeState) -> None:
    store = Store(tmp_path)
    task = asyncio.create_task(store.begin(person_state))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    store.close()

    assert Reader(tmp_path).rebuild(KEY) == person_state


async def test_a_database_that_is_being_read_can_be_closed(tmp_path: Path, person_state: EpisodeState) -> None:
    store = Store(tmp_path)
    await store.begin(person_state)
    engine = open_to_read(tmp_path / "run.db")

    with engine.begin() as connection:
        connection.execute(text("SELECT * FROM episodes")).all()
        store.close()

    assert Reader(tmp_path).rebuild(KEY) == person_state
    engine.dispose()


async def test_nothing_of_a_trace_is_written_twice(tmp_path: Path, person_state: EpisodeState) -> None:
    store = Store(tmp_path)
    await store.begin(person_state)
    state = answered(person_state)
    turns = [b"turn %d" % number * 2_000 for number in range(10)]
    for turn in turns:
        await store.save_turn(state.channels(), trace=turn)
    end = state.model_copy(update={"outcome": Outcome.TURN_CAP})
    await store.finish(end, Spent(), traces=[b"the rest"])
    store.close()

    assert (tmp_path / "run.db").stat().st_size < 1.3 * len(b"".join(turns)) + 60_000
    assert Reader(tmp_path).traces(KEY) == [*turns, b"the rest"]


def test_every_write_is_synced_to_disk(tmp_path: Path) -> None:
    engine = open_to_write(tmp_path / "run.db")

    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == 2
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
    engine.dispose()


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    open_to_write(tmp_path / "run.db").dispose()
    engine = open_to_read(tmp_path / "run.db")

    with engine.connect() as connection, pytest.raises(Exception, match="readonly") as caught:
        connection.exec_driver_sql("DELETE FROM episodes")
    assert isinstance(caught.value.__cause__, sqlite3.OperationalError)
    engine.dispose()
