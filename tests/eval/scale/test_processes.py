"""What is particular to processes: limits kept together, and somebody's code that ends its process."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from helpers.runs import canonical

from emoharbor.eval.api import evaluate
from emoharbor.eval.config import make_config
from emoharbor.eval.endpoint.scenario import Scenario
from emoharbor.eval.endpoint.server import start_endpoint
from emoharbor.eval.run import load_run
from emoharbor.eval.scale.processes import ProcessEngine
from emoharbor.eval.scale.sharded import evaluate_in_shards
from emoharbor.state.errors import RunFolderError

pytestmark = pytest.mark.slow  # each case starts processes

ROLES = ("feel", "think", "speak", "judge")


def asking(url: str, concurrency: int) -> dict[str, Any]:
    """Return a run in which a model plays every role."""
    model = {"base_url": url, "temperature": 0, "rehearsal": True}
    return {
        "run": {"name": "processes", "seed": 5, "max_turns": 2},
        "profiles": ["P010", "P035", "P040", "P001", "P002", "P003"],
        "cast": {role: {"use": "llm", "model": {**model, "model": "played"}} for role in ROLES},
        "supporters": [{"name": "chat", "use": "chat", "model": {**model, "model": "tested"}}],
        "limits": {"concurrency": concurrency},
    }


async def test_all_processes_together_keep_the_limits(tmp_path: Path) -> None:
    async with start_endpoint() as endpoint:
        unbroken = await evaluate(asking(endpoint.url, 3), tmp_path / "whole")
    async with start_endpoint(Scenario(latency_ms=100)) as endpoint:
        config = make_config(asking(endpoint.url, 3))

        ended = await asyncio.to_thread(evaluate_in_shards, config, tmp_path / "run", ProcessEngine(), shards=2)

    assert ended.run is not None
    assert endpoint.stats.most_in_flight == 3
    assert canonical(ended.run, tmp_path) == canonical(unbroken, tmp_path)
    assert ended.run.manifest.config.limits.concurrency == 3
    assert list((tmp_path / "run.shards").glob("*.log")) == []


def test_a_process_that_somebodys_code_ends_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ends.py").write_text(
        "import os\ndef reply(messages):\n    print('farewell', flush=True)\n    os._exit(3)\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    config = make_config(
        {
            "profiles": ["P010", "P035"],
            "supporters": [{"name": "bot", "use": "callable", "target": "ends:reply"}],
        }
    )

    with pytest.raises(RunFolderError, match=r"its process ended by itself \(code 3\); see .*of2\.log") as told:
        evaluate_in_shards(config, tmp_path / "run", ProcessEngine(), shards=2)

    log = Path(str(told.value).rpartition("see ")[2])
    assert log.read_text(encoding="utf-8") == "farewell\n"
    assert load_run(tmp_path / "run.shards" / "1of2").manifest.shard is not None


def test_a_process_that_is_killed_again_and_again_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dies.py").write_text(
        "import os, signal\n"
        "def reply(messages):\n"
        "    open('died.txt', 'a').write('.')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    config = make_config({
        "profiles": ["P010"], "supporters": [{"name": "bot", "use": "callable", "target": "dies:reply"}],
    })  # fmt: skip

    with pytest.raises(RunFolderError, match=r"shard 1/1: its worker was lost 4 times \(SIGKILL\); .* --resume"):
        evaluate_in_shards(config, tmp_path / "run", ProcessEngine(), shards=1)

    assert (tmp_path / "died.txt").read_text() == "...."
