"""The workers of a run."""

import asyncio
import time
from collections.abc import Coroutine
from itertools import pairwise
from typing import Any

import pytest

from emoharbor.eval.runs.crew import Crew

LONG_S = 60.0


def test_they_begin_one_after_the_other_and_work_at_once() -> None:
    began: list[float] = []
    met = asyncio.Barrier(4)

    async def worker() -> None:
        began.append(time.monotonic())
        await met.wait()

    asyncio.run(Crew().work(4, worker))

    assert len(began) == 4
    assert all(before < after for before, after in pairwise(began))


def test_the_first_error_ends_all_and_comes_out() -> None:
    ended: list[str] = []

    async def worker() -> None:
        if not ended:
            ended.append("one")
            await asyncio.sleep(0.01)
            raise ValueError("broken")
        try:
            await asyncio.sleep(LONG_S)
        except asyncio.CancelledError:
            ended.append("other")
            raise

    with pytest.raises(ValueError, match="broken"):
        asyncio.run(Crew().work(2, worker))

    assert ended == ["one", "other"]


async def _wound_down(grace_s: float, *, twice: bool) -> tuple[int, float]:
    """Return how many workers began, and the seconds until all ended."""
    crew, began = Crew(), 0

    def worker() -> Coroutine[Any, Any, None]:
        nonlocal began
        began += 1  # at once, and not when the loop comes to it
        return asyncio.sleep(LONG_S)

    at_work = asyncio.create_task(crew.work(1000, worker))
    await asyncio.sleep(0.02)
    since, so_far = time.monotonic(), began
    crew.wind_down(grace_s)
    assert crew.winds_down
    if twice:
        crew.wind_down(grace_s)
    await at_work
    assert began == so_far
    return began, time.monotonic() - since


@pytest.mark.parametrize("twice", [False, True])
def test_all_end_after_the_grace_time_or_at_the_second_call_and_no_more_begin(twice: bool) -> None:
    began, seconds = asyncio.run(_wound_down(LONG_S if twice else 0.05, twice=twice))

    assert 0 < began < 1000
    assert seconds < LONG_S / 2
