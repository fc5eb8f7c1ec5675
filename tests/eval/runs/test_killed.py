"""Killed with SIGKILL at 20 random moments and resumed each time: nothing lost, nothing twice, the same bytes."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from emoharbor.eval import load_run
from emoharbor.eval.endpoint.scenario import Scenario
from emoharbor.eval.endpoint.server import Asked, endpoint_in_thread
from emoharbor.eval.record import EpisodeRecord

KILLS = 20
SEED = 20260106
NURSE = """
import os, sys
from emoharbor.eval import evaluate_sync
from emoharbor.eval.runs import start  # imported once, so that a child begins at once
import emoharbor.nodes.models.chat, emoharbor.nodes.feel, emoharbor.nodes.judge, emoharbor.nodes.supporters.chat

for line in sys.stdin:
    config, folder, resume = line.split()
    child = os.fork()
    if child == 0:
        evaluate_sync(config, folder, resume=resume == "yes")
        sys.stdout.flush()
        os._exit(0)
    print(child, flush=True)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""
CONFIG = """
run: {{name: killed, seed: 7, max_turns: 5}}
profiles: [P010, P013, P015]
models:
  m: {{model: person, base_url: "{url}", rehearsal: true}}
cast:
  feel: {{use: llm, model: m}}
  think: {{use: llm, model: m}}
  speak: {{use: llm, model: m}}
  judge: {{use: llm, model: m}}
supporters:
  - {{name: one, use: chat, model: {{model: one, base_url: "{url}"}}}}
  - {{name: two, use: chat, model: {{model: two, base_url: "{url}"}}}}
limits: {{concurrency: 4}}
"""
STAYS = [{"when": {"role": "think"}, "reply": [{"json": {"wants_to_continue": True, "intention": "elaborate"}},
                                                "forever"]}]  # fmt: skip


@contextmanager
def nurse(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has everything imported, and starts runs in children of its own."""
    (folder / "nurse.py").write_text(NURSE, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, str(folder / "nurse.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def begin(process: subprocess.Popen[str], config: Path, run: Path) -> int:
    """Start the run, or go on with it, and return its process id."""
    assert process.stdin is not None
    assert process.stdout is not None
    resume = "yes" if (run / "manifest.json").exists() else "no"
    process.stdin.write(f"{config} {run} {resume}\n")
    process.stdin.flush()
    return int(process.stdout.readline())


def ended(process: subprocess.Popen[str]) -> int:
    """Wait until it has ended, and return its exit code."""
    assert process.stdout is not None
    return int(process.stdout.readline())


def said(record: EpisodeRecord) -> list[str]:
    """The dialogue of the finished turns."""
    return [text for turn in record.turns if turn.supporter and turn.user for text in (turn.user, turn.supporter)]


def asked_again(requests: list[Asked], finished: dict[str, EpisodeRecord]) -> list[str]:
    """Calls of turns that were finished already."""
    found = []
    for asked in requests:
        lines = [line.text for line in asked.call.dialogue]
        for record in finished.values():
            talk = said(record)
            ours = asked.call.role != "supporter" or asked.call.model == record.supporter
            opens = not lines and asked.call.role in ("feel", "think", "speak") and asked.call.profile == record.profile
            if talk and ours and len(lines) < len(talk) and (opens or (lines and lines == talk[: len(lines)])):
                found.append(f"{record.episode} {asked.call.role} after {len(lines)} messages")
    return found


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_a_run_killed_twenty_times_is_the_same_as_one_that_never_was(tmp_path: Path) -> None:
    moments = random.Random(SEED)  # noqa: S311 - a fixed list of moments
    config, run = tmp_path / "c.yaml", tmp_path / "run"
    scenario = Scenario.model_validate({"latency_ms": 5, "rules": STAYS})
    with endpoint_in_thread(scenario) as endpoint, nurse(tmp_path) as process:
        config.write_text(CONFIG.format(url=endpoint.url), encoding="utf-8")
        finished: dict[str, EpisodeRecord] = {}
        again: list[str] = []
        for _ in range(KILLS):
            before = len(endpoint.requests)
            until = endpoint.stats.calls + moments.randint(3, 12)
            pid = begin(process, config, run)
            deadline = time.monotonic() + 60
            while endpoint.stats.calls < until and time.monotonic() < deadline:
                time.sleep(0.001)
            os.kill(pid, signal.SIGKILL)
            assert ended(process) == -signal.SIGKILL
            again += asked_again(endpoint.requests[before:], finished)
            found = list(load_run(run).episodes()) if (run / "run.db").exists() else []
            assert len({record.episode for record in found}) == len(found)
            finished = {record.episode: record for record in found}
        before = len(endpoint.requests)
        begin(process, config, run)
        assert ended(process) == 0
        again += asked_again(endpoint.requests[before:], finished)
        whole = tmp_path / "whole"
        begin(process, config, whole)
        assert ended(process) == 0

    assert again == []
    assert asked_again(endpoint.requests, {record.episode: record for record in load_run(run).episodes()}), (
        "the check itself knows a turn when it sees one"
    )
    one, other = load_run(run), load_run(whole)
    assert one.export(tmp_path / "1", "jsonl", canonical=True)[0].read_bytes() == (
        other.export(tmp_path / "2", "jsonl", canonical=True)[0].read_bytes()
    )
    assert [times.attempt for _, times in one.records()] == [0] * 6
