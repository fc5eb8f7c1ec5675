"""The JSON schemas of all replies stay within what strict modes take."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from emoharbor.nodes.feel import FeelReply
from emoharbor.nodes.fused import FusedReply
from emoharbor.nodes.judge_reply import reply_for
from emoharbor.nodes.rubric import load_rubric
from emoharbor.nodes.speak import SpeakAloneReply, SpeakReply
from emoharbor.nodes.think import ThinkReply

REFUSED = {"minimum", "maximum", "minLength", "maxLength", "pattern", "default", "minItems", "maxItems", "uniqueItems"}
SCHEMAS = [FeelReply, ThinkReply, SpeakReply, SpeakAloneReply, FusedReply, reply_for(load_rubric())]


def objects(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
    for item in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from objects(item)


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda item: item.__name__)
def test_a_reply_schema_is_strict(schema: type[BaseModel]) -> None:
    for node in objects(schema.model_json_schema()):
        assert not REFUSED & set(node)
        if node.get("type") == "object" and "properties" in node:
            assert node["additionalProperties"] is False
            assert sorted(node["required"]) == sorted(node["properties"])
        if "$ref" in node:
            assert set(node) == {"$ref"}  # strict mode takes nothing beside a reference


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda item: item.__name__)
def test_every_field_tells_the_model_what_is_wanted(schema: type[BaseModel]) -> None:
    for name, part in schema.model_json_schema()["properties"].items():
        assert "description" in part or "$ref" in part, name
