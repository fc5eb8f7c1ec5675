"""Supporters that are a function."""

import asyncio
import functools
import sys
import threading
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda

from emoharbor.nodes.contract import Request
from emoharbor.nodes.supporters.function import function_supporter
from emoharbor.state.errors import CastError, SupporterFault
from emoharbor.state.outcome import Outcome

MakeRequest = Callable[..., Request]
Dicts = list[dict[str, str]]


def plain(messages: Dicts) -> str:
    """The target of the tests that name one."""
    return f"You said {messages[-1]['content']}."


async def waiting(messages: Dicts) -> str:
    return plain(messages)


def styled(style: str, messages: Dicts) -> str:
    return plain(messages)


async def styled_waiting(style: str, messages: Dicts) -> str:
    return plain(messages)


class Bot:
    def __call__(self, messages: Dicts) -> AIMessage:
        return AIMessage(plain(messages))

    def method(self, messages: Dicts) -> str:
        return plain(messages)


class WaitingBot:
    async def __call__(self, messages: Dicts) -> dict[str, str]:
        return {"message": plain(messages)}


def hands_on(messages: Dicts) -> Awaitable[str]:
    return waiting(messages)


FUNCTIONS = [
    pytest.param(plain, id="sync"),
    pytest.param(waiting, id="async"),
    pytest.param(functools.partial(styled, "kind"), id="partial"),
    pytest.param(functools.partial(styled_waiting, "kind"), id="async partial"),
    pytest.param(Bot(), id="object"),
    pytest.param(Bot().method, id="method"),
    pytest.param(WaitingBot(), id="async object"),
    pytest.param(hands_on, id="sync, returns an awaitable"),
    pytest.param(lambda messages: styled_waiting("kind", messages), id="lambda around async"),
    pytest.param(f"{__name__}:plain", id="named"),
]


@pytest.mark.parametrize("target", FUNCTIONS)
async def test_every_kind_of_function_answers(
    target: Any, make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, __name__, ModuleType(__name__))
    monkeypatch.setattr(sys.modules[__name__], "plain", plain, raising=False)

    update = await function_supporter(target)(make_request(1))

    assert update.message == "You said User 1."


async def test_a_sync_function_leaves_the_loop_free(make_request: MakeRequest) -> None:
    free = threading.Event()

    def blocks(_: Dicts) -> str:
        assert free.wait(timeout=30)
        return "Mm."

    answering = asyncio.ensure_future(function_supporter(blocks)(make_request()))
    asyncio.get_running_loop().call_soon(free.set)

    assert (await answering).message == "Mm."


async def test_no_answer_in_time_is_a_failure(make_request: MakeRequest) -> None:
    async def hangs(_: Dicts) -> str:
        await asyncio.Event().wait()
        return "never"

    with pytest.raises(SupporterFault, match=r"no answer within 0\.01 s") as fault:
        await function_supporter(hangs, timeout=0.01)(make_request())

    assert fault.value.outcome is Outcome.SUPPORTER_ERROR


async def test_a_timeout_of_its_own_is_not_called_ours(make_request: MakeRequest) -> None:
    async def gives_up(_: Dicts) -> str:
        raise TimeoutError("their database")

    with pytest.raises(TimeoutError, match="their database"):
        await function_supporter(gives_up)(make_request())


UNUSABLE = [
    pytest.param(7, "is int, which cannot be called", id="no function"),
    pytest.param(RunnableLambda(plain), "use `runnable` for it", id="a Runnable"),
    pytest.param(Bot, "is a class; name an instance", id="a class"),
    pytest.param(lambda: "Mm.", "does not take one argument", id="takes nothing"),
    pytest.param(lambda one, two: "Mm.", "does not take one argument", id="takes two"),
    pytest.param("os:nothing_here", "has no 'nothing_here'", id="unknown name"),
]


@pytest.mark.parametrize(("target", "problem"), UNUSABLE)
def test_what_cannot_answer_is_refused_when_it_is_built(target: Any, problem: str) -> None:
    with pytest.raises(CastError, match=problem):
        function_supporter(target)
