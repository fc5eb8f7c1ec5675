"""Runs cut into shards, with a scripted cast."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from helpers.runs import assembly, play
from helpers.scripted import Script

from emoharbor.eval.assembly import Assembly
from emoharbor.eval.runs.plan import Selection
from emoharbor.eval.runs.shard import Shard

Shards = Callable[..., Awaitable[list[Path]]]


@pytest.fixture
def shards(tmp_path: Path) -> Shards:
    """Play a run in so many shards and return their folders."""

    async def made(
        of: int, run: Callable[[], Assembly] = lambda: assembly(Script()), prefix: str = "part"
    ) -> list[Path]:
        folders = []
        for number in range(1, of + 1):
            folder = tmp_path / f"{prefix}{number}of{of}"
            await play(run(), folder, only=Selection(shard=Shard(number=number, of=of)))
            folders.append(folder)
        return folders

    return made
