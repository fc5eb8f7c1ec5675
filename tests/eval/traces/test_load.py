"""From blobs to runs."""

import json
from typing import Any

import pytest
from zstandard import ZstdCompressor

from emoharbor.eval.traces.load import runs_of

WRITTEN_OUT = [{"content": "Hi.", "type": "human", "id": "u0"}, {"content": "Hello.", "type": "ai", "id": "a0"}]
TEXTS = [["human", "Hi.", "u0"], ["ai", "Hello.", "a0"]]


def blob(version: int, texts: list[Any], messages: list[Any]) -> bytes:
    """A trace of one node, which was given some messages."""
    about = {"id": "n", "no": 1, "name": "feel", "type": "chain", "start": 1.0, "turn": 1, "implementation": "offline"}
    root = {"id": "r", "no": 0, "name": "episode", "type": "chain", "start": 0.0}
    whole = {"v": version, "root": root, "texts": texts, "runs": [[about, {"messages": messages}, {}]]}
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
