"""The example of an experiment runs against the stand-in."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.langsmith_standin import langsmith_standin

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_an_experiment_has_a_run_and_ratings_for_each_person(tmp_path: Path) -> None:
    with langsmith_standin() as ingest:
        variables = {"LANGSMITH_ENDPOINT": ingest.url, "LANGSMITH_API_KEY": "dummy", "LANGSMITH_TRACING": "false"}
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("LANGSMITH", "LANGCHAIN"))}
        for command in (
            ["-m", "emoharbor.eval.cli", "datasets", "push", "P010,P040", "--name", "people"],
            [str(ROOT / "examples" / "langsmith_eval.py"), "people"],
        ):
            done = subprocess.run(
                [sys.executable, *command], cwd=tmp_path, env={**clean, **variables}, capture_output=True, check=False
            )
            assert done.returncode == 0, done.stderr.decode()[-3000:]

    (project,) = [item for item in ingest.projects.values() if item["reference_dataset_id"]]
    targets = [run for run in ingest.roots if run["session_name"] == project["name"]]
    assert sorted(run["inputs"]["profile_id"] for run in targets) == ["P010", "P040"]
    assert "talk" in {run["name"] for run in ingest.runs.values()}
    rated = {(item["run_id"], item["key"]) for item in ingest.feedback.values()}
    assert {(run["id"], key) for run in targets for key in ("empathy", "need_fit", "outcome")} <= rated


@pytest.mark.slow
def test_without_a_dataset_it_says_what_to_name() -> None:
    command = [sys.executable, str(ROOT / "examples" / "langsmith_eval.py")]
    done = subprocess.run(command, capture_output=True, check=False, text=True)

    assert done.returncode == 1
    assert done.stderr == "name the dataset: python examples/langsmith_eval.py people\n"
