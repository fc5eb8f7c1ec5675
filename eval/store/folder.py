"""A run folder: `manifest.json`, `run.db`, and a lock while somebody writes into it."""

import os
import sqlite3
from pathlib import Path

from emoharbor.state.errors import RunFolderError

MANIFEST, DATABASE, LOCK = "manifest.json", "run.db", "run.lock"


class FolderLock:
    """Held while a process writes into a run folder; the system lets go of it when the process dies.

    It is a write lock on an empty SQLite file: the same on every system, and already a dependency.
    """

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            RunFolderError: when somebody else holds it, or the folder cannot be written.
        """
        try:
            self._connection = sqlite3.connect(folder / LOCK, timeout=0, isolation_level=None, check_same_thread=False)
        except sqlite3.OperationalError as error:
            raise RunFolderError(f"{folder}: cannot be written: {error}") from None
        try:
            self._connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            self._connection.close()
            if "locked" in str(error):
                raise RunFolderError(f"{folder}: another run is writing into this folder; wait for it to end") from None
            raise RunFolderError(f"{folder}: cannot be written: {error}") from None

    def release(self) -> None:
        """Let go."""
        self._connection.close()


def is_written(folder: Path) -> bool:
    """Tell whether a process is writing into a run folder at this moment."""
    path = folder / LOCK
    if not path.is_file():
        return False
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=0)
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        return "locked" in str(error)
    finally:
        connection.close()
    return False


def prepare(folder: Path, *, resume: bool) -> FolderLock:
    """Make the folder ready for a run and take its lock.

    Raises:
        RunFolderError: when it holds something already (and we do not resume), holds no run (and we do), is taken,
            or cannot be written.
    """
    if resume and not (folder / MANIFEST).is_file():
        raise RunFolderError(f"{folder}: holds no run to go on with; start one without --resume")
    if resume:
        return FolderLock(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _must_be_free(folder)
        lock = FolderLock(folder)
        _must_be_free(folder)  # another run may have come and gone meanwhile
    except OSError as error:
        raise RunFolderError(f"{folder}: cannot be made: {error.strerror}") from None
    return lock


def _must_be_free(folder: Path) -> None:
    if (folder / MANIFEST).is_file():
        raise RunFolderError(f"{folder}: already holds a run; go on with it by --resume, or name another folder")
    ours = (LOCK, f"{LOCK}-journal", f".{MANIFEST}.draft")
    if any(item.name not in ours for item in folder.iterdir()):
        raise RunFolderError(f"{folder}: is not empty and holds no run; name a new folder")


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all, also after a loss of power.

    Raises:
        RunFolderError: when it cannot be written.
    """
    try:
        draft = path.with_name(f".{path.name}.draft")
        with draft.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise RunFolderError(f"{path}: cannot be written: {error.strerror}") from None


def sync_folder(folder: Path) -> None:
    """Make what was renamed in a folder survive a loss of power."""
    if os.name != "posix":
        return  # other systems cannot open a folder, and do not need it
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
