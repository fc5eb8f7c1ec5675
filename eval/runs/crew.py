"""The workers of a run: so many at once, begun one after the other, ended together."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from emoharbor.eval.runs.mishap import first_of

_APART_S = 0.005
"""Between two beginnings. Workers that begin as one ask as one and are answered as one, turn after turn: in between an
endpoint waits for us, and then we for it. Apart by what a call costs us, they stay apart."""


class Crew:
    """Works until nothing is left to do, or until it is told to stop."""

    def __init__(self) -> None:
        self._workers: list[asyncio.Task[None]] = []
        self.winds_down = False

    async def work(self, places: int, worker: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Let so many workers work, and wait for all, also for those that are ended.

        Raises:
            Exception: the first that one of them raised; the others are cancelled.
        """
        try:
            async with asyncio.TaskGroup() as group:
                for place in range(places):
                    if place:
                        await asyncio.sleep(_APART_S)
                    if self.winds_down:
                        break
                    self._workers.append(group.create_task(worker()))
        except BaseExceptionGroup as errors:
            raise first_of(errors) from None
        finally:
            self._workers = []

    def wind_down(self, grace_s: float) -> None:
        """Begin no more, and end all after a grace time; called again, at once."""
        if self.winds_down:
            self._end()
            return
        self.winds_down = True
        asyncio.get_running_loop().call_later(grace_s, self._end)

    def _end(self) -> None:
        for worker in self._workers:
            worker.cancel()
