"""What the benchmarks of whole runs share: an endpoint in a process of its own, and a config in which it plays all."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emoharbor.eval.api import evaluate_sync
from emoharbor.eval.config import make_config
from emoharbor.eval.run import Run
from emoharbor.eval.scale.processes import ProcessEngine
from emoharbor.eval.scale.sharded import evaluate_in_shards
from emoharbor.profiles.loader import load_people

STAYS = """
latency_ms: {latency_ms}
rules:
  - {{when: {{role: [think, fused]}}, reply: [{{json: {{wants_to_continue: true, intention: elaborate}}}}, forever]}}
  - {{when: {{role: feel, turn: [1, 3, 5, 7, 9, 11, 13, 15]}}, reply: [{{json: {{distress: 3}}}}, forever]}}
  - {{when: {{role: feel}}, reply: [{{json: {{distress: 7}}}}, forever]}}
"""
"""Nobody leaves before the turn cap, is asked again, or has nothing new: each episode makes the same calls."""
ROLES = ("feel", "think", "speak", "judge")


@dataclass(frozen=True)
class Endpoint:
    """The bundled endpoint, up in another process."""

    url: str

    def stats(self) -> dict[str, Any]:
        """Return what was asked and answered so far."""
        with urllib.request.urlopen(self.url.removesuffix("/v1") + "/stats", timeout=30) as answer:  # noqa: S310 - our own http address
            found: dict[str, Any] = json.loads(answer.read())
            return found


@contextmanager
def endpoint(latency_ms: float = 0, *, pinned: bool = True) -> Iterator[Endpoint]:
    """Run the endpoint on the last core, and pin this process to the others; or let the system place them."""
    scenario = Path(tempfile.mkdtemp()) / "scenario.yaml"
    scenario.write_text(STAYS.format(latency_ms=latency_ms), encoding="utf-8")
    command = [sys.executable, "-m", "emoharbor.eval.cli", "endpoint", str(scenario), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own command
        try:
            if pinned:
                _pin(process.pid)
            assert process.stderr is not None
            url = next(word for word in process.stderr.readline().split() if word.startswith("http"))
            yield Endpoint(url.rstrip(";,"))
        finally:
            process.terminate()


def config(  # noqa: PLR0913, PLR0917 - the figures of a run
    url: str, people: int, turns: int, concurrency: int, repeats: int = 1, calls: int | None = None
) -> dict[str, Any]:
    """Return a run in which a model plays every role, with so many episodes under way and at most `calls` in flight."""
    model = {"base_url": url, "concurrency": calls or max(64, concurrency), "rehearsal": True}
    return {
        "run": {"name": "benchmark", "seed": 1, "max_turns": turns, "repeats": repeats},
        "profiles": list(load_people("core"))[:people],
        "cast": {role: {"use": "llm", "model": {**model, "model": "played"}} for role in ROLES},
        "supporters": [{"name": "chat", "use": "chat", "model": {**model, "model": "tested"}}],
        "limits": {"concurrency": concurrency},
    }


@dataclass(frozen=True)
class Spent:
    """What one run took: CPU of this process, all threads, and of those that it started for the run."""

    wall_s: float
    cpu_s: float
    calls: int


def play(at: Endpoint, what: dict[str, Any], processes: int = 1) -> tuple[Run, Spent]:
    """Run into a new folder, traces and store on; in so many processes."""
    folder = Path(tempfile.mkdtemp()) / "run"
    before, wall, cpu = at.stats()["calls"], time.perf_counter(), _cpu_s()
    run = evaluate_sync(what, folder) if processes == 1 else _in_processes(what, folder, processes)
    return run, Spent(time.perf_counter() - wall, _cpu_s() - cpu, at.stats()["calls"] - before)


def _in_processes(what: dict[str, Any], folder: Path, processes: int) -> Run:
    run = evaluate_in_shards(make_config(what), folder, ProcessEngine(), shards=processes).run
    assert run is not None
    return run


def _cpu_s() -> float:
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def peak_mb() -> float:
    """Return the most memory that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _pin(pid: int) -> None:
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        os.sched_setaffinity(pid, {cores[-1]})
        os.sched_setaffinity(0, set(cores[:-1]))
