"""Three shards, each killed with SIGKILL and gone on with, then merged: as if nothing had happened."""

import asyncio
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers.runs import canonical

from emoharbor.eval.api import evaluate
from emoharbor.eval.endpoint.server import RunningEndpoint, start_endpoint
from emoharbor.eval.run import load_run
from emoharbor.eval.runs.shard import Shard
from emoharbor.eval.scale.merge import merge

PEOPLE = ("P010", "P035", "P040")
AT_ONCE = 2
SEED = 20
"""Of the moments of killing."""


@pytest.mark.slow
async def test_killed_shards_merge_into_what_an_unbroken_run_gives(tmp_path: Path) -> None:
    moments = random.Random(SEED)  # noqa: S311 - a fixed choice, no secret
    async with start_endpoint() as endpoint:
        unbroken = await evaluate(config(endpoint.url), tmp_path / "whole")
    async with start_endpoint() as endpoint:
        (tmp_path / "run.yaml").write_text(yaml.safe_dump(config(endpoint.url)), encoding="utf-8")
        for number in (1, 2, 3):
            await kill_shard(tmp_path, Shard(number=number, of=3), endpoint, moments.randint(3, 20))
            await evaluate(config(endpoint.url), tmp_path / f"part{number}", resume=True)

    done = merge([tmp_path / f"part{number}" for number in (1, 2, 3)], tmp_path / "joined")

    assert (done.finished, done.planned) == (6, 6)
    assert canonical(load_run(done.folder), tmp_path) == canonical(unbroken, tmp_path)
    asked = Counter(
        (call.role, asked.headers["x-emoharbor-profile"], asked.headers["x-emoharbor-turn"])
        for asked in endpoint.requests
        if (call := asked.call).role in ("feel", "think", "speak")
    )
    # both supporters share an opening; a turn is asked once for each, and again only when it was under way at a kill
    again = {place[1:] for place, count in asked.items() if count > (1 if place[2] == "0" else 2)}
    assert len(again) <= 3 * AT_ONCE


async def kill_shard(folder: Path, shard: Shard, endpoint: RunningEndpoint, calls: int) -> None:
    """Run a shard in a process of its own and kill it once it has made so many calls."""
    before = endpoint.stats.calls
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "emoharbor.eval.cli", "run", "run.yaml", "--shard", str(shard), "-o",
        f"part{shard.number}", cwd=folder, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    while endpoint.stats.calls < before + calls:
        assert process.returncode is None, "it ended before it could be killed"
        await asyncio.sleep(0.001)
    process.kill()
    _, told = await process.communicate()
    assert process.returncode == -9, told.decode()


def config(url: str) -> dict[str, Any]:
    """Return a run in which a model plays every role."""
    model = {"base_url": url, "temperature": 0, "rehearsal": True}
    chat = {"use": "chat", "model": {**model, "model": "tested"}}
    return {
        "run": {"name": "killed", "seed": 5, "max_turns": 3},
        "profiles": list(PEOPLE),
        "cast": {role: {"use": "llm", "model": {**model, "model": "played"}} for role in ROLES},
        "supporters": [{"name": "one", **chat}, {"name": "two", **chat}],
        "limits": {"concurrency": AT_ONCE},
    }


ROLES = ("feel", "think", "speak", "judge")
