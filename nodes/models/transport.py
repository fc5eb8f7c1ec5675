"""The wire: one pool of connections to one endpoint, on aiohttp.

The OpenAI client would do the same at thirty times the CPU (`benchmarks/client.py`): it keeps what it is good at, the
headers and the key, and the posting is ours.
"""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp
import httpx2
from pydantic_core import to_json

from emoharbor.nodes.models.address import is_loopback

_SPARE_CONNECTIONS = 16
_KEEP_OPEN_S = 20
_NO_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=None)
"""The caller's own timeout covers the whole request."""


@dataclass(frozen=True, slots=True)
class Received:
    """What came back: status, headers and the whole body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Wire:
    """The connections to one endpoint. Belongs to the event loop of its first call."""

    def __init__(self, url: str, concurrency: int) -> None:
        self._url = f"{url}/chat/completions"
        self._size = concurrency + _SPARE_CONNECTIONS
        self._session: aiohttp.ClientSession | None = None

    async def post(self, payload: dict[str, Any], headers: Mapping[str, str]) -> Received:
        """Send one request and read the whole answer.

        Raises:
            aiohttp.ClientError: when there is none.
            OSError: likewise.
        """
        session = self._session or self._open()
        async with session.post(self._url, data=to_json(payload), headers=headers) as answer:
            return Received(answer.status, answer.headers, await answer.read())

    async def aclose(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    def _open(self) -> aiohttp.ClientSession:
        # certificates take a tenth of a second to load, and nothing is to be verified without TLS
        secure: ssl.SSLContext | bool = httpx2.create_ssl_context() if self._url.startswith("https:") else False
        # the pool is larger than the limit on calls: none waits in it
        pool = aiohttp.TCPConnector(limit=self._size, keepalive_timeout=_KEEP_OPEN_S, ssl=secure)
        self._session = aiohttp.ClientSession(
            connector=pool,
            timeout=_NO_TIMEOUT,
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=not is_loopback(self._url),
        )
        return self._session
