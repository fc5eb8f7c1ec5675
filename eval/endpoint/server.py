"""The endpoint itself: a small aiohttp application on loopback.

POST /v1/chat/completions    plays the scenario
GET  /v1/models              the scenario's models
GET  /stats                  what was asked and answered so far
"""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from emoharbor.eval.endpoint.cache import PrefixCache
from emoharbor.eval.endpoint.call import Call, read_call
from emoharbor.eval.endpoint.director import Director
from emoharbor.eval.endpoint.replies import Sent, reply
from emoharbor.eval.endpoint.scenario import Act, Scenario
from emoharbor.state.errors import ConfigError

HOST = "127.0.0.1"
DEFAULT_PORT = 8801
_KEPT_REQUESTS = 10_000
_LARGEST_REQUEST = 64 * 2**20
_SHUTDOWN_S = 0.1


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came, for tests: the call, the body, the headers, and what was done."""

    call: Call
    body: dict[str, Any]
    headers: dict[str, str]
    act: Act | None


@dataclass(slots=True)
class Stats:
    """Counts since the start."""

    calls: int = 0
    by_role: Counter[str] = field(default_factory=Counter)
    by_status: Counter[int] = field(default_factory=Counter)
    misbehaved: int = 0
    in_flight: int = 0
    most_in_flight: int = 0
    prompt_tokens: Counter[str] = field(default_factory=Counter)
    cached_tokens: Counter[str] = field(default_factory=Counter)

    def as_json(self) -> dict[str, Any]:
        """Return the counts by name; tokens by role."""
        return {
            "calls": self.calls,
            "by_role": dict(self.by_role),
            "by_status": {str(status): count for status, count in self.by_status.items()},
            "misbehaved": self.misbehaved,
            "most_in_flight": self.most_in_flight,
            "prompt_tokens": dict(self.prompt_tokens),
            "cached_tokens": dict(self.cached_tokens),
        }


class RunningEndpoint:
    """An endpoint that is up.

    Attributes:
        url: its address, for `base_url`.
        stats: what was asked and answered so far.
        requests: the first `keep` requests, oldest first.
    """

    def __init__(self, scenario: Scenario, keep: int) -> None:
        self.url = ""
        self.stats = Stats()
        self.requests: list[Asked] = []
        self._keep = keep
        self._scenario = scenario
        self._director = Director(scenario)
        self._cache = PrefixCache()

    def app(self) -> web.Application:
        """Return the aiohttp application."""
        app = web.Application(client_max_size=_LARGEST_REQUEST)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._models)
        app.router.add_get("/stats", self._stats)
        return app

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        try:
            body = json.loads(await request.read())
            call = read_call(body, request.headers)
        except (ValueError, AttributeError, TypeError, KeyError, IndexError) as error:
            return web.json_response({"error": {"message": f"the request cannot be read: {error}"}}, status=400)
        stats = self.stats
        stats.calls += 1
        stats.in_flight += 1
        stats.most_in_flight = max(stats.most_in_flight, stats.in_flight)
        try:
            return await self._played(request, call, body)
        finally:
            stats.in_flight -= 1

    async def _played(self, request: web.Request, call: Call, body: dict[str, Any]) -> web.StreamResponse:
        act = self._director.act(call)
        if len(self.requests) < self._keep:
            self.requests.append(Asked(call, body, dict(request.headers), act))
        prompt_tokens, cached = self._cache.take(body)
        cached = cached if self._scenario.prefix_cache else 0
        sent = reply(call, act, self._scenario, prompt_tokens, cached)
        stats = self.stats
        stats.by_role[call.role] += 1
        stats.by_status[sent.status] += 1
        stats.misbehaved += act is not None
        stats.prompt_tokens[call.role] += prompt_tokens
        stats.cached_tokens[call.role] += cached
        await asyncio.sleep(self._scenario.latency_ms / 1000 + (act.delay_s if act else 0))
        if act is not None and act.close is not None:
            return await _dropped(request, sent, begun=act.close == "mid_body")
        return web.Response(status=sent.status, headers=sent.headers, body=sent.body)

    async def _models(self, _: web.Request) -> web.Response:
        listed = [{"id": name, "object": "model", "owned_by": "emoharbor"} for name in self._scenario.models]
        return web.json_response({"object": "list", "data": listed})

    async def _stats(self, _: web.Request) -> web.Response:
        return web.json_response(self.stats.as_json())


@asynccontextmanager
async def start_endpoint(
    scenario: Scenario | None = None, port: int = 0, *, keep: int = _KEPT_REQUESTS
) -> AsyncIterator[RunningEndpoint]:
    """Run an endpoint on loopback for as long as the context lasts.

    Args:
        scenario: what it plays; None for sensible answers only.
        port: where it listens; 0 for any free port.
        keep: how many requests are kept, for whoever looks at them afterwards.

    Raises:
        ConfigError: when the port is taken.
    """
    running = RunningEndpoint(scenario or Scenario(), keep)
    runner = web.AppRunner(running.app(), access_log=None, shutdown_timeout=_SHUTDOWN_S)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, HOST, port).start()
        except OSError as error:
            raise ConfigError(f"port {port} on {HOST} cannot be used: {error.strerror}; choose another") from None
        running.url = f"http://{HOST}:{runner.addresses[0][1]}/v1"
        yield running
    finally:
        await runner.cleanup()


@contextmanager
def endpoint_in_thread(scenario: Scenario | None = None, port: int = 0) -> Iterator[RunningEndpoint]:
    """Run an endpoint in a thread of its own, for code that is not async. As `start_endpoint` otherwise."""
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    over = asyncio.Event()
    found: list[RunningEndpoint | ConfigError] = []

    async def run() -> None:
        try:
            async with start_endpoint(scenario, port) as running:
                found.append(running)
                ready.set()
                await over.wait()
        except ConfigError as error:
            found.append(error)
            ready.set()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), name="endpoint", daemon=True)
    thread.start()
    ready.wait()
    try:
        running = found[0]
        if isinstance(running, ConfigError):
            raise running
        yield running
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


async def serve(
    scenario: Scenario | None = None, port: int = DEFAULT_PORT, *, ready: Callable[[str], None] | None = None
) -> None:
    """Run an endpoint on loopback until cancelled (Ctrl-C under `asyncio.run`).

    Args:
        scenario: what it plays; None for sensible answers only.
        port: where it listens.
        ready: told the address once it is up.

    Raises:
        ConfigError: when the port is taken.
    """
    async with start_endpoint(scenario, port, keep=0) as running:  # nobody could look at them
        if ready is not None:
            ready(running.url)
        await asyncio.Event().wait()


async def _dropped(request: web.Request, sent: Sent, *, begun: bool) -> web.StreamResponse:
    """Drop the connection: before the reply, or in the middle of its body."""
    response = web.StreamResponse(status=sent.status, headers=sent.headers)
    if begun:
        response.content_length = len(sent.body)
        await response.prepare(request)
        await response.write(sent.body[: len(sent.body) // 2])
    if request.transport is not None:
        request.transport.close()
    return response
