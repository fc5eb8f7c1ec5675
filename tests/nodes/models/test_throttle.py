"""The limit on calls in flight eases off and recovers."""

import asyncio

from emoharbor.nodes.models.throttle import Throttle


async def used(throttle: Throttle, calls: int) -> int:
    """Return how many of `calls` were ever inside at once."""
    inside = most = 0

    async def one() -> None:
        nonlocal inside, most
        async with throttle.slot():
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(one() for _ in range(calls)))
    return most


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_no_more_calls_than_the_limit_are_in_flight() -> None:
    assert await used(Throttle(3), 20) == 3


async def test_the_limit_halves_once_for_one_burst_of_complaints() -> None:
    throttle = Throttle(16)
    sent = now()
    for _ in range(10):
        throttle.pushed_back(sent, None)
    assert (throttle.limit, throttle.lowest) == (8, 8)
    assert await used(throttle, 20) == 8


async def test_one_call_is_always_let_through() -> None:
    throttle = Throttle(2)
    for _ in range(5):
        throttle.pushed_back(now(), None)
    assert throttle.limit == 1


async def test_good_replies_bring_the_limit_back_and_not_beyond() -> None:
    throttle = Throttle(4)
    throttle.pushed_back(now(), None)
    for _ in range(100):
        throttle.went_well()
    assert (throttle.limit, throttle.lowest) == (4, 2)


async def test_everybody_waits_as_long_as_the_endpoint_asked() -> None:
    throttle = Throttle(4)
    throttle.pushed_back(now(), 0.05)
    start = now()
    await used(throttle, 4)
    assert now() - start >= 0.05


async def test_the_lower_of_two_settings_counts() -> None:
    throttle = Throttle(8)
    throttle.lower_to(2)
    throttle.lower_to(6)
    assert throttle.limit == 2
