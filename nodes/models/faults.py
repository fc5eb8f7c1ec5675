"""From what went wrong on the wire to a typed fault. Classified before anything is retried."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from emoharbor.nodes.models.body import shown
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
from emoharbor.state.text import clean

_FILTER = re.compile(
    r"content[ _-]?(filter|policy|management)|responsible ?ai|safety[ _](system|filter|policy)|moderation|"
    r"(input|prompt|request) (was|has been|is) (flagged|blocked)|data_inspection_failed|sensitive[ _]words?",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"context[ _]length|context (window|size)|maximum context|(prompt|input|request) is too (long|large)|"
    r"exceeds? the (available|maximum) (context|input)|too many (input )?tokens",
    re.IGNORECASE,
)
_QUOTA = re.compile(r"insufficient[ _](quota|balance|credits?)|exceeded your current quota|billing", re.IGNORECASE)
_KEY = re.compile(
    r"(invalid|incorrect|missing|no|expired)[ _]api[ _-]?key|api key not valid|unauthori[sz]ed", re.IGNORECASE
)
_NO_MODEL = re.compile(
    r"model[ _]not[ _]found|(unknown|no such|invalid) model|model .{0,80}(does not|doesn't) exist", re.IGNORECASE
)


class Failure(NamedTuple):
    """What an endpoint said went wrong.

    Attributes:
        status: the HTTP status, or the code inside a body that came with 200.
        message: its words.
        code: its short code, empty if none.
        param: the parameter it blames, empty if none.
        raw: the whole body as text.
        retry_after: seconds it asked us to wait, or None.
    """

    status: int
    message: str
    code: str = ""
    param: str = ""
    raw: str = ""
    retry_after: float | None = None


class RequestRefused(BadRequest):
    """A refusal of the request, with what was said, so that another request can be tried."""

    def __init__(self, message: str, failure: Failure) -> None:
        super().__init__(message, raw=failure.raw)
        self.failure = failure


class ServerFailed(Overloaded):
    """A failure of the server, with its status."""

    def __init__(self, message: str, failure: Failure) -> None:
        super().__init__(message, raw=failure.raw, retry_after=failure.retry_after)
        self.failure = failure


def read_failure(status: int, body: bytes, headers: Mapping[str, str]) -> Failure:
    """Read an error reply, whatever its form."""
    raw = clean(body.decode("utf-8", "replace"))
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        data = None
    return failure_in(status, data, raw, read_retry_after(headers))


def failure_in(status: int, data: object, raw: str, retry_after: float | None = None) -> Failure:
    """Read the error in a parsed body: under `error`, `detail` or `message`, as text or object."""
    found = data if isinstance(data, dict) else {}
    error = found.get("error") or found.get("detail") or found.get("message") or found
    if isinstance(error, dict):
        inner = error.get("innererror")
        codes = [error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, dict) else None]
        words = error.get("message") or error.get("detail") or raw
        code = " ".join(str(item) for item in codes if item)
        param = error.get("param") if isinstance(error.get("param"), str) else ""
        if isinstance(error.get("code"), int) and 400 <= error["code"] < 600:
            status = error["code"]
        return Failure(status, _words(words), clean(code), clean(param or ""), raw, retry_after)
    return Failure(status, _words(error or raw), raw=raw, retry_after=retry_after)


def fault_of(failure: Failure) -> ModelFault:
    """Return the fault that a failure is."""
    said, status = f"{failure.code} {failure.message}", failure.status
    more: dict[str, Any] = {"raw": failure.raw, "retry_after": failure.retry_after}
    line = f"({status}): {shown(failure.message)}"
    if status in (402, 429) or failure.code.startswith("rate_limit"):
        spent = status == 402 or _QUOTA.search(said)
        kind, what = (QuotaSpent, "the quota is spent") if spent else (RateLimited, "too many requests")
        return kind(f"{what} {line}", **more)
    if status not in (401, 404) and _FILTER.search(said):
        return Refused(f"stopped by a content filter {line}", **more)
    if status in (401, 403) or (status == 400 and _KEY.search(said)):
        return Unauthorised(f"the key was refused {line}", **more)
    if status == 404 or (status in (400, 422) and _NO_MODEL.search(said)):
        return ModelNotFound(f"no such model or address {line}", **more)
    if status in (408, 409, 425) or status >= 500 or status < 400:
        words = f"the endpoint failed {line}"
        return Unreachable(words, **more) if status == 408 else ServerFailed(words, failure)
    return RequestRefused(f"the request was refused {line}", failure)


def is_too_long(failure: Failure) -> bool:
    """Tell whether a request was refused because the prompt does not fit the model's context."""
    return bool(_TOO_LONG.search(f"{failure.code} {failure.message}"))


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds an endpoint asks us to wait, from `retry-after-ms` or `retry-after` in seconds."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    return None


def _words(value: object) -> str:
    if isinstance(value, str):
        return clean(value)
    return clean(json.dumps(value, ensure_ascii=False, default=str)) if value else ""
