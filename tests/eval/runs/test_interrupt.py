"""Ctrl-C: the turns under way are finished, saved, and gone on with later; a second one ends at once."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from helpers.runs import assembly, canonical, play
from helpers.scripted import Script, part

from emoharbor.eval import evaluate_sync, load_run
from emoharbor.eval.run import Run
from emoharbor.eval.runs.describe import make_manifest
from emoharbor.eval.runs.manifest import write_manifest
from emoharbor.eval.runs.progress import Progress
from emoharbor.eval.runs.runner import Runner
from emoharbor.eval.store.folder import prepare
from emoharbor.eval.store.store import Store
from emoharbor.nodes.contract import Request
from emoharbor.state.updates import SupporterUpdate

pytestmark = pytest.mark.slow  # each case is a process of its own

BOT = """
import asyncio, pathlib, sys, time
HERE = pathlib.Path(__file__).parent

async def slow(messages):
    with (HERE / "asked.txt").open("a") as file:
        print(len(messages), file=file)
    print("asked", file=sys.stderr, flush=True)
    await asyncio.sleep(0.3)
    return f"I hear you. ({len(messages)})"

async def stuck(messages):
    print("asked", file=sys.stderr, flush=True)
    await asyncio.sleep(600)

def thread(messages):
    print("asked", file=sys.stderr, flush=True)
    time.sleep(600)
"""


def start(folder: Path, bot: str, grace_s: float) -> subprocess.Popen[str]:
    """Start a run of one person with a bot, and wait until the bot was asked."""
    (folder / "bots.py").write_text(BOT, encoding="utf-8")
    (folder / "c.yaml").write_text(
        "profiles: [P010]\nrun: {max_turns: 3}\n" + f"limits: {{grace_s: {grace_s}}}\n"
        f"supporters:\n  - {{name: s, use: callable, target: 'bots:{bot}'}}\n",
        encoding="utf-8",
    )
    code = "from emoharbor.eval.cli.main import main; main()"
    started = subprocess.Popen(
        [sys.executable, "-c", code, "run", "c.yaml"], cwd=folder, env={**os.environ, "COLUMNS": "90"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert started.stderr is not None
    for line in started.stderr:
        if line == "asked\n":
            break
    return started


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_lets_the_turn_under_way_finish_and_the_next_run_does_not_ask_it_again(
    tmp_path: Path, number: signal.Signals
) -> None:
    started = start(tmp_path, "slow", grace_s=60)
    started.send_signal(number)
    _, err = started.communicate(timeout=60)

    assert started.returncode == 130
    assert "the turns under way are finished first" in err
    assert "Go on with: emoharbor run c.yaml -o runs/run --resume" in err
    assert "Traceback" not in err
    (record,) = load_run(tmp_path / "runs" / "run").episodes()
    assert record.outcome is None
    assert [turn.supporter for turn in record.turns] == ["I hear you. (1)"]
    code = "from emoharbor.eval.cli.main import main; main()"
    subprocess.run([sys.executable, "-c", code, "run", "c.yaml", "--resume"], cwd=tmp_path, check=True)
    assert (tmp_path / "asked.txt").read_text().split() == ["1", "3", "5"]


@pytest.mark.parametrize("bot", ["stuck", "thread"])
def test_a_second_signal_ends_at_once_even_while_a_thread_hangs(tmp_path: Path, bot: str) -> None:
    started = start(tmp_path, bot, grace_s=600)
    started.send_signal(signal.SIGINT)
    assert started.stderr is not None
    for line in started.stderr:
        if line.startswith("stopping"):
            break
    started.send_signal(signal.SIGINT)
    _, err = started.communicate(timeout=60)

    assert started.returncode == 130
    assert "--resume" in err
    assert "Traceback" not in err


async def test_winding_down_ends_every_episode_at_its_next_turn_and_begins_no_other(tmp_path: Path) -> None:
    whole = await play(assembly(Script()), tmp_path / "whole")
    script, seen = Script(), list[Progress]()

    async def answer(request: Request) -> SupporterUpdate:
        if request.turn == 1 and not seen[-1].stopping:
            runner.wind_down()
        return SupporterUpdate(message=script.answers(request))

    found = assembly(script, supporters={name: part("supporter", answer) for name in ("one", "two")}, concurrency=3)
    folder = tmp_path / "run"
    lock = prepare(folder, resume=False)
    write_manifest(folder, make_manifest(found))
    store = Store(folder)
    runner = Runner(found, store, "id", on_progress=seen.append)
    await runner.run(Run(folder).planned())
    store.close()
    lock.release()

    assert runner.stopped is not None
    assert runner.stopped.kind == "interrupt"
    records = list(load_run(folder).episodes())
    assert 1 <= len(records) <= 3
    assert {record.outcome for record in records} == {None}
    assert max(len(record.turns) for record in records) == 2
    assert seen[-1].stopping
    assert canonical(await play(found, folder, resume=True), folder) == canonical(whole, tmp_path / "whole")


async def test_sync_supporters_run_side_by_side_whatever_the_number_of_processors(tmp_path: Path) -> None:
    meeting = threading.Barrier(12, timeout=60)

    def bot(messages: list[dict[str, str]]) -> str:
        if len(messages) == 1:
            meeting.wait()  # passes only when twelve are here at once
        return f"I hear you. ({len(messages)})"

    supporters = [{"name": f"s{n}", "use": "callable", "target": bot} for n in range(12)]
    config = {"run": {"max_turns": 1}, "profiles": ["P010"], "supporters": supporters, "limits": {"concurrency": 12}}
    run = await asyncio.to_thread(evaluate_sync, config, tmp_path / "run")

    assert {record.turns[0].supporter for record in run.episodes()} == {"I hear you. (1)"}
