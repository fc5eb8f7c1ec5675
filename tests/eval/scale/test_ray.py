"""The `ray` engine on a real Ray: two workers on this machine, one of them killed in the middle of its shard."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from emoharbor.eval.api import evaluate_sync, load_run
from emoharbor.eval.cli.codes import Code
from emoharbor.eval.config import make_config
from emoharbor.eval.runs.plan import Selection
from emoharbor.eval.runs.shard import Shard
from emoharbor.eval.scale import ray_engine
from emoharbor.eval.scale.ray_engine import Job, evaluate_on_ray, run_shard
from emoharbor.eval.store.folder import DATABASE, MANIFEST
from emoharbor.state.errors import ConfigError, RunFolderError

BOT = '''
"""Answers, notes what it was asked, and kills its process once."""
import os, signal, time
from pathlib import Path

HERE = Path(__file__).parent

def reply(messages):
    turn = sum(message["role"] == "user" for message in messages)
    with (HERE / "asked.txt").open("a") as file:
        file.write(f"{turn} {messages[0]['content'][:40]!r}\\n")
    time.sleep(float(os.environ.get("TAKES_S", "0")))
    if turn == 2 and os.environ.get("KILL") and not (HERE / "killed.txt").exists():
        (HERE / "killed.txt").write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return f"I hear you ({turn}). What was that like for you?"
'''
CONFIG = {
    "run": {"name": "on-ray", "seed": 3, "max_turns": 3},
    "profiles": ["P010", "P035", "P040"],
    "supporters": [{"name": "bot", "use": "callable", "target": "bot:reply"}],
    "limits": {"concurrency": 1},
}
OFFLINE = {**CONFIG, "supporters": [{"name": "quiet", "use": "offline", "style": "silent"}]}


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'emoharbor[ray]'")
def test_a_killed_worker_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT, encoding="utf-8")
    (tmp_path / "run.yaml").write_text(yaml.safe_dump(CONFIG), encoding="utf-8")

    emoharbor(tmp_path, "run", "run.yaml", "-o", "whole")
    asked = tmp_path / "asked.txt"
    once = Counter(asked.read_text().splitlines())
    asked.unlink()
    ended = emoharbor(tmp_path, "run", "run.yaml", "-o", "joined", "--engine", "ray", "--shards", "2", KILL="1")
    again = Counter(asked.read_text().splitlines())

    assert int((tmp_path / "killed.txt").read_text()) > 0
    assert "Traceback" not in ended
    assert canonical(tmp_path / "joined") == canonical(tmp_path / "whole")
    assert set(once.values()) == {1}
    assert set(again) == set(once)
    assert again.total() == once.total() + 1  # only the answer that died with the worker was asked for again
    assert sorted(path.name for path in (tmp_path / "joined.shards").iterdir() if path.is_dir()) == ["1of2", "2of2"]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'emoharbor[ray]'")
def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT, encoding="utf-8")
    (tmp_path / "run.yaml").write_text(yaml.safe_dump(CONFIG), encoding="utf-8")
    asked = tmp_path / "asked.txt"
    emoharbor(tmp_path, "run", "run.yaml", "-o", "whole")
    once = Counter(asked.read_text().splitlines())
    asked.unlink()

    told = interrupted(tmp_path, "run", "run.yaml", "-o", "joined", "--engine", "ray", "--shards", "2", after=asked)
    begun = asked.read_text().splitlines()
    go_on = told.partition("Go on with: emoharbor ")[2].splitlines()[0]
    emoharbor(tmp_path, *shlex.split(go_on))

    assert "Traceback" not in told
    assert 0 < len(begun) < once.total()
    assert canonical(tmp_path / "joined") == canonical(tmp_path / "whole")
    # at most what was under way in each of the two shards was asked for again
    assert once.total() <= len(asked.read_text().splitlines()) <= once.total() + 2


def test_a_task_goes_on_with_what_an_earlier_one_saved(tmp_path: Path) -> None:
    config = make_config(OFFLINE)
    shard = Shard(number=1, of=2)
    first = evaluate_sync(config, tmp_path / "1of2", only=Selection(shard=shard, limit=1))
    begun = first.manifest.run_id

    handed = run_shard(Job(OFFLINE, str(tmp_path / "1of2"), Selection(shard=shard), "token"))

    assert (handed.error, handed.stopped) == ("", None)
    run = load_run(tmp_path / "1of2")
    assert run.manifest.run_id == begun
    assert len(list(run.episodes())) == 2


@pytest.mark.parametrize(
    ("found", "names"), [("token", []), ("another", [MANIFEST, DATABASE]), (None, [MANIFEST, DATABASE])]
)
def test_a_task_hands_back_its_folder_unless_the_driver_sees_it(
    found: str | None, names: list[str], tmp_path: Path
) -> None:
    if found is not None:
        (tmp_path / ".shared").write_text(found)

    handed = run_shard(Job(OFFLINE, str(tmp_path / "3of3"), Selection(shard=Shard(number=3, of=3)), "token"))

    assert list(handed.files) == names
    assert all(handed.files[name] == (tmp_path / "3of3" / name).read_bytes() for name in names)


def test_a_mistake_comes_back_as_one_line(tmp_path: Path) -> None:
    wrong = {**OFFLINE, "profiles": ["P999"]}

    assert "P999" in run_shard(Job(wrong, str(tmp_path / "1of1"), Selection(shard=Shard(number=1, of=1)), "")).error


def test_without_ray_the_fix_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(ray_engine, "import_module", missing)

    with pytest.raises(ConfigError, match=r"pip install 'emoharbor\[ray\]'"):
        evaluate_on_ray(make_config(OFFLINE), tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_folders_that_hold_something_are_refused_before_a_cluster_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_engine, "_load_ray", lambda: None)
    config = make_config(OFFLINE)
    (tmp_path / "done").mkdir()
    (tmp_path / "done" / MANIFEST).touch()
    (tmp_path / "begun.shards" / "1of2").mkdir(parents=True)

    with pytest.raises(RunFolderError, match="name another folder"):
        evaluate_on_ray(config, tmp_path / "done")
    with pytest.raises(RunFolderError, match="--resume without --engine ray"):
        evaluate_on_ray(config, tmp_path / "done", resume=True)
    with pytest.raises(RunFolderError, match="go on with them by --resume"):
        evaluate_on_ray(config, tmp_path / "begun")
    with pytest.raises(RunFolderError, match="holds no shards to go on with"):
        evaluate_on_ray(config, tmp_path / "new", resume=True)
    with pytest.raises(ConfigError, match="does not go with --limit"):
        evaluate_on_ray(config, tmp_path / "new", only=Selection(limit=3))


def emoharbor(folder: Path, *arguments: str, **environment: str) -> str:
    """Call a command as a user does and return what it told."""
    done = subprocess.run(
        [sys.executable, "-m", "emoharbor.eval.cli", *arguments],
        cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stderr


def interrupted(folder: Path, *arguments: str, after: Path) -> str:
    """Call a command, press Ctrl-C once a file holds two lines, and return what it told."""
    with subprocess.Popen(
        [sys.executable, "-m", "emoharbor.eval.cli", *arguments],
        cwd=folder, env={**os.environ, "TAKES_S": "0.5"}, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        until = time.monotonic() + 90
        while not after.is_file() or len(after.read_text(encoding="utf-8").splitlines()) < 2:
            assert time.monotonic() < until
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == Code.INTERRUPTED, told
    return told


def canonical(folder: Path) -> bytes:
    """Return the canonical export."""
    return load_run(folder).export(folder / "canonical.jsonl", "jsonl", canonical=True)[0].read_bytes()
