"""What a user's own node may do to the command line: nothing, but be named."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
CONFIG = """
profiles: [P010]
run: {max_turns: 2}
supporters:
  - {name: a, use: offline, style: attuned}
  - {name: b, use: offline, style: silent}
"""
NODE = """
from emoharbor.nodes.offline.think import offline_think

def make():
    ours = offline_think()
    async def think(state, runtime):
        DOES
        return await ours(state, runtime)
    return think
"""
Named = Callable[[str], str]


@pytest.fixture
def config(folder: Path) -> Named:
    """Write a config whose `think` does one thing more than ours, and return its name."""

    def write(does: str) -> str:
        (folder / "mine.py").write_text(NODE.replace("DOES", does), encoding="utf-8")
        (folder / "c.yaml").write_text(CONFIG + "cast: {think: {use: 'mine:make'}}\n", encoding="utf-8")
        return "c.yaml"

    return write


def test_a_node_that_exits_costs_its_episodes_and_is_named(emoharbor: Command, config: Named) -> None:
    ended = emoharbor("run", config("raise SystemExit('no licence')"))

    assert ended.code == 1
    assert "2 episodes could not be scored; see: emoharbor show runs/run" in ended.err
    named = "node 'think' (mine:make) failed: SystemExit: no licence (mine.py:7) (P010/a/0)"
    assert f"why, 2 times: {named}" in ended.err


def test_what_a_node_prints_is_no_part_of_the_result(emoharbor: Command, config: Named) -> None:
    ended = emoharbor("run", config("print('thinking')"), "--json")

    assert [row["name"] for row in json.loads(ended.out)["supporters"]] == ["a", "b"]
    assert "thinking" in ended.err


def test_a_result_goes_to_stdout_while_progress_is_drawn_on_a_terminal(config: Named, folder: Path) -> None:
    ours, terminal = pty.openpty()
    command = [sys.executable, "-m", "emoharbor.eval.cli", "run", config("print('thinking')"), "--json"]
    with (folder / "out.json").open("wb") as out, subprocess.Popen(
        command, cwd=folder, stdout=out, stderr=terminal, env={**os.environ, "TERM": "xterm"}
    ) as process:  # fmt: skip
        os.close(terminal)
        drawn = _all_of(ours)
        assert process.wait(60) == 0

    assert b"thinking" in drawn
    result = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    assert [row["name"] for row in result["supporters"]] == ["a", "b"]


def _all_of(terminal: int) -> bytes:
    """Return all that was drawn. It has to be read meanwhile: a terminal holds a few KB only."""
    found: list[bytes] = []
    with os.fdopen(terminal, "rb", buffering=0) as screen:
        while True:
            try:
                piece = screen.read(4096)
            except OSError:  # how Linux says that nobody writes any more
                return b"".join(found)
            if not piece:
                return b"".join(found)
            found.append(piece)
