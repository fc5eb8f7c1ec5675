"""`emoharbor check` asks each endpoint once, after everything that needs no call."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from emoharbor.eval.endpoint.scenario import Scenario
from emoharbor.eval.endpoint.server import endpoint_in_thread

Command = Callable[..., Any]
KEY = "sk-canary-77aa01fe33"


@pytest.fixture
def check(emoharbor: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Check a config with one model behind an endpoint that plays some replies."""
    monkeypatch.setenv("SOME_KEY", KEY)

    def checked(reply: list[Any], *options: str) -> Any:
        rules = [{"reply": reply}] if reply else []
        with endpoint_in_thread(Scenario.model_validate({"rules": rules})) as endpoint:
            model = f"{{model: m, base_url: '{endpoint.url}', api_key_env: SOME_KEY, backoff_s: 0, timeout_s: 2}}"
            text = f"profiles: [P010]\nsupporters:\n  - {{name: s, use: chat, model: {model}}}\n"
            (folder / "paid.yaml").write_text(text, encoding="utf-8")
            return emoharbor("check", "paid.yaml", *options)

    return checked  # type: ignore[return-value]  # a fixture may return


def refused(message: str, status: int, **more: Any) -> dict[str, Any]:
    return {"status": status, "error": message, **more}


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ([], {"structured_output": "json_schema", "reports_usage": True}),
        ([refused("json_schema is not supported", 400)], {"structured_output": "tool"}),
        ([refused("json_schema is not supported", 400), refused("tools are not supported", 400)],
         {"structured_output": "json_object"}),
        ([{"usage": None}], {"reports_usage": False}),
        ([refused("max_tokens: unknown", 400)], {"dropped": ["max_tokens"]}),
        ([{"status": 500}], {"structured_output": "json_schema"}),
    ],
    ids=["plain", "tool call", "JSON mode", "no usage", "a parameter refused", "a fault that passes"],
)  # fmt: skip
def test_what_an_endpoint_can_do_is_found(reply: list[Any], expected: dict[str, Any], check: Any) -> None:
    ended = check(reply, "--json")
    found = json.loads(ended.out)["endpoints"]
    assert ended.code == 0
    assert len(found) == 1
    assert found[0] == {**found[0], "reachable": True, "key_accepted": True, "model_known": True, **expected}


@pytest.mark.parametrize(
    ("reply", "says", "code"),
    [
        ([refused(f"invalid api key {KEY}", 401), "forever"], "put a valid key into SOME_KEY", 2),
        ([refused("model not found", 404), "forever"], "no such model", 2),
        ([{"status": 429, "error": {"message": "quota", "code": "insufficient_quota"}}, "forever"], "quota", 2),
        ([{"close": "before"}, "forever"], "connection", 2),
        ([{"status": 503}, "forever"], "the endpoint failed", 1),
        ([{"content": "4 of 5"}, "forever"], "no complete JSON object", 1),
    ],
    ids=["key", "model", "quota", "unreachable", "down", "no JSON"],
)
def test_an_endpoint_that_will_not_do_is_one_line(reply: list[Any], says: str, code: int, check: Any) -> None:
    ended = check(reply)
    assert ended.code == code
    assert says in ended.err
    assert ended.err.count("\n") == 1
    assert KEY not in ended.out + ended.err


def test_the_page_shows_a_line_for_each_endpoint(check: Any) -> None:
    ended = check([])
    assert ended.code == 0
    assert "JSON schema" in ended.out
    assert "tokens told" in ended.out


def test_a_key_that_is_not_set_is_told_before_any_call(
    emoharbor: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    with endpoint_in_thread() as endpoint:
        model = f"{{model: m, base_url: '{endpoint.url}', api_key_env: SOME_KEY}}"
        text = f"profiles: [P010]\nsupporters:\n  - {{name: s, use: chat, model: {model}}}\n"
        (folder / "paid.yaml").write_text(text, encoding="utf-8")
        ended = emoharbor("check", "paid.yaml")
    assert ended.code == 2
    assert "SOME_KEY" in ended.err
    assert endpoint.stats.calls == 0
