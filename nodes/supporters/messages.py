"""What goes to a supporter, and reading its reply out of whatever it hands back."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, TypeVar

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, convert_to_messages

from emoharbor.nodes.contract import Request, Send
from emoharbor.nodes.models.reasoning import part
from emoharbor.state.errors import SupporterFault
from emoharbor.state.outcome import Outcome
from emoharbor.state.text import is_blank

T = TypeVar("T")
TIMEOUT = 600.0
"""Seconds after which a supporter that has not answered has failed to."""
_ROLES = {"human": "user", "ai": "assistant"}
# OpenAI and those like it say `finish_reason`, Anthropic `stop_reason`, Ollama `done_reason`; Google writes capitals
_ENDINGS = ("finish_reason", "stop_reason", "done_reason")
_REFUSED = {"content_filter", "refusal", "safety"}
_CUT_OFF = {"length", "max_tokens"}


def to_send(request: Request, send: Send) -> list[BaseMessage]:
    """Return the messages for this turn: the briefing as a system message, then the dialogue.

    With `last` it is the person's last message only, and the briefing once, at turn 0: the agent remembers the rest.
    """
    briefed = bool(request.briefing) and (send == "history" or request.turn == 0)
    briefing: list[BaseMessage] = [SystemMessage(content=request.briefing)] if briefed else []
    dialogue = request.messages if send == "history" else request.messages[-1:]
    return [*briefing, *dialogue]


def as_dicts(messages: Sequence[BaseMessage]) -> list[dict[str, str]]:
    """Return messages as `{"role": "system" | "user" | "assistant", "content": text}`."""
    return [{"role": _ROLES.get(message.type, message.type), "content": message.text} for message in messages]


def reply_text(output: object, sent: Sequence[BaseMessage] = ()) -> str:
    """Return the text of a reply: text itself, a message, messages, or a dict that holds one of these.

    Args:
        output: what the supporter gave back. Of several messages the last `AIMessage` counts, if it stands after what
            was sent: an agent that remembers, and says nothing, has its last answer as the last one.
        sent: what was sent.

    Raises:
        SupporterFault: refused, cut off by a token cap, empty, or no text at all.
    """
    reply = _reply(output, sent)
    if isinstance(reply, AIMessage):
        _check_ending(reply)
    # a local model's thought comes as text between tags, and is not said to the person
    text = part(reply if isinstance(reply, str) else str(reply.text)).text
    if not is_blank(text):
        return text
    kinds = [] if isinstance(reply, str) else _kinds(reply)
    if kinds:
        raise SupporterFault(Outcome.SUPPORTER_ERROR, f"the reply holds no text, only: {', '.join(kinds)}")
    raise SupporterFault(Outcome.SUPPORTER_EMPTY, "the reply shows nothing")


async def within(seconds: float, answer: Awaitable[T]) -> T:
    """Wait for an answer.

    Raises:
        SupporterFault: when there is none after so many seconds.
    """
    clock = asyncio.timeout(seconds)
    try:
        async with clock:
            return await answer
    except TimeoutError:
        if clock.expired():
            raise SupporterFault(Outcome.SUPPORTER_ERROR, f"no answer within {seconds:g} s") from None
        raise


def _reply(output: object, sent: Sequence[BaseMessage]) -> str | BaseMessage:
    if isinstance(output, str | BaseMessage):
        return output
    if isinstance(output, Mapping):
        for key in ("messages", "message"):
            if key in output:
                return _reply(output[key], sent)
        if "content" in output:
            return _as_messages([output])[0]
        keys = ", ".join(map(str, output)) or "none"
        raise _unusable(f"a dict without messages or message (its keys: {keys})")
    if isinstance(output, Sequence) and not isinstance(output, bytes | bytearray):
        return _last_answer(_as_messages(output), sent)
    raise _unusable(type(output).__name__)


def _last_answer(messages: Sequence[BaseMessage], sent: Sequence[BaseMessage]) -> BaseMessage:
    asked = max((place for place, message in enumerate(messages) if _is_one_of(message, sent)), default=-1)
    for message in reversed(messages[asked + 1 :]):
        if isinstance(message, AIMessage):
            return message
    raise SupporterFault(Outcome.SUPPORTER_EMPTY, "it added no AIMessage to the messages")


def _is_one_of(message: BaseMessage, sent: Sequence[BaseMessage]) -> bool:
    if not isinstance(message, HumanMessage):
        return False
    # an agent may rebuild the messages without their ids
    return any(message.text == one.text for one in sent) if message.id is None else message.id in {m.id for m in sent}


def _as_messages(items: Sequence[Any]) -> list[BaseMessage]:
    try:
        return convert_to_messages(items)
    except (ValueError, NotImplementedError, KeyError, TypeError) as error:
        raise _unusable(f"messages that LangChain cannot read ({error})") from error


def _check_ending(reply: AIMessage) -> None:
    refusal = reply.additional_kwargs.get("refusal") or "refusal" in _blocks(reply)
    endings = {str(reply.response_metadata.get(key)).lower() for key in _ENDINGS}
    if refusal or endings & _REFUSED:
        said = f": {refusal}" if isinstance(refusal, str) else ""
        raise SupporterFault(Outcome.SUPPORTER_REFUSED, f"the model refused{said}")
    if endings & _CUT_OFF:
        raise SupporterFault(Outcome.SUPPORTER_TRUNCATED, "the reply was cut off by a token cap")


def _kinds(reply: BaseMessage) -> list[str]:
    """What a message without text holds instead."""
    calls = ["tool calls"] if isinstance(reply, AIMessage) and reply.tool_calls else []
    return [*calls, *(kind for kind in _blocks(reply) if kind not in ("text", "tool_use", "tool_call"))]


def _blocks(reply: BaseMessage) -> list[str]:
    if isinstance(reply.content, str):
        return []
    return [str(block.get("type", "?")) for block in reply.content if isinstance(block, dict)]


def _unusable(what: str) -> SupporterFault:
    return SupporterFault(Outcome.SUPPORTER_ERROR, f"returned {what}; expected text, a message, or messages")
