"""One endpoint: its client, how many calls it gets at once, and what has been learned about it."""

import asyncio
import re
import ssl
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import httpx2

from emoharbor.nodes.models.address import OPENAI, takes_new_cap
from emoharbor.nodes.models.body import read_json
from emoharbor.nodes.models.faults import Failure, failure_in, fault_of, read_failure
from emoharbor.nodes.models.schema import RUNGS, Rung
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.nodes.models.throttle import Throttle
from emoharbor.nodes.models.transport import Wire
from emoharbor.state.errors import ModelFault, Unreachable

_SHORTEST_KEY = 8
"""Shorter "keys" are placeholders such as `EMPTY`; hiding them would garble ordinary words."""
_HIDDEN = "[key]"
_ESCAPED = re.compile(r"\\u00([2-7][0-9a-fA-F])")
_NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Trusts nobody: for connections without TLS."""
NO_KEY = "no-key-set"
"""Sent where an endpoint takes no key; without it the client would look for one in the environment."""


@dataclass(slots=True)
class Learned:
    """What is known about one model behind one endpoint. It only grows within a run.

    Attributes:
        rung: the way of asking for structured answers that is tried first.
        proven: the rungs that have given a readable answer.
        dropped: parameters that were refused and are no longer sent.
        cap_field: the field the token cap goes into; None when both names were refused.
        folds_system: the system text goes into the first user message, since the role was refused.
        suspects: how many questions had to leave a rung because of server errors, by rung.
        calls: requests sent.
        faults: how many requests ended in each kind of fault.
        reports_usage: whether replies state their tokens; None before the first.
    """

    rung: Rung = "json_schema"
    proven: set[Rung] = field(default_factory=set)
    dropped: set[str] = field(default_factory=set)
    cap_field: str | None = "max_tokens"
    folds_system: bool = False
    suspects: Counter[Rung] = field(default_factory=Counter)
    calls: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    reports_usage: bool | None = None

    @property
    def works(self) -> Rung | None:
        """The rung that gives readable answers: the present one if it has, else the lowest that has; None without."""
        return self.rung if self.rung in self.proven else max(self.proven, key=RUNGS.index, default=None)

    def settle(self, rung: Rung) -> None:
        """Remember that calls start at `rung`, or below it if they already do."""
        self.rung = max(self.rung, rung, key=RUNGS.index)


class Endpoint:
    """Shared by every model behind one address and key. Belongs to the event loop of its first call.

    Attributes:
        url: the address, without a slash at its end.
        api_key_env: name of the variable the key came from, or None.
        throttle: how many calls it gets at once.
        wire: the connections.
        idle, idle_async: the stock class's own clients, through which nothing is sent.
        key: what is sent as the key.
    """

    def __init__(self, settings: ModelSettings, key: str | None) -> None:
        self.url = (settings.base_url or OPENAI).rstrip("/")
        self.api_key_env = settings.api_key_env
        self.throttle = Throttle(settings.concurrency)
        self.wire = Wire(self.url, settings.concurrency)
        # never used: without them the stock class makes its own, and loads the certificates for each
        self.idle = httpx2.Client(verify=_NO_CERTIFICATES, trust_env=False)
        self.idle_async = httpx2.AsyncClient(verify=_NO_CERTIFICATES, trust_env=False)
        self.key = key or NO_KEY
        self._secret = key if key and len(key) >= _SHORTEST_KEY else ""
        self._learned: dict[str, Learned] = {}

    def learned(self, model: str) -> Learned:
        """Return what is known about one of its models."""
        if model not in self._learned:
            start = "max_completion_tokens" if takes_new_cap(self.url) else "max_tokens"
            self._learned[model] = Learned(cap_field=start)
        return self._learned[model]

    @property
    def models(self) -> dict[str, Learned]:
        """What is known, by model."""
        return dict(self._learned)

    def hide_key(self, text: str) -> str:
        """Return a text without the key, should an endpoint repeat it."""
        if not self._secret:
            return text
        if "\\u00" in text and self._secret in (plain := _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)):
            text = plain  # JSON inside a text may write any letter of it as an escape
        return text.replace(self._secret, _HIDDEN)

    async def post(self, payload: dict[str, Any], headers: dict[str, str], timeout_s: float) -> dict[str, Any]:
        """Send one request and return the object in the reply's body.

        Raises:
            EndpointFault: when there is none.
            Refused: when a content filter refused the request.
        """
        try:
            async with asyncio.timeout(timeout_s):
                received = await self.wire.post(payload, headers)
        except TimeoutError:
            raise Unreachable(f"no answer within {timeout_s:g} s") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise Unreachable(self.hide_key(_connection_problem(error, timeout_s))) from None
        if not 200 <= received.status < 300:
            raise self._fault(read_failure(received.status, self._without_key(received.body), received.headers))
        data = self._parsed(received.body)
        if data.get("error"):
            raise self._fault(failure_in(received.status, data, received.body.decode("utf-8", "replace")))
        return data

    def _parsed(self, body: bytes) -> dict[str, Any]:
        data = read_json(self._without_key(body))
        return self._hidden(data) if self._secret and b"\\u00" in body else data

    def _hidden(self, value: Any) -> Any:
        """Hide the key in parsed JSON: written with escapes, it is not found in the bytes."""
        if isinstance(value, str):
            return self.hide_key(value)
        if isinstance(value, list):
            return [self._hidden(item) for item in value]
        return {name: self._hidden(item) for name, item in value.items()} if isinstance(value, dict) else value

    def _fault(self, failure: Failure) -> ModelFault:
        # the bytes were searched already; an escaped key shows only after parsing
        return fault_of(failure._replace(message=self.hide_key(failure.message), raw=self.hide_key(failure.raw)))

    async def aclose(self) -> None:
        """Close the connections."""
        self.idle.close()
        await self.idle_async.aclose()
        await self.wire.aclose()

    def _without_key(self, body: bytes) -> bytes:
        return body.replace(self._secret.encode(), _HIDDEN.encode()) if self._secret else body


def _connection_problem(error: BaseException, timeout_s: float) -> str:
    """Say what failed by the first cause: the layers above call a refused connection a timeout."""
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, TimeoutError):
        return f"no answer within {timeout_s:g} s"
    return f"the connection failed: {error or type(error).__name__}"
