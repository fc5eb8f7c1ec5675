"""Whole episodes with the `llm` cast and a chat supporter, over real HTTP to the bundled endpoint."""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from helpers.rehearsal import CANARY, CHAIN, cast, settings

from emoharbor.eval.api import run_episode
from emoharbor.eval.endpoint.scenario import Scenario
from emoharbor.eval.endpoint.server import Asked, RunningEndpoint, start_endpoint
from emoharbor.eval.record import EpisodeRecord


@dataclass(frozen=True)
class Played:
    """An episode and what the endpoint saw of it."""

    record: EpisodeRecord
    endpoint: RunningEndpoint

    @property
    def requests(self) -> list[Asked]:
        return self.endpoint.requests

    def asked(self, role: str, turn: int = 0) -> list[Asked]:
        return [
            item for item in self.requests if item.call.role == role and (role == "judge" or item.call.turn == turn)
        ]

    @property
    def kinds(self) -> list[str]:
        return [fault.kind for fault in self.record.faults]


Rehearse = Callable[..., Coroutine[Any, Any, Played]]


@pytest.fixture
def rehearse(monkeypatch: pytest.MonkeyPatch) -> Rehearse:
    """Play one episode while an endpoint plays some rules."""
    monkeypatch.setenv("TEST_KEY", CANARY)

    async def play(
        rules: list[dict[str, Any]], *, chain: Sequence[str] = CHAIN, max_turns: int = 1, **more: Any
    ) -> Played:
        async with start_endpoint(Scenario.model_validate({"rules": rules})) as endpoint:
            model = settings(endpoint.url, **more)
            record = await run_episode(
                "P010",
                {"name": "chat", "use": "chat", "model": "m2"},
                cast=cast(chain),
                models={"m": model, "m2": {**model, "model": "m2"}},
                max_turns=max_turns,
                seed=3,
            )
        return Played(record, endpoint)

    return play
