"""Asking the system under test in a clean room.

LangGraph hands a child graph its parent's context, configurable and metadata, through context variables. A supporter
could read the profile from there, so it runs in a context of its own, and gets only a `Request`. The trace is passed on
explicitly (`handoff.py`). This keeps the person out of all that a supporter is handed or can look up; it is no wall
against code that searches the memory of its own process.
"""

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from pydantic import ValidationError

from emoharbor.nodes.cast import Part
from emoharbor.nodes.contract import Request
from emoharbor.nodes.handoff import Handoff, hand_off
from emoharbor.nodes.supporters.faults import model_fault
from emoharbor.nodes.supporters.human import HUMAN
from emoharbor.state.episode import Channels
from emoharbor.state.errors import (
    BudgetReached,
    CastError,
    EmptyReply,
    ModelFault,
    NodeError,
    Refused,
    ReplyFault,
    SupporterFault,
    Truncated,
)
from emoharbor.state.outcome import Outcome
from emoharbor.state.seeds import derive_seed
from emoharbor.state.text import is_blank
from emoharbor.state.updates import SupporterUpdate

_READ_ONLY = ("chat", "callable", "recorded", "remote_graph", "human", "offline")
"""Built-in supporters that hand no message object on. All others get copies, 225 in a dialogue of 15 turns."""
_OUTCOMES: dict[type[ReplyFault], Outcome] = {
    Refused: Outcome.SUPPORTER_REFUSED,
    EmptyReply: Outcome.SUPPORTER_EMPTY,
    Truncated: Outcome.SUPPORTER_TRUNCATED,
}


async def ask_supporter(
    supporters: Mapping[str, Part], state: Channels, config: RunnableConfig, note: Callable[[str, str], None]
) -> SupporterUpdate:
    """Ask the state's supporter for its answer; faults that were mended on the way go to `note`.

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
    trace = hand_off(config.get("callbacks"))
    asked = request_for(state, config, trace, note, shared=part.use in _READ_ONLY)
    if part.use == HUMAN:
        # LangGraph's interrupt needs the node's own context; what reaches the human is made of the request alone
        update = await part.node(asked)  # type: ignore[call-arg, arg-type]  # a supporter's part holds a Supporter
    else:
        update = await asyncio.create_task(_answer(part, asked), context=trace.context())
    if not isinstance(update, SupporterUpdate):
        raise NodeError("supporter", part.name, f"returned {type(update).__name__}, expected SupporterUpdate")
    return _checked(update, part)


def request_for(
    state: Channels, config: RunnableConfig, trace: Handoff, note: Callable[[str, str], None], *, shared: bool = False
) -> Request:
    """Return all that the supporter may know of a state; with `shared` the messages are the state's own.

    A thread is one dialogue of one attempt. The run says which attempt it is, in the config's metadata under `attempt`;
    a LangGraph server's own thread does as well.
    """
    who = (state["profile_id"], state["repeat"], state["supporter"])
    metadata, configurable = config.get("metadata", {}), config.get("configurable", {})
    attempt = metadata.get("attempt") or metadata.get("thread_id") or configurable.get("thread_id") or ""
    return Request(
        messages=tuple(state["messages"] if shared else map(_bare, state["messages"])),
        thread_id=_thread("\x1f".join(map(str, (state["seed"], *who, attempt)))),
        turn=state["turn"],
        seed=derive_seed(state["seed"], *who, "supporter", state["turn"]),
        briefing=state["briefing"],
        callbacks=trace.callbacks,
        note=note,
    )


@lru_cache(maxsize=4096)  # the same for all turns of a dialogue
def _thread(dialogue: str) -> str:
    return hashlib.sha256(dialogue.encode()).hexdigest()[:32]


async def _answer(part: Part, request: Request) -> Any:
    try:
        return await part.node(request)  # type: ignore[call-arg, arg-type]  # a supporter's part holds a Supporter
    except (SupporterFault, BudgetReached):
        raise
    except ReplyFault as fault:
        raise _failed(fault) from fault
    except ModelFault:
        raise
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise SupporterFault(Outcome.SUPPORTER_ERROR, "it cancelled its own work") from error
    except (Exception, SystemExit) as error:
        # The code under test is not ours: whatever it raises is its failure to answer the person. That goes for
        # LangGraph's control flow too: let through, a child's Command for its parent would write into our state.
        raise _failure(error) from error


def _failed(fault: ReplyFault) -> SupporterFault:
    """A reply that cannot be used is the supporter's failure; a transport that fails is nobody's."""
    outcome = next((end for kind, end in _OUTCOMES.items() if isinstance(fault, kind)), Outcome.SUPPORTER_ERROR)
    return SupporterFault(outcome, str(fault))


def _failure(error: BaseException) -> SupporterFault | ModelFault:
    if (fault := model_fault(error)) is not None:
        return _failed(fault) if isinstance(fault, ReplyFault) else fault
    if isinstance(error, ValidationError) and error.title == SupporterUpdate.__name__ and _is_only_short(error):
        return SupporterFault(Outcome.SUPPORTER_EMPTY, "the reply is empty")
    return SupporterFault(Outcome.SUPPORTER_ERROR, f"{type(error).__name__}: {error}")


def _is_only_short(error: ValidationError) -> bool:
    return all(item["type"].endswith("too_short") for item in error.errors())


def _checked(update: SupporterUpdate, part: Part) -> SupporterUpdate:
    """Validate an update that may have been made by model_copy or model_construct."""
    try:
        checked = SupporterUpdate.model_validate(update)
    except ValidationError as error:
        if _is_only_short(error):
            raise SupporterFault(Outcome.SUPPORTER_EMPTY, "the reply is empty") from None
        raise NodeError("supporter", part.name, f"returned a wrong message: {error.errors()[0]['msg']}") from error
    if is_blank(checked.message):
        raise SupporterFault(Outcome.SUPPORTER_EMPTY, "the reply shows nothing")
    return checked


def _bare(message: AnyMessage) -> AnyMessage:
    """A message of the supporter's own: the words and the id, nothing shared with the state."""
    kind = HumanMessage if isinstance(message, HumanMessage) else AIMessage
    return kind(content=message.text, id=message.id)
