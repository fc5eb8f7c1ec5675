"""With LangSmith's variables set, one episode is one trace: shown against a stand-in for its ingest API."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from helpers.langsmith_standin import Ingest, langsmith_standin

pytestmark = pytest.mark.slow  # each case is a process of its own

TURNS = 3
SCRIPT = f"""
from emoharbor.eval.api import run_episode_sync
record = run_episode_sync("P040", "attuned", max_turns={TURNS}, seed=7)
print(record.model_dump_json())
"""
WARNINGS_ARE_ERRORS = ("-W", "error")


def _play(variables: Mapping[str, str]) -> Any:
    """Play one episode in a process of its own, since LangSmith reads its variables once."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("LANGSMITH", "LANGCHAIN"))}
    command = [sys.executable, *WARNINGS_ARE_ERRORS, "-c", SCRIPT]
    done = subprocess.run(command, env={**clean, **variables}, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def traced() -> Iterator[tuple[Ingest, Any]]:
    with langsmith_standin() as ingest:
        record = _play({
            "LANGSMITH_TRACING": "true",
            "LANGSMITH_ENDPOINT": ingest.url,
            "LANGSMITH_API_KEY": "dummy",
            "LANGSMITH_PROJECT": "emoharbor-tests",
        })  # fmt: skip
        yield ingest, record


@pytest.fixture(scope="module")
def root(traced: tuple[Ingest, Any]) -> dict[str, Any]:
    (found,) = traced[0].roots
    return found


def test_one_episode_is_one_trace(traced: tuple[Ingest, Any], root: dict[str, Any]) -> None:
    ingest, _ = traced

    assert {run["trace_id"] for run in ingest.runs.values()} == {root["id"]}


def test_the_trace_is_named_after_person_and_supporter(root: dict[str, Any]) -> None:
    assert root["name"] == "P040/attuned"
    assert root["session_name"] == "emoharbor-tests"


def test_the_trace_carries_tags_and_metadata(root: dict[str, Any]) -> None:
    metadata = root["extra"]["metadata"]

    assert {"emoharbor", "P040", "attuned"} <= set(root["tags"])
    expected = {"run": "episode", "profile": "P040", "supporter": "attuned", "repeat": 0}
    assert {name: metadata[name] for name in expected} == expected


def test_every_node_that_ran_is_a_run_under_its_role_name(traced: tuple[Ingest, Any], root: dict[str, Any]) -> None:
    ingest, record = traced
    names = [run["name"] for run in ingest.children(root) if "langsmith:hidden" not in run["tags"]]

    said = sum(1 for turn in record["turns"] if turn["user"] is not None)
    answered = sum(1 for turn in record["turns"] if turn["supporter"] is not None)
    counted = Counter(names)
    assert set(names) == {"feel", "think", "speak", "supporter", "judge"}
    assert (counted["speak"], counted["supporter"], counted["judge"]) == (said, answered, 1)
    assert names[:5] == ["feel", "think", "speak", "supporter", "feel"]
    assert names[-1] == "judge"


def test_every_run_has_ended_without_an_error(traced: tuple[Ingest, Any]) -> None:
    runs = traced[0].runs.values()

    assert [run["name"] for run in runs if not run.get("end_time") or run.get("error")] == []


def test_the_trace_shows_the_verdict(traced: tuple[Ingest, Any], root: dict[str, Any]) -> None:
    ingest, record = traced
    judge = ingest.children(root)[-1]

    verdict = judge["outputs"]["output"]["update"]["verdict"]
    reasons = [rating["reason"] for rating in verdict["ratings"]]
    assert reasons == [rating["reason"] for rating in record["judgements"][0]["ratings"]]


def test_a_nodes_input_does_not_grow_with_the_dialogue(traced: tuple[Ingest, Any], root: dict[str, Any]) -> None:
    nodes = [run for run in traced[0].children(root) if "langsmith:hidden" not in run["tags"]]

    assert all(len(run["inputs"]["messages"]) <= 2 for run in nodes)
    assert all(not {"worlds", "shifts", "faults"} & set(run["inputs"]) for run in nodes)


def test_tracing_changes_no_result(traced: tuple[Ingest, Any]) -> None:
    assert _play({"LANGSMITH_TRACING": "false"}) == traced[1]
