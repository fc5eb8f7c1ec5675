"""Python's garbage collector while episodes are played: seldom, and not over what was there before.

With the default thresholds a tenth of a run's CPU goes into looking for circles: every 700 new objects, and now and
then among all modules and profiles. Almost all that an episode makes is freed without that, by its reference counts.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_YOUNG = 10_000
"""New objects after which the young ones are looked at: what waits to be freed until then takes some megabytes."""

_PYTHONS = 10_000
"""Python freezes some hundred objects itself, from 3.12 on; whoever freezes a program's freezes more than that."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Collect seldom until the block ends; then everything is as it was.

    Where somebody has set higher thresholds, or switched the collector off, or has frozen objects of their own, that is
    left as it is.
    """
    before = gc.get_threshold()
    if not 0 < before[0] < _YOUNG or not gc.isenabled():
        yield
        return
    nobodys = gc.get_freeze_count() < _PYTHONS
    if nobodys:
        gc.freeze()
    gc.set_threshold(_YOUNG, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if nobodys:
            gc.unfreeze()
