"""Messages and replies of models: a short form to store, and from it the form LangSmith shows.

LangSmith's form (`dumpd`) costs a tenth of a millisecond a message to make, so it is made when a trace is read.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.load import dumpd
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from pydantic import TypeAdapter
from pydantic_core import to_json

_PLAIN: dict[type[BaseMessage], str] = {SystemMessage: "system", HumanMessage: "human", AIMessage: "ai"}
_CLASSES = {name: kind for kind, name in _PLAIN.items()}
_ANY: TypeAdapter[AnyMessage] = TypeAdapter(AnyMessage)


class MessageTable:
    """The messages of one episode, each once.

    Attributes:
        rows: each message as JSON, `[type, text, id]` for one that is nothing more.
    """

    def __init__(self) -> None:
        self._places: dict[object, int] = {}
        self.rows: list[bytes] = []

    def place(self, message: BaseMessage) -> int:
        """Return a message's place in the table, which it is put into unless it is there."""
        kind = _PLAIN.get(type(message))
        if kind is None or not _is_plain(message):
            row = to_json(message, serialize_unknown=True)
            return self._at(row, row)
        key = (kind, message.content, message.id)
        return self._places[key] if key in self._places else self._at(key, to_json(key))

    def _at(self, key: object, row: bytes) -> int:
        if key not in self._places:
            self._places[key] = len(self.rows)
            self.rows.append(row)
        return self._places[key]


def _is_plain(message: BaseMessage) -> bool:
    if not isinstance(message.content, str) or message.name is not None:
        return False
    if message.additional_kwargs or message.response_metadata:
        return False
    return not isinstance(message, AIMessage) or not (
        message.tool_calls or message.invalid_tool_calls or message.usage_metadata
    )


def message_of(row: Any) -> BaseMessage:
    """Return the message of a row."""
    if isinstance(row, list):
        kind, content, name = row
        return _CLASSES[kind](content=content, id=name)
    return _ANY.validate_python(row)


def sent(places: Sequence[Sequence[int]], texts: Sequence[Any]) -> dict[str, Any]:
    """Return the inputs of a call to a chat model, as LangSmith has them."""
    return {"messages": [[dumpd(message_of(texts[place])) for place in batch] for batch in places]}


def reply_json(response: LLMResult) -> bytes:
    """Return a reply as JSON, with messages as the classes they are."""
    generations = [
        [
            {**vars(item), "message": item.message} if isinstance(item, ChatGeneration) else dict(vars(item))
            for item in batch
        ]
        for batch in response.generations
    ]
    whole = {"generations": generations, "llm_output": response.llm_output, "run": None, "type": response.type}
    return to_json(whole, serialize_unknown=True)


def replied(stored: dict[str, Any]) -> dict[str, Any]:
    """Return the outputs of a call, as LangSmith has them."""
    generations = [
        [
            {**item, "message": dumpd(_ANY.validate_python(item["message"]))} if "message" in item else item
            for item in batch
        ]
        for batch in stored["generations"]
    ]
    return {**stored, "generations": generations}
