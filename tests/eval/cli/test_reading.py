"""What only reads a run, a config or the people starts quickly: it loads nothing that only playing needs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from emoharbor.eval.api import evaluate_sync

CONFIG = """
run: {max_turns: 2}
profiles: [P010]
supporters:
  - {name: warm, use: offline, style: attuned}
  - {name: cold, use: offline, style: silent}
"""
ONLY_FOR_PLAYING = [
    "langgraph.graph",
    "langgraph.pregel",
    "langgraph.types",
    "langsmith.run_trees",
    "openai",
    "aiohttp",
]
READS = [
    "profiles list",
    "init new.yaml",
    "check config.yaml",
    "show run",
    "show run P010/warm/0",
    "trace show run P010/warm/0",
    "export run --out rows",
    "leaderboard run",
    "compare run warm cold",
    "reliability run",
    "diff run run",
    "report run --out report.html",
]
CALLS = """
import json, sys
import emoharbor.eval.scale.processes, emoharbor.eval.scale.sharded  # the one who only hands out shards
from emoharbor.eval.cli.main import call
watched, commands = map(json.loads, sys.argv[1:])
for command in commands:
    code = call(command.split())
    found = {"command": command, "code": code, "loaded": [name for name in watched if name in sys.modules]}
    print(json.dumps(found), file=sys.stderr)
"""


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """A folder with a config and its run."""
    (tmp_path / "config.yaml").write_text(CONFIG, encoding="utf-8")
    evaluate_sync(tmp_path / "config.yaml", tmp_path / "run")
    return tmp_path


@pytest.mark.slow  # a process that loads all there is
def test_only_a_command_that_plays_loads_langgraph_langsmith_or_a_client(played: Path) -> None:
    plays = "run config.yaml --out again"
    ended = subprocess.run(
        [sys.executable, "-c", CALLS, json.dumps(ONLY_FOR_PLAYING), json.dumps([*READS, plays])],
        cwd=played,
        capture_output=True,
        text=True,
        check=True,
    )
    found = [json.loads(line) for line in ended.stderr.splitlines() if line.startswith('{"command"')]
    assert found[:-1] == [{"command": command, "code": 0, "loaded": []} for command in READS]
    # else a new name inside LangGraph would make the line above say nothing
    assert found[-1] == {"command": plays, "code": 0, "loaded": ONLY_FOR_PLAYING[:4]}
