"""Settings hold no key, and address an endpoint."""

from typing import Any

import pytest
from pydantic import ValidationError

from emoharbor.nodes.models.address import is_loopback, takes_new_cap
from emoharbor.nodes.models.settings import ModelSettings


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"base_url": "https://me:secret@host/v1"}, "no user name"),
        ({"base_url": "https://host/v1?api-key=secret"}, "no user name, password or query"),
        ({"base_url": "host/v1"}, "write it as https://host/v1"),
        ({"base_url": "ftp://host"}, "write it as"),
        ({"base_url": "https://host:port/v1"}, "no address"),
        ({"extra_body": {"Api-Key": "secret"}}, "looks like a key"),
        ({"extra_body": {"headers": {"Authorization": "secret"}}}, "'Authorization' looks like a key"),
        ({"extra_body": {"routes": [{"name": "a", "api_key": "secret"}]}}, "looks like a key"),
        ({"base_url": "https://api.example.org/v1", "rehearsal": True}, "on this machine only"),
        ({"rehearsal": True}, "on this machine only"),
        ({"temperature": float("nan")}, "finite"),
        ({"api_key": "secret"}, "Extra inputs"),
    ],
)
def test_settings_that_would_leak_or_fail_are_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        ModelSettings.model_validate({"model": "m", **given})


@pytest.mark.parametrize(
    ("url", "here"),
    [("http://127.0.0.1:8801/v1", True), ("http://localhost/v1", True), ("http://[::1]:1/v1", True),
     ("http://127.0.0.1.evil.org/v1", False), ("http://10.0.0.1/v1", False), ("https://api.openai.com/v1", False)],
)  # fmt: skip
def test_only_this_machine_is_loopback(url: str, here: bool) -> None:
    assert is_loopback(url) is here


@pytest.mark.parametrize(
    ("url", "new"),
    [("https://api.openai.com/v1", True), ("https://mine.openai.azure.com/openai/v1", True),
     ("http://127.0.0.1:8000/v1", False), ("https://api.openai.com.evil.org/v1", False)],
)  # fmt: skip
def test_only_openai_and_azure_get_the_new_name_of_the_cap(url: str, new: bool) -> None:
    assert takes_new_cap(url) is new


def test_a_name_of_a_key_that_holds_no_text_is_let_through() -> None:
    body = {"token": {"limit": 5}, "chat_template_kwargs": {"enable_thinking": False}}

    assert ModelSettings(model="m", extra_body=body).extra_body == body
