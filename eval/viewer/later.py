"""Work that takes longer than a page may: done once in the background, shown when it is there."""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

T = TypeVar("T")
PATIENCE = 0.1
"""Seconds a page waits for work that is not done yet."""


class Later(Generic[T]):
    """The newest value of one figure.

    Attributes:
        fresh: whether the last value given out was made for the key it was asked for.
    """

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._key: Hashable = None
        self._work: Future[T] | None = None
        self._last: T | None = None
        self._awaited: Future[T] | None = None
        self.fresh = False

    def get(self, key: Hashable, make: Callable[[], T], patience: float = PATIENCE) -> T | None:
        """Return the value for a key; while it is being made, the one before; None when there is none yet.

        An error of `make` is raised here, and the work is tried again at the next call.
        """
        with self._lock:
            if self._work is None or (self._work.done() and self._key != key):
                self._keep()
                self._key, self._work = key, self._pool.submit(make)
            work = self._work
            # a page asks in several places, and waits once
            patience = 0 if work is self._awaited else patience
            self._awaited = work
        try:
            value = work.result(patience)
        except TimeoutError:
            self.fresh = False
            return self._last
        except Exception:
            with self._lock:
                self._work = None
            raise
        self.fresh = self._key == key
        return value

    def _keep(self) -> None:
        if self._work is not None and self._work.exception() is None:
            self._last = self._work.result()
