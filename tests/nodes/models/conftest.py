"""A model over real HTTP to the bundled endpoint on loopback."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_asyncio

from emoharbor.eval.endpoint.scenario import Scenario
from emoharbor.eval.endpoint.server import RunningEndpoint, start_endpoint
from emoharbor.nodes.models.client import Models
from emoharbor.nodes.models.model import EndpointModel
from emoharbor.nodes.models.settings import ModelSettings

CANARY = "sk-canary-5f2c9e81d7"


@dataclass
class Desk:
    """A model, the endpoint it talks to, and the notes that were taken."""

    endpoint: RunningEndpoint
    models: Models
    model: EndpointModel
    notes: list[tuple[str, str]] = field(default_factory=list)

    def note(self, kind: str, detail: str) -> None:
        self.notes.append((kind, detail))

    @property
    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.notes]

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [asked.body for asked in self.endpoint.requests]


OpenDesk = Callable[..., Awaitable[Desk]]


@pytest_asyncio.fixture
async def desk(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenDesk]:
    """A function that opens a desk, given the replies to play for its calls in order, and settings."""
    monkeypatch.setenv("TEST_KEY", CANARY)
    async with AsyncExitStack() as stack:

        async def open_desk(reply: list[Any] | None = None, **settings: Any) -> Desk:
            rules = [{"reply": reply}] if reply else []
            scenario = Scenario.model_validate({"rules": rules})
            endpoint = await stack.enter_async_context(start_endpoint(scenario))
            models = await stack.enter_async_context(Models())
            given = {"model": "m", "base_url": endpoint.url, "api_key_env": "TEST_KEY", "backoff_s": 0, "timeout_s": 5}
            return Desk(endpoint, models, models.open(ModelSettings.model_validate({**given, **settings})))

        yield open_desk
