"""The dialogue: LangChain messages with ids of ours, `u3` for the person and `a3` for the supporter at turn 3."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage

from emoharbor.state.base import Frozen
from emoharbor.state.text import clean


class Exchange(Frozen):
    """One turn: what the person said and what the supporter answered (None when nothing was answered)."""

    turn: int
    user: str
    supporter: str | None = None


def user_message(turn: int, text: str) -> HumanMessage:
    """Make the person's message of one turn."""
    return HumanMessage(content=clean(text), id=f"u{turn}")


def supporter_message(turn: int, text: str) -> AIMessage:
    """Make the supporter's message of one turn."""
    return AIMessage(content=clean(text), id=f"a{turn}")


def exchanges(messages: Sequence[BaseMessage]) -> tuple[Exchange, ...]:
    """Fold the messages of an episode into turns."""
    turns: list[Exchange] = []
    for message in messages:
        if isinstance(message, HumanMessage):
            turns.append(Exchange(turn=len(turns), user=message.text))
        elif turns:
            turns[-1] = turns[-1].model_copy(update={"supporter": message.text})
    return tuple(turns)


def said(messages: Sequence[AnyMessage], speaker: type[BaseMessage]) -> list[str]:
    """Return the texts of one side: `HumanMessage` for the person, `AIMessage` for the supporter."""
    # ours hold plain text; `text` would build an object for each
    return [
        message.content if isinstance(message.content, str) else message.text
        for message in messages
        if isinstance(message, speaker)
    ]


def last_reply(messages: Sequence[BaseMessage]) -> str | None:
    """Return the supporter's last message, or None before the first."""
    for message in reversed(messages):
        if isinstance(message, AIMessage):
            return message.text
    return None
