"""The JSON schema that is sent for a pydantic model, and the words that carry it where no field can."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel

Rung = Literal["json_schema", "tool", "json_object", "prompt"]
RUNGS: tuple[Rung, ...] = ("json_schema", "tool", "json_object", "prompt")
"""The ladder of ways to ask for a structured answer, best first."""

HEADING = "Answer with one JSON object that fits this JSON schema, and with nothing else:"
"""Stands before a schema that is written into the prompt."""

_UNSENT = {"default", "minLength", "maxLength", "pattern", "uniqueItems", "discriminator", "examples"}
"""Keywords that strict modes refuse; pydantic still checks what they say."""


@dataclass(frozen=True, slots=True)
class SentSchema:
    """A schema in the forms the rungs need.

    Attributes:
        name: the model's name.
        schema: the JSON schema in the strict subset: every field required, no others allowed.
    """

    name: str
    schema: dict[str, Any]

    def fields(self, rung: Rung) -> dict[str, Any]:
        """Return the request's fields that ask for the schema at a rung."""
        if rung == "json_schema":
            form = {"name": self.name, "schema": self.schema, "strict": True}
            return {"response_format": {"type": "json_schema", "json_schema": form}}
        if rung == "tool":
            function = {"name": self.name, "parameters": self.schema, "strict": True}
            return {
                "tools": [{"type": "function", "function": function}],
                "tool_choice": {"type": "function", "function": {"name": self.name}},
            }
        return {"response_format": {"type": "json_object"}} if rung == "json_object" else {}

    def words(self, rung: Rung) -> str:
        """Return the text that carries the schema at the rungs that have no field for it."""
        if rung in ("json_schema", "tool"):
            return ""
        return f"{HEADING}\n{json.dumps(self.schema, ensure_ascii=False)}"


@lru_cache(maxsize=256)
def sent_schema(model: type[BaseModel]) -> SentSchema:
    """Return the forms of a pydantic model's schema; computed once a model."""
    from openai import pydantic_function_tool  # noqa: PLC0415 - takes a second to import

    tool: Any = pydantic_function_tool(model)
    return SentSchema(model.__name__, _strict(tool["function"]["parameters"]))


def _strict(node: Any, *, names: bool = False) -> Any:
    """Leave out what strict modes refuse. `names` tells a mapping of field names, where a word is no keyword."""
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept: dict[str, Any] = {}
    for key, value in node.items():
        if not names and key in _UNSENT:
            continue
        new_key = "anyOf" if key == "oneOf" and not names else key
        if key in ("enum", "const", "required") and not names:
            kept[key] = value
        else:
            kept[new_key] = _strict(value, names=not names and key in ("properties", "$defs"))
    return kept
