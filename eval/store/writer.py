"""One thread that writes: it drains its queue, writes everything in one transaction, then lets the waiting go on.

Group commit makes a full sync to disk for each turn nearly free under load.
"""

import asyncio
import queue
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from emoharbor.state.errors import RunFolderError

Write = Callable[[Connection], None]
"""One unit of writing: all of it or none of it."""


@dataclass(frozen=True, slots=True)
class _Job:
    write: Write
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[None]


class Writer:
    """Writes to one database from one thread."""

    def __init__(self, engine: Engine, place: str) -> None:
        self._engine = engine
        self._place = place
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="emoharbor-store", daemon=True)
        self._thread.start()

    async def write(self, write: Write) -> None:
        """Write, and return once it has survived.

        Raises:
            RunFolderError: when it could not be written (disk full, read-only, locked).
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        self._jobs.put(_Job(write, loop, done))
        await done

    def close(self) -> None:
        """Write what is waiting and end the thread."""
        self._jobs.put(None)
        self._thread.join()

    def _work(self) -> None:
        open_for_more = True
        with self._engine.connect() as connection:  # to fetch it for each commit would cost as much as the commit
            while open_for_more:
                jobs = [self._jobs.get()]
                while not self._jobs.empty():
                    jobs.append(self._jobs.get_nowait())
                open_for_more = None not in jobs
                self._commit(connection, [job for job in jobs if job is not None])

    def _commit(self, connection: Connection, jobs: list[_Job]) -> None:
        if not jobs:
            return
        failure: Exception | None = None
        try:
            with connection.begin():
                for job in jobs:
                    job.write(connection)
        except (SQLAlchemyError, sqlite3.Error) as error:
            cause = getattr(error, "orig", None) or error
            failure = RunFolderError(f"{self._place}: cannot be written: {cause}; what was saved before is safe")
        except Exception as error:  # noqa: BLE001 - handed to those who wait, else they would wait for ever
            failure = error
        _tell(jobs, failure)


def _tell(jobs: list[_Job], failure: Exception | None) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = defaultdict(list)
    for job in jobs:
        by_loop[job.loop].append(job.done)
    for loop, waiting in by_loop.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(_settle, waiting, failure)


def _settle(waiting: list[asyncio.Future[None]], failure: Exception | None) -> None:
    for done in waiting:
        if done.done():  # the one who waited was cancelled; the write stands
            continue
        if failure is None:
            done.set_result(None)
        else:
            done.set_exception(failure)
