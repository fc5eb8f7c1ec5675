"""Messages as other harnesses write them: LangChain's, dicts of role and content, or objects that have both."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from langchain_core.messages import AnyMessage, BaseMessage

from emoharbor.state.dialogue import supporter_message, user_message
from emoharbor.state.errors import ConfigError

Side = Literal["user", "supporter"]
Line = tuple[Side, str]
"""Who said it, and the words."""
_SIDES: Mapping[str, Side] = {"user": "user", "human": "user", "assistant": "supporter", "ai": "supporter"}
_UNHEARD = ("system", "developer", "tool", "function", "remove")


def lines_of(messages: Any) -> list[Line]:
    """Return who said what, in order; of system, tool and empty messages nothing.

    Args:
        messages: a message, several, or a mapping with `messages`.

    Raises:
        ConfigError: for something that is no message, a role that is not known, or a content that is no text; it names
            the message by its number, from 1.
    """
    if isinstance(messages, Mapping) and "messages" in messages:
        messages = messages["messages"]
    single = isinstance(messages, str | Mapping | BaseMessage) or not isinstance(messages, Sequence)
    found = [_line(item, number) for number, item in enumerate([messages] if single else messages, 1)]
    return [line for line in found if line is not None]


def dialogue_of(lines: Sequence[Line]) -> list[AnyMessage]:
    """Return a dialogue of ours: the person begins, and the two take turns.

    What stands before the person's first words (a greeting) is left out; what one side says in several messages is
    joined.
    """
    turns: list[Line] = []
    for side, text in lines:
        if turns and turns[-1][0] == side:
            turns[-1] = side, f"{turns[-1][1]}\n{text}"
        elif turns or side == "user":
            turns.append((side, text))
    return [
        user_message(index // 2, text) if side == "user" else supporter_message(index // 2, text)
        for index, (side, text) in enumerate(turns)
    ]


def _line(item: Any, number: int) -> Line | None:
    role, content = _parts(item, number)
    if role.lower() in _UNHEARD:
        return None
    if role.lower() not in _SIDES:
        known = ", ".join((*_SIDES, *_UNHEARD[:-1]))
        raise ConfigError(f"message {number} has the role {role!r}; known: {known}")
    text = _text(content, number)
    return (_SIDES[role.lower()], text) if text.strip() else None


def _parts(item: Any, number: int) -> tuple[str, Any]:
    if isinstance(item, BaseMessage):
        return str(getattr(item, "role", item.type)), item.text
    if isinstance(item, Mapping):
        role, content = item.get("role") or item.get("type"), item.get("content")
    else:
        role, content = getattr(item, "role", None), getattr(item, "text", None)
    if not isinstance(role, str):
        raise ConfigError(f"a message has a role and a content; message {number}, {type(item).__name__}, has none")
    return role, content


def _text(content: Any, number: int) -> str:
    if content is None or isinstance(content, str):  # None beside the call of a tool
        return content or ""
    if isinstance(content, Sequence):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    raise ConfigError(f"message {number} has {content!r} for a content; it is a text")
