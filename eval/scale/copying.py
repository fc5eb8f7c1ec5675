"""The database of a run being joined from shards: SQLite copies the rows itself, from file to file."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from sqlalchemy import Column, Table

from emoharbor.eval.store.database import close_writing, open_to_write
from emoharbor.eval.store.folder import DATABASE, sync_folder
from emoharbor.eval.store.migrate import OLDEST
from emoharbor.eval.store.schema import VERSION, episodes, metadata
from emoharbor.state.errors import RunFolderError

_DONE = "joined_shards"
"""Says which shards the draft holds; dropped at the end."""
_TWICE = """
SELECT s.profile || '/' || s.supporter || '/' || s.repeat FROM shard.episodes s
JOIN main.episodes e ON e.profile = s.profile AND e.supporter = s.supporter AND e.repeat = s.repeat LIMIT 1
"""
_AHEAD = """
SELECT EXISTS (
  SELECT 1 FROM shard.episodes s
  LEFT JOIN main.episodes e
    ON e.profile = s.profile AND e.supporter = s.supporter AND e.repeat = s.repeat AND e.attempt = s.attempt
  WHERE e.id IS NULL OR s.turn > e.turn OR coalesce(s.finished, 0) > coalesce(e.finished, 0)
)
"""
_FINISHED = "SELECT count(*) FROM main.episodes WHERE outcome IS NOT NULL AND outcome <> 'infrastructure'"


class Joined:
    """A database that shards are joined into, or were.

    Use it as a context manager. Rows are copied in one transaction a shard, so that memory stays flat and a merge that
    was broken off goes on with the next shard.
    """

    def __init__(self, path: Path) -> None:
        """Open one that is there."""
        self._path = path
        self._connection = sqlite3.connect(path.resolve().as_uri(), uri=True, isolation_level=None)

    @classmethod
    def draft(cls, path: Path) -> Self:
        """Open one to copy into, and make it when it is not there.

        Raises:
            RunFolderError: when it cannot be written.
        """
        close_writing(open_to_write(path))  # leaves one plain file: appending to it needs hardly any journal
        return cls(path)

    def __enter__(self) -> Self:
        """Do nothing yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self._connection.close()

    def finished(self) -> int:
        """Return how many episodes need not be run again."""
        return self._number(_FINISHED)

    def lacks(self, folder: Path) -> bool:
        """Return whether a shard holds an episode, a turn or an end that this does not."""
        with self._attached(folder):
            return bool(self._one(_AHEAD))

    def holds(self, number: int) -> bool:
        """Return whether a shard was copied before the merge was broken off."""
        with _explained(self._path):
            self._connection.execute(f"CREATE TABLE IF NOT EXISTS {_DONE} (number INTEGER PRIMARY KEY)")
            return bool(self._one(f"SELECT EXISTS (SELECT 1 FROM {_DONE} WHERE number = {number:d})"))  # noqa: S608 - an int

    def add(self, number: int, folder: Path) -> None:
        """Copy a shard.

        Raises:
            RunFolderError: when an episode is there already, or something cannot be read or written.
        """
        with self._attached(folder), _explained(self._path):
            twice = self._one(_TWICE)
            if twice is not None:
                raise RunFolderError(f"{folder}: holds episode {twice}, which another shard holds as well")
            offset = self._number("SELECT coalesce(max(id), 0) FROM main.episodes")
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                for table in metadata.sorted_tables:
                    self._connection.execute(_copy(table, offset))
                self._connection.execute(f"INSERT INTO {_DONE} VALUES (?)", (number,))  # noqa: S608 - our own name
                self._connection.execute("COMMIT")
            except sqlite3.Error:
                self._connection.rollback()
                raise

    def publish(self) -> None:
        """Give it its name: from now on it is the run's database."""
        with _explained(self._path):
            self._connection.execute(f"DROP TABLE IF EXISTS {_DONE}")
        self._connection.close()
        try:
            self._path.replace(self._path.with_name(DATABASE))
            sync_folder(self._path.parent)
        except OSError as error:
            raise RunFolderError(f"{self._path}: cannot be written: {error.strerror}") from None

    @contextmanager
    def _attached(self, folder: Path) -> Iterator[None]:
        """Have a shard's database at hand, read-only."""
        path = folder / DATABASE
        with _explained(path, "read"):
            self._attach(path)
        try:
            found = self._number("PRAGMA shard.user_version")
            if not OLDEST < found <= VERSION:  # those after the oldest have the same tables
                raise RunFolderError(
                    f"{path}: has schema version {found}, this emoharbor merges {OLDEST + 1} to {VERSION}; merge with "
                    "the emoharbor that ran the shards"
                )
            yield
        finally:
            self._connection.execute("DETACH shard")

    def _attach(self, path: Path) -> None:
        address = path.resolve().as_uri()
        self._connection.execute("ATTACH ? AS shard", (f"{address}?mode=ro",))
        try:
            self._one("PRAGMA shard.schema_version")
        except sqlite3.OperationalError:
            # a folder that cannot be written: SQLite cannot keep its WAL index there, and nobody can be writing either
            self._connection.execute("DETACH shard")
            self._connection.execute("ATTACH ? AS shard", (f"{address}?immutable=1",))

    def _one(self, statement: str) -> int | str | None:
        row = self._connection.execute(statement).fetchone()
        found: int | str | None = None if row is None else row[0]
        return found

    def _number(self, statement: str) -> int:
        return int(self._one(statement) or 0)


def _copy(table: Table, offset: int) -> str:
    """Return the statement that copies a table; episodes get new row ids, and what points at them follows."""
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    values = ", ".join(
        f'"{column.name}" + {offset:d}' if _names_an_episode(column) else f'"{column.name}"' for column in table.columns
    )
    return f'INSERT INTO main."{table.name}" ({names}) SELECT {values} FROM shard."{table.name}"'  # noqa: S608 - the schema's own names


def _names_an_episode(column: Column[object]) -> bool:
    key = episodes.c.id
    return column is key or any(foreign.column is key for foreign in column.foreign_keys)


@contextmanager
def _explained(path: Path, what: str = "written") -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise RunFolderError(f"{path}: cannot be {what}: {error}") from None
