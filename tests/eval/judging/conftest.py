"""A finished offline run, judged again as a user does it."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.judging import CONFIG, Command, Ended

from emoharbor.eval.api import evaluate_sync
from emoharbor.eval.cli.main import call


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that every test copies."""
    folder = tmp_path_factory.mktemp("judged") / "run"
    evaluate_sync(CONFIG, folder)
    return folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder that commands are given in; modules loaded from it are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("COLUMNS", "120")
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def run(finished: Path, here: Path) -> Path:
    """The run, to be judged again."""
    shutil.copytree(finished, here / "run")
    return here / "run"


@pytest.fixture
def judge(run: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Judge it again."""

    def command(*arguments: str) -> Ended:
        capsys.readouterr()
        code = call(["judge", str(run), *arguments])
        out, err = capsys.readouterr()
        return Ended(code, out, err)

    return command
