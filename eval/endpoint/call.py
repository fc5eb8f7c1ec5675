"""One request to the endpoint, read: who it is for, what it asks, and a key that is the same whenever it is asked."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from emoharbor.nodes.models.caller import PREFIX
from emoharbor.nodes.models.schema import HEADING, Rung
from emoharbor.nodes.prompting import DIALOGUE

_ROLES = ("feel", "think", "speak", "fused", "judge")


@dataclass(frozen=True, slots=True)
class Line:
    """One message of the dialogue in a prompt."""

    turn: int
    person: bool
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A request.

    Attributes:
        model: the model asked for.
        role: who asks; from the rehearsal headers, else from the schema's name.
        turn: index of the turn; from the headers, else counted.
        profile: id of the person, or None if not told.
        attempt: index of the request within one question, or None if not told.
        schema: the JSON schema of the answer, or None for plain text.
        form: how the schema is asked for.
        dialogue: the dialogue so far.
        prompt: the last message.
        key: hash of what is asked. It leaves out how JSON is asked for and the decoding settings, so that the answer
            does not depend on which parameters the client has found to work.
    """

    model: str
    role: str
    turn: int
    profile: str | None
    attempt: int | None
    schema: dict[str, Any] | None
    form: Rung | None
    dialogue: tuple[Line, ...]
    prompt: str
    key: str


def read_call(body: Mapping[str, Any], headers: Mapping[str, str]) -> Call:
    """Read a request.

    Raises:
        ValueError: saying what is wrong with it.
    """
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(item, dict) for item in messages):
        msg = "messages must be a list of at least one message"
        raise ValueError(msg)
    said = [(str(item.get("role")), _text(item.get("content"))) for item in messages]
    schema, form, said = _asked(body, said)
    dialogue = _dialogue(said)
    name = str((schema or {}).get("title", ""))
    told = {
        key: unquote(headers[PREFIX + key]) for key in ("role", "turn", "profile", "attempt") if PREFIX + key in headers
    }
    answered = sum(not line.person for line in dialogue)
    model = str(body.get("model", ""))
    asked = json.dumps([model, name, body.get("seed"), said], ensure_ascii=False)
    return Call(
        model=model,
        role=told.get("role") or _role(name, structured=schema is not None),
        turn=_number(told.get("turn"), answered),
        profile=told.get("profile"),
        attempt=_number(told["attempt"], 0) if "attempt" in told else None,
        schema=schema,
        form=form,
        dialogue=dialogue,
        prompt=said[-1][1],
        key=hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest(),
    )


def _asked(
    body: Mapping[str, Any], said: list[tuple[str, str]]
) -> tuple[dict[str, Any] | None, Rung | None, list[tuple[str, str]]]:
    """Return the schema, the way it was asked for, and the messages without it."""
    wanted = body.get("response_format")
    wanted = wanted if isinstance(wanted, dict) else {}
    if wanted.get("type") == "json_schema":
        form = wanted.get("json_schema", {})
        return {"title": form.get("name"), **form.get("schema", {})}, "json_schema", said
    if tools := body.get("tools"):
        function = tools[0].get("function", {})
        return {"title": function.get("name"), **function.get("parameters", {})}, "tool", said
    rest, schema = [], None
    for role, text in said:
        before, heading, after = text.partition(HEADING)
        if heading and schema is None:
            # what follows a folded system text stands after the schema
            schema, end = json.JSONDecoder().raw_decode(after.lstrip())
            text = before.rstrip() + after.lstrip()[end:]  # noqa: PLW2901 - the message without the schema
        if text:
            rest.append((role, text))
    if schema is None and wanted.get("type") == "json_object":
        schema = {"type": "object", "properties": {}}
    form_now: Rung = "json_object" if wanted.get("type") == "json_object" else "prompt"
    return schema, (form_now if schema is not None else None), rest


def _dialogue(said: list[tuple[str, str]]) -> tuple[Line, ...]:
    """Return the dialogue: the JSON lines our roles write, or else the chat itself."""
    lines = []
    ours = any(DIALOGUE in text for _, text in said)
    for _, text in said:
        for row in text.splitlines() if '{"turn"' in text else ():
            if row.startswith('{"turn"') and (line := _line(row)) is not None:
                lines.append(line)
    if ours or lines:
        return tuple(lines)
    turn = 0
    for role, text in said:
        if role in ("user", "assistant"):
            lines.append(Line(turn, role == "user", text))
            turn += role == "assistant"
    return tuple(lines)


@lru_cache(maxsize=4096)  # a dialogue is sent again at each of its calls
def _line(row: str) -> Line | None:
    try:
        item = json.loads(row)
        return Line(int(item["turn"]), item["from"] == "you", str(item["text"]))
    except (ValueError, KeyError, TypeError):
        return None


def _role(schema: str, *, structured: bool) -> str:
    if not structured:
        return "supporter"
    return next((role for role in _ROLES if schema.lower().startswith(role)), schema or "unknown")


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text is not None and text.lstrip("-").isdigit() else otherwise


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
