"""Supporters made with LangChain or LangGraph: any Runnable, chain, chat model or compiled graph."""

import inspect
from collections.abc import Mapping
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.base import RunnableBindingBase
from langgraph.graph import StateGraph
from langgraph.pregel import Pregel

from emoharbor.nodes.contract import Request, Send, Supporter
from emoharbor.nodes.parts import load_target
from emoharbor.nodes.supporters.messages import TIMEOUT, reply_text, to_send, within
from emoharbor.state.errors import CastError, SupporterFault
from emoharbor.state.outcome import Outcome
from emoharbor.state.updates import SupporterUpdate

AnyRunnable = Runnable[Any, Any]


def runnable_supporter(
    target: object, send: Send = "history", args: dict[str, Any] | None = None, timeout: float = TIMEOUT
) -> Supporter:
    """Make a supporter of a Runnable that takes `{"messages": [...]}`, or a list of messages as chat models do.

    Its config holds a `thread_id` (one dialogue's, never shared) and the trace, and nothing else.

    Args:
        target: `package.module:object`, or the object itself: a Runnable, or a function that returns one.
        send: `history`, or `last` for an agent that keeps the dialogue itself.
        args: arguments for the function, if the target is one.
        timeout: seconds after which an answer is given up.

    Raises:
        CastError: when the target cannot be found or made, or takes no messages.
    """
    runnable = _made(target, args or {})
    graph = _inner(runnable)
    _check_graph(graph, send)
    as_list = _takes_list(runnable)

    async def answer(request: Request) -> SupporterUpdate:
        sent = to_send(request, send)
        given: list[BaseMessage] | dict[str, Any] = sent if as_list else {"messages": sent}
        config = RunnableConfig(configurable={"thread_id": request.thread_id}, callbacks=request.callbacks)
        if request.turn == 0:
            await _forget(graph, request.thread_id)
        output = await within(timeout, runnable.ainvoke(given, config))
        if isinstance(output, Mapping) and output.get("__interrupt__"):
            raise SupporterFault(Outcome.SUPPORTER_ERROR, "the agent stopped to ask a human (interrupt)")
        return SupporterUpdate(message=reply_text(output, sent))

    return answer


def _made(target: object, args: Mapping[str, Any]) -> AnyRunnable:
    found = load_target(target, "target") if isinstance(target, str) else target
    if isinstance(found, StateGraph):
        raise CastError(f"target {target!r} is a StateGraph that is not compiled; name the result of .compile()")
    if not isinstance(found, Runnable) and callable(found):
        found = _called(found, target, args)
    if not isinstance(found, Runnable):
        raise CastError(f"target {target!r} gives {type(found).__name__}, which is no Runnable and no compiled graph")
    return found


def _called(factory: Any, target: object, args: Mapping[str, Any]) -> object:
    if inspect.iscoroutinefunction(factory):
        raise CastError(f"target {target!r} is an async function; name a plain one that returns the Runnable")
    try:
        inspect.signature(factory).bind(**args)
    except (TypeError, ValueError) as error:
        raise CastError(
            f"target {target!r} cannot be called: {error}; it is called to make the agent, with what stands under "
            "args. A function that answers messages itself is `use: callable`"
        ) from None
    return factory(**args)


def _inner(runnable: AnyRunnable) -> AnyRunnable:
    """The Runnable inside `.bind`, `.with_config`, `.with_retry`."""
    while isinstance(runnable, RunnableBindingBase):
        runnable = runnable.bound
    return runnable


def _check_graph(graph: AnyRunnable, send: Send) -> None:
    if not isinstance(graph, Pregel):
        return
    if graph.checkpointer and send == "history":
        raise CastError(
            "the graph keeps the dialogue itself (it has a checkpointer), so the whole dialogue would stand there "
            "twice; say `send: last`, or compile it without a checkpointer"
        )
    if graph.interrupt_before_nodes or graph.interrupt_after_nodes:
        raise CastError("the graph stops for a human (interrupt_before or interrupt_after); compile it without")


async def _forget(graph: AnyRunnable, thread: str) -> None:
    """Drop what an agent kept of a thread: a dialogue that is started again starts from nothing."""
    saver = graph.checkpointer if isinstance(graph, Pregel) else None
    if saver is not None and not isinstance(saver, bool):
        await saver.adelete_thread(thread)


def _takes_list(runnable: AnyRunnable) -> bool:
    """Tell whether the input is a list of messages, not a dict that holds it.

    Raises:
        CastError: when the input is a dict with other keys.
    """
    try:
        schema = runnable.get_input_jsonschema()
    except Exception:  # noqa: BLE001 - other people's types may refuse to be described in any way; most take a dict
        return False
    keys = schema.get("properties", {})
    # `root` is what LangChain calls an input that it knows nothing of
    if keys and "messages" not in keys and "root" not in keys:
        raise CastError(f"the target takes {', '.join(keys)}; a supporter gets messages")
    return any(option.get("type") == "array" for option in [schema, *schema.get("anyOf", [])])
