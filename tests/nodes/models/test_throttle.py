"""The limit on calls in flight eases off and recovers."""

import asyncio

from emoharbor.nodes.models.throttle import Throttle


async def used(throttle: Throttle, calls: int) -> int:
    """Return how many of `calls` were ever inside at once."""
    inside = most = 0

    async def one() -> None:
        nonlocal inside, most
        async with throttle:
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


async def test_a_call_that_is_given_up_while_it_waits_gives_its_place_back() -> None:
    throttle = Throttle(1)
    throttle.pushed_back(now(), 0.2)
    waiting = asyncio.ensure_future(used(throttle, 1))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)

    assert await asyncio.wait_for(used(throttle, 3), 5) == 1


async def test_who_waits_is_served_before_who_comes_later() -> None:
    throttle, served = Throttle(1), list[int]()

    async def one(number: int) -> None:
        async with throttle:
            served.append(number)
            await asyncio.sleep(0)
        if number == 0:
            await one(9)  # comes again at once, when others wait

    await asyncio.gather(*(one(number) for number in range(4)))
    assert served == [0, 1, 2, 3, 9]
