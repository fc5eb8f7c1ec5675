"""What went wrong is classified before anything is retried."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.nodes.models.faults import fault_of, read_failure, read_retry_after
from emoharbor.state.errors import (
    BadRequest,
    ModelFault,
    ModelNotFound,
    Overloaded,
    QuotaSpent,
    RateLimited,
    Refused,
    Unauthorised,
    Unreachable,
)


def fault(status: int, error: Any = "no", **headers: str) -> ModelFault:
    body = error if isinstance(error, bytes) else json.dumps({"error": error}).encode()
    return fault_of(read_failure(status, body, {name.replace("_", "-"): value for name, value in headers.items()}))


@pytest.mark.parametrize(
    ("status", "error", "expected", "passes"),
    [
        (429, "slow down", RateLimited, True),
        (429, {"message": "You exceeded your current quota", "code": "insufficient_quota"}, QuotaSpent, False),
        (500, "boom", Overloaded, True),
        (502, b"<html>Bad gateway</html>", Overloaded, True),
        (503, b"", Overloaded, True),
        (529, "overloaded", Overloaded, True),
        (408, "timeout", Unreachable, True),
        (401, {"message": "Incorrect API key provided"}, Unauthorised, False),
        (403, "no access to this model", Unauthorised, False),
        (402, "out of credits", QuotaSpent, False),
        (400, "API key not valid. Please pass a valid API key.", Unauthorised, False),
        (404, "model not found", ModelNotFound, False),
        (404, b"404 page not found", ModelNotFound, False),
        (400, {"message": "The model `x` does not exist", "code": "model_not_found"}, ModelNotFound, False),
        (400, "content_filter: self-harm", Refused, False),
        (400, {"code": "content_filter", "message": "triggered Azure OpenAI's content management policy",
               "innererror": {"code": "ResponsibleAIPolicyViolation"}}, Refused, False),
        (403, "Input was flagged by moderation", Refused, False),
        (400, {"message": "rejected by our safety system"}, Refused, False),
        (500, {"message": "content_filter", "code": "content_filter"}, Refused, False),
        (400, "Unsupported value: 'temperature'", BadRequest, False),
        (422, [{"loc": ["body", "seed"], "msg": "extra"}], BadRequest, False),
        (413, b"too large", BadRequest, False),
        (200, {"message": "upstream", "code": 502}, Overloaded, True),
        (200, {"message": "slow down", "code": 429}, RateLimited, True),
        (200, "something broke", Overloaded, True),
    ],
)  # fmt: skip
def test_each_failure_is_one_kind(status: int, error: Any, expected: type[ModelFault], passes: bool) -> None:
    found = fault(status, error)
    assert isinstance(found, expected)
    assert found.retryable is passes


def test_a_page_of_html_is_not_shown() -> None:
    assert "html>" not in str(fault(502, b"<html><body>Bad gateway</body></html>")).lower()


def test_what_was_received_is_kept() -> None:
    assert "Bad gateway" in fault(502, b"<html>Bad gateway</html>").raw


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "-1"}, None),
        ({}, None),
    ],
)
def test_the_wait_an_endpoint_asks_for_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert read_retry_after(headers) == seconds


@given(st.integers(100, 599), st.binary(), st.dictionaries(st.sampled_from(["retry-after"]), st.text()))
def test_any_error_reply_gives_a_typed_fault(status: int, body: bytes, headers: dict[str, str]) -> None:
    found = fault_of(read_failure(status, body, headers))
    assert isinstance(found, ModelFault)
    str(found).encode()
