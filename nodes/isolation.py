"""Asking the system under test in a clean room.

LangGraph hands a child graph its parent's context, configurable and metadata, through context variables. A supporter
could read the profile from there, so it runs in a context with no variables at all, and gets only a `Request`. The
trace is passed on explicitly, stripped of our tags and metadata.
"""

import asyncio
import contextvars
import hashlib
from collections.abc import Mapping
from typing import Any

from langchain_core.callbacks import AsyncCallbackManager, BaseCallbackManager
from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphBubbleUp

from emoharbor.nodes.cast import Part
from emoharbor.nodes.contract import Request
from emoharbor.state.episode import Channels
from emoharbor.state.errors import CastError, EmptyReply, ModelFault, NodeError, Refused, SupporterFault, Truncated
from emoharbor.state.outcome import Outcome
from emoharbor.state.seeds import derive_seed
from emoharbor.state.text import is_blank
from emoharbor.state.updates import SupporterUpdate

_OUTCOMES: dict[type[ModelFault], Outcome] = {
    Refused: Outcome.SUPPORTER_REFUSED,
    EmptyReply: Outcome.SUPPORTER_EMPTY,
    Truncated: Outcome.SUPPORTER_TRUNCATED,
}


async def ask_supporter(supporters: Mapping[str, Part], state: Channels, config: RunnableConfig) -> SupporterUpdate:
    """Ask the state's supporter for its answer.

    Raises:
        SupporterFault: refused, empty, truncated, or an error of the supporter's own.
        EndpointFault: the transport failed.
        NodeError: it returned something that is no `SupporterUpdate`.
        CastError: the state names a supporter the graph does not have.
    """
    name = state["supporter"]
    if name not in supporters:
        raise CastError(f"supporter {name!r} is not in this graph; it has: {', '.join(supporters)}")
    part = supporters[name]
    room = contextvars.Context()
    call = asyncio.create_task(_answer(part, request_for(state, config)), context=room)
    update = await call
    if not isinstance(update, SupporterUpdate):
        raise NodeError("supporter", part.name, f"returned {type(update).__name__}, expected SupporterUpdate")
    if is_blank(update.message):
        raise SupporterFault(Outcome.SUPPORTER_EMPTY, "the reply shows nothing")
    return update


def request_for(state: Channels, config: RunnableConfig) -> Request:
    """Return all that the supporter may know of a state."""
    who = (state["profile_id"], state["repeat"], state["supporter"])
    # a thread is one dialogue of one attempt: the graph run's own id tells attempts apart
    attempt = str(config.get("metadata", {}).get("attempt", ""))
    thread = hashlib.sha256("\x1f".join(map(str, (state["seed"], *who, attempt))).encode()).hexdigest()[:32]
    return Request(
        messages=tuple(message.model_copy() for message in state["messages"]),
        thread_id=thread,
        turn=state["turn"],
        seed=derive_seed(state["seed"], *who, "supporter", state["turn"]),
        briefing=state["briefing"],
        callbacks=_bare(config.get("callbacks")),
    )


async def _answer(part: Part, request: Request) -> Any:
    try:
        return await part.node(request)  # type: ignore[call-arg, arg-type]  # a supporter's part holds a Supporter
    except (SupporterFault, GraphBubbleUp):
        raise
    except ModelFault as fault:
        outcome = _OUTCOMES.get(type(fault))
        if outcome is None:
            raise
        raise SupporterFault(outcome, str(fault)) from fault
    except Exception as error:
        # the code under test is not ours: whatever it raises is its failure to answer the person
        raise SupporterFault(Outcome.SUPPORTER_ERROR, f"{type(error).__name__}: {error}") from error


def _bare(callbacks: object) -> BaseCallbackManager | None:
    """The trace's handlers and parent run, without tags and metadata."""
    if not isinstance(callbacks, BaseCallbackManager):
        return None
    return AsyncCallbackManager(
        handlers=list(callbacks.handlers),
        inheritable_handlers=list(callbacks.inheritable_handlers),
        parent_run_id=callbacks.parent_run_id,
    )
