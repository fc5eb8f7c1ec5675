"""The messages of one episode as they are stored: each once, and a prompt only from where it differs from the last.

Each call of a role repeats the dialogue so far, so a prompt begins as the one before it did.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic_core import to_json

from emoharbor.eval.traces.codec import without
from emoharbor.eval.traces.tojson import plain_json

KINDS: dict[type[BaseMessage], str] = {SystemMessage: "system", HumanMessage: "human", AIMessage: "ai"}
"""What a message that is only a text is called in a row."""
_LONG = 300
"""Characters from which on a prompt is likely to begin as another did."""
_BEGINS = 32
"""By so many characters the prompt to compare with is found."""


class MessageTable:
    """The messages of one episode, each once, as rows of JSON.

    A row is `[type, text, id]` for a message that is nothing more, `[type, rest, id, place, length]` when its text
    begins with so many characters of that of the row at `place`.
    """

    def __init__(self, secrets: Sequence[str] = ()) -> None:
        """Make an empty one, for prompts without some keys."""
        self._rows: list[bytes] = []
        self._count = 0
        self._secrets = secrets
        self._places: dict[object, int] = {}
        self._kept: dict[int, tuple[BaseMessage, object, int]] = {}
        self._last: dict[str, tuple[int, str]] = {}

    def take(self) -> list[bytes]:
        """Return the rows that are new since the last call."""
        rows, self._rows = self._rows, []
        return rows

    def keep(self, message: BaseMessage) -> int:
        """Return the place of a message of the dialogue, which is known again when it is sent to a model."""
        place = self.place(message)
        self._kept[id(message)] = (message, message.content, place)
        return place

    def place(self, message: BaseMessage) -> int:
        """Return a message's place in the table, which it is put into unless it is there."""
        kept = self._kept.get(id(message))
        if kept is not None and kept[1] is message.content:
            return kept[2]
        kind = KINDS.get(type(message))
        if kind is None or not _is_plain(message):
            row = to_json(message, serialize_unknown=True)
            return self._at(row, row)
        if kind == "human" and message.id is None and len(message.content) > _LONG:
            return self._prompt(without(self._secrets, str(message.content)))
        key = (kind, message.content, message.id)
        return self._places[key] if key in self._places else self._at(key, plain_json(key))

    def _at(self, key: object, row: bytes) -> int:
        if key not in self._places:
            self._places[key] = self._add(row)
        return self._places[key]

    def _add(self, row: bytes) -> int:
        self._rows.append(row)
        self._count += 1
        return self._count - 1

    def _prompt(self, text: str) -> int:
        """The place of a prompt. It is compared with the last that began so; to look it up would be to hash it."""
        before, last = self._last.get(text[:_BEGINS], (0, ""))
        if text == last:
            return before
        same = common(last, text)
        place = self._add(plain_json(("human", text[same:], None, before, same) if same else ("human", text, None)))
        self._last[text[:_BEGINS]] = (place, text)
        return place


def common(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    same, end = 0, min(len(one), len(other))
    while same < end:
        middle = (same + end + 1) // 2
        if one[same:middle] == other[same:middle]:
            same = middle
        else:
            end = middle - 1
    return same


def whole_rows(rows: Sequence[Any]) -> list[Any]:
    """Return the rows of a table with every text in full."""
    whole: list[Any] = []
    for row in rows:
        match row:
            case [kind, rest, name, place, length]:
                whole.append([kind, whole[place][1][:length] + rest, name])
            case _:
                whole.append(row)
    return whole


def is_text(message: BaseMessage) -> bool:
    """Tell whether all that a message says is one text."""
    if not isinstance(message.content, str) or message.name is not None:
        return False
    return not isinstance(message, AIMessage) or not (message.tool_calls or message.invalid_tool_calls)


def _is_plain(message: BaseMessage) -> bool:
    if message.additional_kwargs or message.response_metadata or not is_text(message):
        return False
    return not isinstance(message, AIMessage) or not message.usage_metadata
