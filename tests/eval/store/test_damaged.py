"""A database that is damaged, empty or gone is one line wherever it is met, and nobody pays twice."""

from collections.abc import Callable
from pathlib import Path

import pytest

from emoharbor.eval.cli.main import call

CONFIG = """
run: {max_turns: 2}
profiles: [P010, P035]
supporters:
  - {name: a, use: offline, style: silent}
"""
Says = Callable[..., tuple[int, str]]


@pytest.fixture
def says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Says:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.yaml").write_text(CONFIG, encoding="utf-8")
    assert call(["run", "c.yaml", "-o", "run"]) == 0
    capsys.readouterr()

    def command(*arguments: str) -> tuple[int, str]:
        code = call(list(arguments))
        return code, capsys.readouterr().err

    return command


@pytest.mark.parametrize("arguments", [("leaderboard", "run"), ("show", "run"), ("export", "run", "-o", "x.jsonl")])
def test_a_database_damaged_in_the_middle_is_one_line(says: Says, arguments: tuple[str, ...]) -> None:
    path = Path("run/run.db")
    whole = bytearray(path.read_bytes())
    whole[4096:] = b"\xa5" * (len(whole) - 4096)
    path.write_bytes(whole)

    code, told = says(*arguments)
    assert (code, told.count("\n")) == (2, 1)
    assert told.startswith("error: run/run.db: cannot be read: ")
    assert "damaged" in told


@pytest.mark.parametrize(("gone", "what"), [(True, "is missing"), (False, "is empty")])
@pytest.mark.parametrize("named", ["c.yaml", "run"])
def test_a_run_whose_episodes_are_gone_is_not_gone_on_with(says: Says, named: str, what: str, *, gone: bool) -> None:
    path = Path("run/run.db")
    path.unlink()
    if not gone:
        path.touch()

    folder = [] if named == "run" else ["-o", "run"]
    code, told = says("run", named, *folder, "--resume")
    assert (code, told) == (
        2,
        f"error: run/run.db: {what}, so nothing that was finished is here; put a copy of it back, or start in a new "
        "folder\n",
    )


def test_an_empty_database_is_said_to_be_one(says: Says) -> None:
    Path("run/run.db").write_bytes(b"")
    code, told = says("leaderboard", "run")
    assert (code, told) == (2, "error: run/run.db: is empty; if episodes were played, put a copy of it back\n")
