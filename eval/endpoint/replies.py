"""From an act to the reply that goes over the wire."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from emoharbor.eval.endpoint.answers import answer
from emoharbor.eval.endpoint.cache import tokens
from emoharbor.eval.endpoint.call import Call
from emoharbor.eval.endpoint.scenario import Act, Scenario

VALID = "{VALID}"
_NOTHING = Act()


class Sent(NamedTuple):
    """A reply: status, headers and body."""

    status: int
    headers: dict[str, str]
    body: bytes


def reply(call: Call, act: Act | None, scenario: Scenario, prompt_tokens: int, cached: int) -> Sent:
    """Return the reply to a call.

    Args:
        call: the request.
        act: what to do in place of a sensible reply, or None.
        scenario: what is played.
        prompt_tokens: tokens of the prompt.
        cached: tokens of it from the cache.
    """
    act = act or _NOTHING
    kind = {"content-type": "application/json", **{name.lower(): value for name, value in act.headers.items()}}
    if act.body is not None:
        html = {"content-type": "text/html"} if act.body.lstrip().startswith("<") else {}
        return Sent(act.status, {**kind, **html}, act.body.encode("utf-8", "surrogatepass"))
    if act.has("raw"):
        return Sent(act.status, kind, _json(act.raw))
    if act.has("error") or act.status >= 400:
        told = act.error or f"status {act.status}"
        error = told if isinstance(told, dict) else {"message": told, "type": "rehearsal", "code": None}
        return Sent(act.status, kind, _json({"error": error}))
    message = _message(call, act, scenario)
    completion: dict[str, Any] = {
        "id": f"chatcmpl-{call.key[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": call.model,
        "choices": [{"index": 0, "message": message, "finish_reason": _finish(message, act)}],
    }
    if act.has("usage"):
        completion["usage"] = act.usage
    elif scenario.reports_usage:
        completion["usage"] = _usage(message, prompt_tokens, cached)
    return Sent(act.status, kind, _json(completion))


def _message(call: Call, act: Act, scenario: Scenario) -> dict[str, Any]:
    value = answer(call, scenario.seed)
    if isinstance(value, dict):
        changes = {**({"message": act.message} if act.message is not None else {}), **(act.value or {})}
        for name, change in changes.items():
            replace(value, name, change)
        sensible = json.dumps(value, ensure_ascii=False)
    else:
        sensible = act.message or value
    message: dict[str, Any] = {"role": "assistant", "content": sensible}
    content = act.content
    if act.raw_text is not None:
        message["content"] = act.raw_text
    elif act.has("content"):
        message["content"] = None if content is None else content.replace(VALID, sensible) * act.times
    elif call.form == "tool":
        tool = (call.schema or {}).get("title")
        function = {"name": tool, "arguments": sensible}
        message |= {"content": None, "tool_calls": [{"id": "call_0", "type": "function", "function": function}]}
    for name in ("reasoning_content", "reasoning", "refusal"):
        if act.has(name):
            message[name] = getattr(act, name)
    return message


def replace(value: dict[str, Any], name: str, change: Any) -> bool:
    """Change a field in place: at the top, or where its name is first found below. Tell whether it was found."""
    if name in value:
        value[name] = change
        return True
    return any(replace(inner, name, change) for inner in _objects(value))


def _objects(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for part in value.values():
        for item in part if isinstance(part, list) else [part]:
            if isinstance(item, dict):
                yield item


def _finish(message: dict[str, Any], act: Act) -> str | None:
    if act.has("finish_reason"):
        return act.finish_reason
    return "tool_calls" if "tool_calls" in message else "stop"


def _usage(message: dict[str, Any], prompt_tokens: int, cached: int) -> dict[str, Any]:
    calls = message.get("tool_calls") or [{}]
    said = (message["content"] or "") + calls[0].get("function", {}).get("arguments", "")
    thought = tokens(message.get("reasoning_content") or message.get("reasoning") or "")
    out = tokens(said) + thought
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": out,
        "total_tokens": prompt_tokens + out,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": thought},
    }


def _json(data: object) -> bytes:
    # escaped, so that a lone surrogate goes over the wire as such
    return json.dumps(data).encode()
