"""Messages and replies of models: a short form to store, and from it the form LangSmith shows.

LangSmith's form (`dumpd`) costs a tenth of a millisecond a message to make, so it is made when a trace is read.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.load import dumpd
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from pydantic import TypeAdapter
from pydantic_core import from_json, to_json

from emoharbor.eval.traces.table import KINDS, is_text

_CLASSES = {name: kind for kind, name in KINDS.items()}
_ANY: TypeAdapter[AnyMessage] = TypeAdapter(AnyMessage)
_CHAT = ChatGeneration


def message_of(row: Any) -> BaseMessage:
    """Return the message of a row."""
    if isinstance(row, list):
        kind, content, name = row
        return _CLASSES[kind](content=content, id=name)
    return _ANY.validate_python(row)


def node_messages(places: Sequence[int], texts: Sequence[Any]) -> list[Any]:
    """Return the messages among the inputs of a node, as LangSmith has them."""
    messages = [message_of(texts[place]) for place in places]
    found: list[Any] = from_json(to_json(messages, exclude_none=True, serialize_unknown=True))
    return found


def sent(places: Sequence[Sequence[int]], texts: Sequence[Any]) -> dict[str, Any]:
    """Return the inputs of a call to a chat model, as LangSmith has them."""
    return {"messages": [[dumpd(message_of(texts[place])) for place in batch] for batch in places]}


def short_reply(response: LLMResult) -> object:
    """Return what to write of a reply: a list for one that is a text and what came with it, else a dict.

    What only repeats the message is left out, or named by its keys in the message's `response_metadata`.
    """
    if (item := _only(response)) is not None:
        said = item.message
        about, llm_output = _keys_or_all(item.generation_info, said), _keys_or_all(response.llm_output, said)
        return [
            said.content, said.id, said.additional_kwargs, said.response_metadata, said.usage_metadata,  # type: ignore[attr-defined]  # of an AIMessage
            about, llm_output,
        ]  # fmt: skip
    first = next((item.message for batch in response.generations for item in batch if isinstance(item, _CHAT)), None)
    generations = [[_generation(item) for item in batch] for batch in response.generations]
    return {
        "generations": generations, "llm_output": _keys_or_all(response.llm_output, first), "type": response.type,
    }  # fmt: skip


def _only(response: LLMResult) -> ChatGeneration | None:
    """The generation of a reply that holds one, and that a text."""
    if len(response.generations) != 1 or len(response.generations[0]) != 1:
        return None
    item = response.generations[0][0]
    if type(item) is not _CHAT or type(item.message) is not AIMessage or item.text != item.message.content:
        return None
    return item if is_text(item.message) else None


def _generation(item: Any) -> dict[str, Any]:
    if not isinstance(item, _CHAT):
        return dict(vars(item))
    told = {
        "type": item.type,
        "message": item.message,
        "generation_info": _keys_or_all(item.generation_info, item.message),
    }
    return told if item.text == item.message.content else {**told, "text": item.text}


def _keys_or_all(told: dict[str, Any] | None, message: BaseMessage | None) -> dict[str, Any] | list[str] | None:
    if not told or message is None:
        return told
    return list(told) if told.items() <= message.response_metadata.items() else told


def replied(stored: dict[str, Any] | list[Any]) -> dict[str, Any]:
    """Return the outputs of a call, as LangSmith has them."""
    if isinstance(stored, list):
        stored = _written_out(*stored)
    first = next((item["message"] for batch in stored["generations"] for item in batch if "message" in item), None)
    return {
        "generations": [[_whole_generation(item) for item in batch] for batch in stored["generations"]],
        "llm_output": _all(stored["llm_output"], first), "run": None, "type": stored["type"],
    }  # fmt: skip


def _written_out(  # noqa: PLR0913, PLR0917 - the places of the list
    content: str, name: str | None, more: Any, metadata: Any, usage: Any, about: Any, llm_output: Any
) -> dict[str, Any]:
    message = {
        "type": "ai", "content": content, "id": name, "additional_kwargs": more, "response_metadata": metadata,
        "usage_metadata": usage,
    }  # fmt: skip
    generation = {"type": "ChatGeneration", "message": message, "generation_info": about}
    return {"generations": [[generation]], "llm_output": llm_output, "type": "LLMResult"}


def _whole_generation(item: dict[str, Any]) -> dict[str, Any]:
    if "message" not in item:
        return item
    message = item["message"]
    return {
        "text": item.get("text", message["content"]), "generation_info": _all(item["generation_info"], message),
        "type": item["type"], "message": dumpd(_ANY.validate_python(message)),
    }  # fmt: skip


def _all(told: Any, message: dict[str, Any] | None) -> Any:
    if isinstance(told, list) and message is not None:
        return {name: message["response_metadata"][name] for name in told}
    return told
