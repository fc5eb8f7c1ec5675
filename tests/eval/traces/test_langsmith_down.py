"""LangSmith in any trouble: the same results, one warning, a quick exit."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.langsmith_standin import Trouble, langsmith_standin

from emoharbor.eval.run import load_run

SCRIPT = """
import sys, time
from emoharbor.eval.api import evaluate_sync
evaluate_sync({
    "run": {"name": "g", "seed": 7, "max_turns": 2}, "profiles": ["P040"],
    "supporters": [{"name": "attuned", "use": "offline", "style": "attuned"}],
}, sys.argv[1], on_progress=lambda progress: print(progress.done, time.time(), flush=True))
"""
ALLOWED_S = 5.0
TROUBLES: list[Trouble | None] = [None, "hang", "close", 403, 413, 422, 429, 500]


def play(folder: Path, variables: dict[str, str]) -> tuple[bytes, str, float]:
    """Play in a process of its own; return results, stderr, and the seconds from the last episode to the exit."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("LANGSMITH", "LANGCHAIN"))}
    command = [sys.executable, "-W", "error", "-c", SCRIPT, str(folder)]
    done = subprocess.run(command, env={**clean, **variables}, capture_output=True, text=True, timeout=120, check=False)
    ended = time.time()
    assert done.returncode == 0, done.stderr
    finished = next(line for line in done.stdout.splitlines() if line.startswith("1 ")).split()[1]
    (results,) = load_run(folder).export(folder.with_suffix(".jsonl"), "jsonl", canonical=True)
    return results.read_bytes(), done.stderr, ended - float(finished)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, float]:
    """What comes of it, and how long the exit takes, without LangSmith."""
    results, errors, seconds = play(tmp_path_factory.mktemp("off") / "run", {})
    assert errors == ""
    return results, seconds


@pytest.mark.slow
@pytest.mark.parametrize("trouble", TROUBLES)
def test_trouble_costs_one_warning_and_nothing_else(
    trouble: Trouble | None, expected: tuple[bytes, float], tmp_path: Path
) -> None:
    with langsmith_standin(trouble) as ingest:
        variables = {"TRACING": "true", "ENDPOINT": ingest.url, "API_KEY": "lsv2_canary_key"}
        results, errors, seconds = play(tmp_path / "run", {f"LANGSMITH_{k}": v for k, v in variables.items()})

    assert results == expected[0]
    warnings = errors.splitlines()
    assert len(warnings) == (0 if trouble is None else 1), errors
    assert "lsv2_canary_key" not in errors
    assert seconds - expected[1] < ALLOWED_S
