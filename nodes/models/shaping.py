"""What is sent of a prompt, and what a reply to it is worth."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from emoharbor.nodes.models.jsontext import is_complete
from emoharbor.state.errors import EmptyReply, Refused, ReplyFault, Truncated
from emoharbor.state.text import is_blank


def shaped(messages: Sequence[BaseMessage], words: str, *, folds_system: bool) -> list[BaseMessage]:
    """Return the messages to send.

    Args:
        messages: the prompt.
        words: goes to the end of the system text, which stays the same from call to call.
        folds_system: whether the model takes no system role.
    """
    sent = list(messages)
    first = sent[0] if sent else None
    if words and isinstance(first, SystemMessage):
        sent[0] = SystemMessage(f"{first.text}\n\n{words}")
    elif words:
        sent.insert(0, SystemMessage(words))
    return folded(sent) if folds_system else sent


def folded(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return messages without a system role: its text goes into the first user message, and neighbours are joined."""
    out: list[BaseMessage] = []
    for message in messages:
        plain = HumanMessage(message.content) if isinstance(message, SystemMessage) else message
        if out and isinstance(plain, HumanMessage) and isinstance(out[-1], HumanMessage):
            out[-1] = HumanMessage(f"{out[-1].text}\n\n{plain.text}")
        else:
            out.append(plain)
    return out


def fault_of_reply(reply: AIMessage, cap: int, *, structured: bool) -> ReplyFault | None:
    """Return why a reply cannot be used, or None.

    Args:
        reply: what came.
        cap: the token cap it had.
        structured: whether JSON was asked for; a whole object is taken even if what followed it was cut off.
    """
    text, finish = str(reply.content), reply.response_metadata.get("finish_reason")
    refusal = reply.additional_kwargs.get("refusal") or ""
    if refusal or finish == "content_filter":
        return Refused(f"the model refused: {refusal}" if refusal else "stopped by a content filter", raw=text)
    if finish == "length" and not (structured and is_complete(text)):
        return Truncated(f"the reply was cut off at {cap} tokens", raw=text)
    return EmptyReply("the reply is empty", raw=text) if is_blank(text) else None
