"""One event loop in a thread, so that the same models answer calls from any loop, and from code that has none."""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class Background:
    """A loop that runs from its first call until it is closed.

    Work runs in a context of its own. Of the caller's graph, trace or thread it sees nothing, and they see nothing of
    the person.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    def start(self, work: Callable[[], Coroutine[Any, Any, T]]) -> "Future[T]":
        """Run some work."""
        return asyncio.run_coroutine_threadsafe(_alone(work), self._running())

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run some work and wait for it in the caller's own loop."""
        return await asyncio.wrap_future(self.start(work))

    def close(self) -> None:
        """Stop the loop; nothing may be under way."""
        with self._lock:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._loop = None

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=_serve, args=(self._loop,), name="emoharbor-user", daemon=True).start()
            return self._loop


async def _alone(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    return await asyncio.create_task(work(), context=contextvars.Context())


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()
