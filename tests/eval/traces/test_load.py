"""From blobs to runs."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from pydantic_core import to_json
from zstandard import ZstdCompressor

from emoharbor.eval.traces.load import runs_of
from emoharbor.eval.traces.messages import short_reply

WRITTEN_OUT = [{"content": "Hi.", "type": "human", "id": "u0"}, {"content": "Hello.", "type": "ai", "id": "a0"}]
TEXTS = [["human", "Hi.", "u0"], ["ai", "Hello.", "a0"]]


NODE = {"id": "n", "no": 1, "name": "feel", "type": "chain", "start": 1.0, "turn": 1, "implementation": "offline"}


def blob(version: int, texts: list[Any], messages: list[Any]) -> bytes:
    """A trace of one node, which was given some messages."""
    return blob_of(version, texts, [[NODE, {"messages": messages}, {}]])


def blob_of(version: int, texts: list[Any], runs: list[Any]) -> bytes:
    root = {"id": "r", "no": 0, "name": "episode", "type": "chain", "start": 0.0}
    whole = {"v": version, "root": root, "texts": texts, "runs": runs}
    return ZstdCompressor().compress(json.dumps(whole).encode())


@pytest.mark.parametrize(
    "stored", [blob(1, [], WRITTEN_OUT), blob(2, TEXTS, [0, 1])], ids=["written out by version 1", "by their places"]
)
def test_a_node_s_messages_are_read_however_they_are_stored(stored: bytes) -> None:
    node = runs_of([stored])[-1]

    assert [(message["type"], message["content"], message["id"]) for message in node.inputs["messages"]] == [
        ("human", "Hi.", "u0"),
        ("ai", "Hello.", "a0"),
    ]


def test_worlds_and_messages_a_node_left_are_read_however_they_are_stored() -> None:
    first, then = {"turn": 0, "distress": 7.0}, {"turn": 1, "distress": 7.0}
    later = {**NODE, "id": "m", "no": 2, "start": 2.0}

    def left(inner: Any, messages: list[Any]) -> dict[str, Any]:
        return {"output": {"update": {"inner": inner, "worlds": "=", "messages": messages}}}

    old = blob_of(2, TEXTS, [
        [NODE, {"inner": first}, left(first, WRITTEN_OUT[:1])], [later, {"inner": "="}, left(then, WRITTEN_OUT[1:])],
    ])  # fmt: skip
    new = blob_of(3, TEXTS, [
        [NODE, {"inner": first}, left(first, [0])], [later, {"inner": "="}, left({"=but": {"turn": 1}}, [1])],
    ])  # fmt: skip

    def bare(stored: bytes) -> list[Any]:
        runs = [(dict(run.inputs), dict(run.outputs or {})) for run in runs_of([stored]) if run.seat]
        for _, outputs in runs:
            outputs["output"]["update"]["messages"] = [
                (message["type"], message["content"], message["id"])
                for message in outputs["output"]["update"]["messages"]
            ]
        return runs

    assert bare(new) == bare(old)
    assert bare(new)[1][1]["output"]["update"]["worlds"] == [then]


def test_a_reply_is_read_however_it_is_stored() -> None:
    said = AIMessage("Hello.", id="run-1", response_metadata={"model_name": "m"})
    message = json.loads(said.model_dump_json())
    written_out = {
        "generations": [[{"type": "ChatGeneration", "message": message, "generation_info": None}]],
        "llm_output": ["model_name"], "type": "LLMResult",
    }  # fmt: skip
    reply = LLMResult(generations=[[ChatGeneration(message=said)]], llm_output={"model_name": "m"})
    call = {"id": "c", "no": 1, "name": "m", "type": "llm", "start": 1.0, "chat": True}

    old, new = (
        runs_of([blob_of(version, TEXTS, [[call, [[0]], outputs]])])[-1]
        for version, outputs in ((2, written_out), (3, json.loads(to_json(short_reply(reply)))))
    )
    assert new.outputs == old.outputs
    assert (new.reply, new.model) == ("Hello.", "m")
