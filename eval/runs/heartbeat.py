"""Telling how far a run is although nothing ends."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress


@asynccontextmanager
async def heartbeat(beat: Callable[[], None], every_s: float) -> AsyncIterator[None]:
    """Call `beat` again and again inside the block: a run whose nodes all wait ends no turn that would tell."""

    async def go_on() -> None:
        while True:
            await asyncio.sleep(every_s)
            beat()

    task = asyncio.create_task(go_on())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
