"""Opening `run.db`: one connection that writes, any number that read while it does."""

import sqlite3
from pathlib import Path

from sqlalchemy import Connection, Engine, ExceptionContext, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.pool import NullPool, StaticPool

from emoharbor.eval.store.migrate import OLDEST, upgrade, views
from emoharbor.eval.store.schema import VERSION, metadata
from emoharbor.state.errors import RunFolderError

BUSY_SECONDS = 5.0
"""How long a connection waits for another one to let go."""


def open_to_write(path: Path) -> Engine:
    """Open or create the database; one of an earlier version is brought up to date.

    Raises:
        RunFolderError: when it cannot be opened, or is newer than this program.
    """
    engine = _writing(path)
    try:
        with engine.begin() as connection:
            found = check_version(connection, path)
            if found == 0:
                metadata.create_all(connection)
            elif found < VERSION:
                upgrade(connection, found)
            if found < VERSION:
                connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")
    except DatabaseError as error:
        engine.dispose()
        raise RunFolderError(f"{path}: cannot be opened for writing: {error.orig}") from None
    except RunFolderError:
        engine.dispose()
        raise
    return engine


def open_to_read(path: Path) -> Engine:
    """Open the database for reading only.

    Raises:
        RunFolderError: when there is none, it cannot be read, or is newer than this program.
    """
    if not path.is_file():
        raise RunFolderError(f"{path.parent}: holds no run.db, so no episode has begun yet")
    mode = "mode=ro"
    engine = _reading(path, mode)
    try:
        with engine.connect() as connection:
            found = check_version(connection, path)
    except OperationalError:
        # a folder that cannot be written: SQLite cannot keep its WAL index there, and nobody can be writing either
        engine.dispose()
        mode = "immutable=1"
        engine = _reading(path, mode)
        with engine.connect() as connection:
            found = check_version(connection, path)
    if found == 0:
        engine.dispose()
        raise RunFolderError(f"{path}: is empty; if episodes were played, put a copy of it back")
    if found < VERSION:
        engine.dispose()
        engine = _reading(path, mode, found)
    return _explaining(engine, path)


def _explaining(engine: Engine, path: Path) -> Engine:
    """Let what a damaged file makes SQLite say be one line of ours, whatever was asked."""

    @event.listens_for(engine, "handle_error")
    def explain(context: ExceptionContext) -> None:
        said = context.original_exception
        if isinstance(said, sqlite3.DatabaseError):
            mend = "" if isinstance(said, sqlite3.OperationalError) else "; it is damaged: put a copy of it back"
            raise RunFolderError(f"{path}: cannot be read: {said}{mend}") from None

    return engine


def close_writing(engine: Engine) -> None:
    """Close the database that `open_to_write` gave, and leave one plain file that can be copied and read anywhere."""
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        cursor.execute("PRAGMA busy_timeout = 0")
        cursor.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError:
        pass  # somebody is reading just now, or the disk is full: it stays as it is, which loses nothing
    finally:
        connection.close()
        engine.dispose()


def check_version(connection: Connection, path: Path) -> int:
    """Return the version of the schema; 0 for a new database.

    Raises:
        RunFolderError: for one of another version of this program, naming both, or for what is no database.
    """
    try:
        found = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    except OperationalError:
        raise
    except DatabaseError as error:
        raise RunFolderError(f"{path}: is no run database: {error.orig}") from None
    if found > VERSION:
        raise RunFolderError(
            f"{path}: has schema version {found}, this emoharbor knows up to {VERSION}; update emoharbor to read it"
        )
    if 0 < found < OLDEST:
        raise RunFolderError(
            f"{path}: has schema version {found}, this emoharbor reads {OLDEST} to {VERSION}; use the emoharbor that "
            "wrote it"
        )
    return found


def _writing(path: Path) -> Engine:
    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=BUSY_SECONDS)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    return _with_begin(create_engine("sqlite://", creator=connect, poolclass=StaticPool), "BEGIN IMMEDIATE")


def _reading(path: Path, mode: str, version: int = VERSION) -> Engine:
    address = f"{path.resolve().as_uri()}?{mode}"

    def connect() -> sqlite3.Connection:
        found = sqlite3.connect(address, uri=True, check_same_thread=False, isolation_level=None, timeout=BUSY_SECONDS)
        for statement in views(version):
            found.execute(statement)
        return found

    return _with_begin(create_engine("sqlite://", creator=connect, poolclass=NullPool), "BEGIN")


def _with_begin(engine: Engine, statement: str) -> Engine:
    """Let SQLAlchemy begin transactions itself: the sqlite3 module would begin them late, and not for reads."""

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(statement)

    return engine
