"""Ctrl-C and SIGTERM: the first asks the run to wind down, the second ends it at once, a third the process."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def leave(code: int) -> NoReturn:
    """End an interrupted process: all is saved, and a thread that hangs in somebody's code must not hold it.

    Args:
        code: exit code.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


@contextmanager
def stop_signals(wind_down: Callable[[], None]) -> Iterator[None]:
    """Call `wind_down` in the running loop at each signal, while the context lasts.

    Does nothing outside the main thread, where no signal arrives.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    times = 0

    def asked(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - what the system calls
        nonlocal times
        times += 1
        if times > 2:
            os._exit(INTERRUPTED)  # somebody's code blocks the loop; what is finished is saved already
        loop.call_soon_threadsafe(wind_down)

    before = {number: signal.signal(number, asked) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
