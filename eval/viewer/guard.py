"""The door: only this machine, only who holds the token, only our own scripts.

A page of another site can send requests to a port of this machine, and DNS rebinding can make it look like ours. So
the Host header must name the loopback, the token must be there (once in the address, then as a cookie that no script
can read and no other site can send), and whatever changes something must come from our own pages.
"""

import hmac
import secrets
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN = "token"  # noqa: S105 - the name of the parameter
_SAFE = ("GET", "HEAD")
_UNKNOWN = (
    "This page needs the token that `emoharbor view` printed with its address.\n"
    "Open that whole address; after that, the browser remembers it until it is closed.\n"
)
_STRANGER = "This viewer answers on this machine only: open the address that `emoharbor view` printed.\n"
_FOREIGN = "This request does not come from a page of this viewer, so nothing was done.\n"
_HEADERS: Mapping[str, str] = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """ASGI middleware around the whole viewer."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token
        self._cookie = f"emoharbor-{port}"  # cookies are not kept apart by port
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        nonce = scope.setdefault("state", {})["nonce"] = secrets.token_urlsafe(16)
        refused = self._refused(scope, headers)
        app = self._app if refused is None else refused
        await app(scope, receive, _with_headers(send, nonce))

    def _refused(self, scope: Scope, headers: Headers) -> Response | None:
        if headers.get("host", "").lower() not in self._hosts:
            return PlainTextResponse(_STRANGER, 421)
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = dict(query).get(TOKEN)
        if given is not None and scope["method"] == "GET" and self._fits(given):
            return self._welcome(scope["path"], [item for item in query if item[0] != TOKEN])
        if not self._fits(cookie_parser(headers.get("cookie", "")).get(self._cookie, "")):
            return PlainTextResponse(_UNKNOWN, 403)
        if scope["method"] not in _SAFE and not self._ours(headers):
            return PlainTextResponse(_FOREIGN, 403)
        return None

    def _welcome(self, path: str, query: list[tuple[str, str]]) -> Response:
        """Keep the token as a cookie, and take it out of the address bar."""
        # one slash: `//host` would be another site
        target = "/" + path.lstrip("/\\") + (f"?{urlencode(query)}" if query else "")
        response = RedirectResponse(target, 303)
        response.set_cookie(self._cookie, self._token, httponly=True, samesite="strict", path="/")
        return response

    def _fits(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())

    def _ours(self, headers: Headers) -> bool:
        site = headers.get("sec-fetch-site")
        origin = headers.get("origin", "")
        return site in (None, "same-origin") and origin.removeprefix("http://").lower() in self._hosts


def _with_headers(send: Send, nonce: str) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers["content-security-policy"] = policy(nonce)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return sending


def policy(nonce: str) -> str:
    """Return the content security policy: nothing from elsewhere, no script and no style without this page's nonce."""
    return (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
