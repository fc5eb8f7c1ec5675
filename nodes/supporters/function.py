"""Supporters that are a plain function of the dialogue."""

import asyncio
import functools
import inspect
from collections.abc import Callable
from typing import Any

from emoharbor.nodes.contract import Request, Send, Supporter
from emoharbor.nodes.parts import load_target
from emoharbor.nodes.supporters.messages import TIMEOUT, as_dicts, reply_text, to_send, within
from emoharbor.state.errors import CastError
from emoharbor.state.updates import SupporterUpdate

Dicts = list[dict[str, str]]


def function_supporter(target: str | Callable[..., Any], send: Send = "history", timeout: float = TIMEOUT) -> Supporter:
    """Make a supporter of a function that takes `[{"role": ..., "content": ...}, ...]` and returns the answer.

    The answer is text, an `AIMessage`, or a dict with `message`, `messages` or `content`. A function that is not
    async runs in a thread, so that it cannot hold up the other dialogues.

    Args:
        target: `package.module:object`, or the function itself: sync or async, or any object that can be called.
        send: `history`, or `last` for one that keeps the dialogue itself.
        timeout: seconds after which an answer is given up. A thread that hangs cannot be ended, only left behind.

    Raises:
        CastError: when the target cannot be found, or does not take one argument.
    """
    function = load_target(target, "target") if isinstance(target, str) else target
    _check(function, target)
    on_loop = _is_async(function)

    async def call(given: Dicts) -> object:
        result = function(given) if on_loop else await asyncio.to_thread(function, given)
        # a lambda or a wrapper around an async function is itself not async
        return await result if inspect.isawaitable(result) else result

    async def answer(request: Request) -> SupporterUpdate:
        sent = to_send(request, send)
        return SupporterUpdate(message=reply_text(await within(timeout, call(as_dicts(sent))), sent))

    return answer


def _check(function: object, target: object) -> None:
    if not callable(function):
        hint = "; use `runnable` for it" if hasattr(function, "ainvoke") else ""
        raise CastError(f"target {target!r} is {type(function).__name__}, which cannot be called{hint}")
    if inspect.isclass(function):
        raise CastError(f"target {target!r} is a class; name an instance of it, or a function")
    try:
        inspect.signature(function).bind([])
    except TypeError as error:
        hint = "if it makes a Runnable or a graph, use `runnable`"
        raise CastError(
            f"target {target!r} does not take one argument, the list of messages ({error}); {hint}"
        ) from None
    except ValueError:
        return  # a built-in does not say what it takes


def _is_async(function: Any) -> bool:
    while isinstance(function, functools.partial):
        function = function.func
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)
