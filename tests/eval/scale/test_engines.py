"""The engines for real: two workers on this machine, one of them killed in the middle of its shard, or stopped."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from emoharbor.eval.cli.codes import Code
from emoharbor.eval.run import load_run

pytestmark = pytest.mark.slow

RAY = pytest.param(
    "ray",
    marks=pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'emoharbor[ray]'"),
)

BOT = '''
"""Answers, notes what it was asked, and kills its process once."""
import os, signal, time
from pathlib import Path

HERE = Path(__file__).parent

def reply(messages):
    print("asked", flush=True)
    turn = sum(message["role"] == "user" for message in messages)
    with (HERE / "asked.txt").open("a") as file:
        file.write(f"{turn} {messages[0]['content'][:40]!r}\\n")
    time.sleep(float(os.environ.get("TAKES_S", "0")))
    if turn == 2 and os.environ.get("KILL") and not (HERE / "killed.txt").exists():
        (HERE / "killed.txt").write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return f"I hear you ({turn}). What was that like for you?"
'''
AT_ONCE = 2
CONFIG = {
    "run": {"name": "in-shards", "seed": 3, "max_turns": 3},
    "profiles": ["P010", "P035", "P040"],
    "supporters": [{"name": "bot", "use": "callable", "target": "bot:reply"}],
    "limits": {"concurrency": AT_ONCE},
}


@dataclass(frozen=True)
class Whole:
    """A run in one process: its canonical export, and what the bot was asked in it."""

    canonical: bytes
    asked: Counter[str]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    folder = prepared(tmp_path_factory.mktemp("whole"))
    emoharbor(folder, "run", "run.yaml", "-o", "run")
    return Whole(canonical(folder / "run"), asked(folder))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return prepared(tmp_path)


def prepared(folder: Path) -> Path:
    """Put the bot and the config into a folder."""
    (folder / "bot.py").write_text(BOT, encoding="utf-8")
    (folder / "run.yaml").write_text(yaml.safe_dump(CONFIG), encoding="utf-8")
    return folder


@pytest.mark.parametrize("engine", ["processes", RAY])
def test_a_killed_worker_changes_nothing(engine: str, folder: Path, whole: Whole) -> None:
    ended = emoharbor(folder, "run", "run.yaml", "-o", "joined", "--engine", engine, "--shards", "2", KILL="1")
    again = asked(folder)

    assert int((folder / "killed.txt").read_text()) > 0
    assert engine == "ray" or "a shard had something to say: joined.shards/" in ended
    assert "Traceback" not in ended
    assert canonical(folder / "joined") == whole.canonical
    assert set(whole.asked.values()) == {1}
    assert set(again) == set(whole.asked)
    # only the answers that died with the worker were asked for again
    assert whole.asked.total() < again.total() <= whole.asked.total() + AT_ONCE
    assert sorted(path.name for path in (folder / "joined.shards").iterdir() if path.is_dir()) == ["1of2", "2of2"]


@pytest.mark.parametrize(
    ("engine", "asks_to_stop"),
    [("processes", signal.SIGINT), ("processes", signal.SIGTERM), pytest.param("ray", signal.SIGINT, marks=RAY.marks)],
)
def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(
    engine: str, asks_to_stop: signal.Signals, folder: Path, whole: Whole
) -> None:
    with started(folder, "run", "run.yaml", "-o", "joined", "--engine", engine, "--shards", "2") as process:
        process.send_signal(asks_to_stop)
        _, told = process.communicate(timeout=60)
    begun = asked(folder)
    go_on = told.partition("Go on with: emoharbor ")[2].splitlines()[0]
    emoharbor(folder, *shlex.split(go_on))

    assert process.returncode == Code.INTERRUPTED, told
    assert "Traceback" not in told
    assert 0 < begun.total() < whole.asked.total()
    assert canonical(folder / "joined") == whole.canonical
    under_way = 3 if engine == "ray" else 0  # each person; processes are given time to finish their turns
    assert whole.asked.total() <= begun.total() + asked(folder).total() <= whole.asked.total() + under_way


def test_a_second_ctrl_c_ends_processes_in_the_middle_of_a_turn(folder: Path, whole: Whole) -> None:
    with started(folder, "run", "run.yaml", "-o", "joined", "--engine", "processes", takes_s=300) as process:
        process.send_signal(signal.SIGINT)
        told = read_until(process, "the turns under way are finished first")
        process.send_signal(signal.SIGINT)
        told += process.communicate(timeout=60)[1]  # of the 300 seconds a turn takes
    asked(folder)

    assert process.returncode == Code.INTERRUPTED, told
    assert "--resume --engine processes" in told
    assert "Traceback" not in told
    emoharbor(folder, "run", "run.yaml", "-o", "joined", "--resume", "--engine", "processes")
    assert canonical(folder / "joined") == whole.canonical


def test_processes_end_when_the_one_who_asked_is_gone(folder: Path, whole: Whole) -> None:
    with started(folder, "run", "run.yaml", "-o", "joined", "--engine", "processes", "--shards", "2") as process:
        process.kill()
        process.communicate(timeout=60)
    until = time.monotonic() + 60
    while not resumes(folder):  # refused while a process still holds its folder
        assert time.monotonic() < until
        time.sleep(0.5)

    assert canonical(folder / "joined") == whole.canonical
    assert set(asked(folder)) == set(whole.asked)


def resumes(folder: Path) -> bool:
    done = call(folder, "run", "run.yaml", "-o", "joined", "--resume", "--engine", "processes")
    assert done.returncode == 0 or "another run is writing" in done.stderr, done.stderr
    return done.returncode == 0


def asked(folder: Path) -> Counter[str]:
    """Return what the bot was asked, and how often, and forget it."""
    file = folder / "asked.txt"
    found = Counter(file.read_text(encoding="utf-8").splitlines())
    file.unlink()
    return found


def emoharbor(folder: Path, *arguments: str, **environment: str) -> str:
    """Call a command as a user does and return what it told."""
    done = call(folder, *arguments, **environment)
    assert done.returncode == 0, done.stderr
    return done.stderr


def call(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "emoharbor.eval.cli", *arguments],
        cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


@contextmanager
def started(folder: Path, *arguments: str, takes_s: float = 0.5) -> Iterator["subprocess.Popen[str]"]:
    """Start a command with a slow bot, and wait until the bot was asked twice."""
    with subprocess.Popen(
        [sys.executable, "-m", "emoharbor.eval.cli", *arguments],
        cwd=folder, env={**os.environ, "TAKES_S": str(takes_s)}, text=True,
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        until = time.monotonic() + 90
        while not (folder / "asked.txt").is_file() or len((folder / "asked.txt").read_text().splitlines()) < 2:
            assert time.monotonic() < until
            time.sleep(0.05)
        yield process


def read_until(process: "subprocess.Popen[str]", says: str) -> str:
    """Read what a process tells, up to the line that says something."""
    told = ""
    for line in process.stderr or ():
        told += line
        if says in line:
            return told
    pytest.fail(f"{says!r} was not told: {told}")


def canonical(folder: Path) -> bytes:
    """Return the canonical export."""
    return load_run(folder).export(folder / "canonical.jsonl", "jsonl", canonical=True)[0].read_bytes()
