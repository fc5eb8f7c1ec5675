"""Calling the command line as a user does, in an empty folder."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from emoharbor.eval.cli.main import call


@dataclass(frozen=True)
class Ended:
    """What a command left: exit code, stdout, stderr."""

    code: int
    out: str
    err: str


Command = Callable[..., Ended]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder that commands are given in; modules loaded from it are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("COLUMNS", "100")
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def emoharbor(folder: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Call one command in this process."""
    assert folder.is_dir()

    def command(*arguments: str) -> Ended:
        capsys.readouterr()
        code = call(arguments)
        out, err = capsys.readouterr()
        return Ended(code, out, err)

    return command
