"""Replies of models: stored in short, and from that what LangSmith's client sends."""

import json
from typing import Any

import pytest
from langchain_core.load import dumpd
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, Generation, LLMResult
from pydantic_core import to_json

from emoharbor.eval.traces.messages import replied, short_reply

SAID = AIMessage(
    "Hello.", id="run-1", additional_kwargs={"refusal": None, "reasoning_content": "Hm."},
    response_metadata={"model_name": "m", "finish_reason": "stop"},
    usage_metadata={"input_tokens": 3, "output_tokens": 1, "total_tokens": 4},
)  # fmt: skip
CALLS = AIMessage("", tool_calls=[{"name": "look_up", "args": {"word": "rye"}, "id": "c1"}])


def generation(message: AIMessage, **more: Any) -> ChatGeneration:
    return ChatGeneration(message=message, **more)


def as_langsmith_has_it(response: LLMResult) -> dict[str, Any]:
    """What LangChain's tracer makes of a reply."""
    whole = response.model_dump()
    for batch, dumped in zip(response.generations, whole["generations"], strict=True):
        for item, told in zip(batch, dumped, strict=True):
            if isinstance(item, ChatGeneration):
                told["message"] = dumpd(item.message)
    return whole


RESPONSES = {
    "a text": LLMResult(
        generations=[[generation(SAID, generation_info={"finish_reason": "stop"})]], llm_output={"model_name": "m"}
    ),
    "a text, and what the message does not hold": LLMResult(
        generations=[[generation(SAID, generation_info={"logprobs": None})]], llm_output={"id": "x"}
    ),
    "nothing with it": LLMResult(generations=[[generation(AIMessage("Hello."))]]),
    "calls of tools": LLMResult(generations=[[generation(CALLS)]]),
    "two choices": LLMResult(generations=[[generation(SAID), generation(AIMessage("Hi."))]]),
    "a model that completes": LLMResult(generations=[[Generation(text="Hello.", generation_info={"a": None})]]),
    "content in parts": LLMResult(generations=[[generation(AIMessage([{"type": "text", "text": "Hello."}]))]]),
    "none": LLMResult(generations=[]),
}


@pytest.mark.parametrize("name", RESPONSES)
def test_a_reply_is_read_as_langsmith_has_it(name: str) -> None:
    stored = json.loads(to_json(short_reply(RESPONSES[name]), exclude_none=True, serialize_unknown=True))
    assert replied(stored) == as_langsmith_has_it(RESPONSES[name])


def test_a_reply_that_is_a_text_is_stored_as_a_list() -> None:
    assert isinstance(short_reply(RESPONSES["a text"]), list)
    assert isinstance(short_reply(RESPONSES["calls of tools"]), dict)
