"""The examples of use inside other harnesses run against the bundled endpoint, and reach nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
OFFLINE = (
    "import runpy, sys, pytest_socket\n"
    "pytest_socket.socket_allow_hosts(['127.0.0.1', '::1', 'localhost'], allow_unix_socket=True)\n"
    "runpy.run_path(sys.argv[1], run_name='__main__')"
)
"""Runs an example with every other address blocked."""


def ran(example: str, folder: Path) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("LANGSMITH", "LANGCHAIN"))}
    command = [sys.executable, "-c", OFFLINE, str(ROOT / "examples" / example)]
    done = subprocess.run(
        command, cwd=folder, env={**clean, "LANGSMITH_TRACING": "false"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_openevals_simulation(tmp_path: Path) -> None:
    told = ran("openevals_simulation.py", tmp_path)

    assert told.count("user: ") == told.count("assistant: ") >= 3
    assert "overall" in told
    assert "ended: " in told


def test_inspect_solver(tmp_path: Path) -> None:
    told = ran("inspect_solver.py", tmp_path)

    assert told.startswith("success: 2 people\n")
    assert "need_fit" in told
