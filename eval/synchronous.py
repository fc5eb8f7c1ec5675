"""Doing what is async and waiting for it, from code that is not."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
_THREADS = 512
"""Most threads for supporters that are not async: one a dialogue under way, made when wanted."""


def wait_for(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to its end; in a thread of its own when this one has a running loop, as in a notebook."""
    if not _in_a_loop():
        return asyncio.run(_with_threads(make))
    with ThreadPoolExecutor(1, thread_name_prefix="emoharbor") as pool:
        return pool.submit(lambda: asyncio.run(_with_threads(make))).result()


async def _with_threads(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run it in a loop that has a thread for every dialogue; asyncio's own six or so would hold them up."""
    asyncio.get_running_loop().set_default_executor(_Threads(_THREADS, thread_name_prefix="emoharbor-sync"))
    return await make()


class _Threads(ThreadPoolExecutor):
    """Threads that nobody waits for at the end: one that hangs in somebody's code was given up already."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - the standard library's signature
        """Let the threads end by themselves."""
        super().shutdown(wait=False, cancel_futures=True)


def _in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
