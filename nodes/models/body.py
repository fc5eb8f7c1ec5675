"""Reading the body of a reply: from any bytes to a completion, or a typed fault."""

import json
from dataclasses import dataclass
from typing import Any

from emoharbor.nodes.models.protocol import Usage
from emoharbor.nodes.models.reasoning import part
from emoharbor.state.errors import Overloaded
from emoharbor.state.text import clean, is_blank

_FINISH = {
    "length": "length", "max_tokens": "length", "model_length": "length", "max_output_tokens": "length",
    "content_filter": "content_filter", "safety": "content_filter", "recitation": "content_filter",
    "prohibited_content": "content_filter", "blocklist": "content_filter", "sensitive": "content_filter",
    "refusal": "content_filter", "spii": "content_filter",
    "error": "error", "abort": "error", "insufficient_system_resource": "error",
}  # fmt: skip
"""What servers call the ways a reply can end badly; every other word is a normal end."""
_SHOWN = 160
_MOST_TOKENS = 10**12
"""No reply has so many; larger numbers are nonsense that no database would take."""


@dataclass(frozen=True, slots=True)
class Completion:
    """One reply, read.

    Attributes:
        text: what was said, or the arguments of the tool call that was asked for.
        reasoning: what was thought.
        refusal: the words of a refusal, empty if none.
        finish: `stop`, `length`, `content_filter` or `error`.
        usage: tokens; None where unknown or nonsense.
        model: the model's name as the endpoint gives it.
        id: the endpoint's id of the completion.
    """

    text: str
    reasoning: str
    refusal: str
    finish: str
    usage: Usage
    model: str
    id: str


def read_json(body: bytes) -> dict[str, Any]:
    """Return the object in a body.

    Raises:
        Overloaded: when there is none.
    """
    text = body.decode("utf-8", "replace")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise Overloaded(f"the reply is no JSON: {shown(text)}", raw=text) from None
    if not isinstance(data, dict):
        raise Overloaded(f"the reply is no chat completion: {shown(text)}", raw=text)
    return data


def read_completion(data: dict[str, Any], *, tools: bool = True) -> Completion:
    """Return the completion in an object.

    Args:
        data: the object.
        tools: whether a tool was offered; without, a call of one says nothing.

    Raises:
        Overloaded: when it is none.
    """
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raw = clean(json.dumps(data, ensure_ascii=False, default=str))
        raise Overloaded(f"the reply holds no message: {shown(raw)}", raw=raw)
    content, thought = _content(message.get("content"))
    thoughts = [thought, _text(message.get("reasoning_content")) or _text(message.get("reasoning"))]
    finish = _FINISH.get(str(choice.get("finish_reason")).lower(), "stop")
    called = _arguments(message) if tools else None
    if called is None and not content.lstrip().startswith("{"):
        # a reply that is an object may hold such a tag inside a string, where it is not the model's own
        content, inner, unclosed = part(content)
        thoughts.append(inner)
        if unclosed and finish == "stop":
            finish = "length"
    return Completion(
        text=content if called is None else called,
        reasoning="\n\n".join(text for text in thoughts if text),
        refusal=_text(message.get("refusal")),
        finish=finish,
        usage=read_usage(data.get("usage")),
        model=_text(data.get("model")),
        id=_text(data.get("id")),
    )


def read_usage(usage: object) -> Usage:
    """Return the tokens an endpoint reports; what it does not say, or says as nonsense, is None."""
    if not isinstance(usage, dict):
        return Usage()
    into, out = usage.get("prompt_tokens_details"), usage.get("completion_tokens_details")
    cached = _count(into.get("cached_tokens")) if isinstance(into, dict) else None
    reasoning = _count(out.get("reasoning_tokens")) if isinstance(out, dict) else None
    if cached is None:
        cached = _count(usage.get("prompt_cache_hit_tokens"))  # DeepSeek
    return Usage(_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")), cached, reasoning)


def shown(text: str) -> str:
    """Return the beginning of a text on one line, for a message."""
    line = " ".join(clean(text).split())
    if line[:200].lower().lstrip("\ufeff").startswith(("<!doctype", "<html", "<head", "<?xml")):
        return "an HTML page"
    return repr(line if len(line) <= _SHOWN else line[:_SHOWN] + "…") if line else "nothing"


def _content(content: object) -> tuple[str, str]:
    """Return what is said and thought in a content, which is a text or a list of parts."""
    if not isinstance(content, list):
        return _text(content), ""
    said: list[str] = []
    thought: list[str] = []
    for piece in content:
        if isinstance(piece, str):
            said.append(piece)
        elif isinstance(piece, dict):
            inner = piece.get("thinking") or piece.get("reasoning")
            thought.append(_content(inner)[0])
            said.append(_text(piece.get("text")) if not inner else "")
    return clean("".join(said)), clean("".join(thought))


def _arguments(message: dict[str, Any]) -> str | None:
    """Return the arguments of the first tool call as text, or None without a call."""
    calls = message.get("tool_calls")
    first = calls[0] if isinstance(calls, list) and calls else None
    function = first.get("function") if isinstance(first, dict) else message.get("function_call")
    arguments = function.get("arguments") if isinstance(function, dict) else None
    if isinstance(arguments, dict):
        return clean(json.dumps(arguments, ensure_ascii=False))
    return clean(arguments) if isinstance(arguments, str) and not is_blank(arguments) else None


def _text(value: object) -> str:
    return clean(value) if isinstance(value, str) else ""


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_TOKENS else None
