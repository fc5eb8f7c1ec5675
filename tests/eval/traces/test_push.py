"""Sending what was recorded offline, and the people, to LangSmith."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from helpers.langsmith_standin import Ingest
from helpers.traced import offline, play

from emoharbor.eval.runs.manifest import project_name
from emoharbor.eval.traces.datasets import push_people
from emoharbor.eval.traces.push import push
from emoharbor.state.errors import ConfigError

pytestmark = pytest.mark.slow  # whole runs, uploaded

LangSmith = Callable[..., AbstractContextManager[Ingest]]


async def test_a_pushed_run_is_what_live_tracing_would_have_sent(langsmith: LangSmith, tmp_path: Path) -> None:
    with langsmith() as live:
        run = await play(offline(styles=("attuned", "generic")), tmp_path / "run")
        live.settle(len({item.id for key in run.planned() for item in run.trace(key).all}))
    with langsmith(live=False) as later:
        done = push(run)

    names = ("parent_run_id", "trace_id", "name", "run_type", "inputs", "outputs", "error", "session_name")
    assert {key: [item.get(name) for name in names] for key, item in later.runs.items()} == {
        key: [item.get(name) for name in names] for key, item in live.runs.items()
    }
    assert {key: item["score"] for key, item in later.feedback.items() if item.get("score") is not None} == {
        key: item["score"] for key, item in live.feedback.items() if item.get("score") is not None
    }
    assert (done.traces, done.runs, done.feedback) == (3, len(live.runs), len(live.feedback))


async def test_it_goes_to_the_project_that_langsmiths_variable_names_unless_told_otherwise(
    langsmith: LangSmith, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = await play(offline(), tmp_path / "run")
    with langsmith(live=False):
        monkeypatch.setenv("LANGSMITH_PROJECT", "named")
        found = [push(run).project, push(run, project="other").project]
        monkeypatch.delenv("LANGSMITH_PROJECT")
        found.append(push(run).project)

    assert found == ["named", "other", project_name(run.manifest)]


async def test_pushing_again_changes_nothing(langsmith: LangSmith, tmp_path: Path) -> None:
    run = await play(offline(), tmp_path / "run")
    with langsmith(live=False) as ingest:
        push(run)
        once = (dict(ingest.runs), dict(ingest.feedback), list(ingest.projects))
        push(run)

    assert set(ingest.runs) == set(once[0])
    assert set(ingest.feedback) == set(once[1])
    assert list(ingest.projects) == once[2]


@pytest.mark.parametrize("trouble", [403, 500, "close"])
async def test_a_push_that_fails_says_so_in_one_line(langsmith: LangSmith, tmp_path: Path, trouble: object) -> None:
    run = await play(offline(turns=1), tmp_path / "run")
    with langsmith(trouble, live=False), pytest.raises(ConfigError, match="LangSmith: ") as caught:
        push(run)

    assert "\n" not in str(caught.value)
    assert "canary" not in str(caught.value)


def test_people_become_examples_once(langsmith: LangSmith) -> None:
    people = {"P010": {"name": "A"}, "P040": {"name": "B"}}
    with langsmith(live=False) as ingest:
        first = push_people(people, "mine")
        again = push_people(people, "mine")
        changed = push_people({**people, "P010": {"name": "C"}}, "mine")

    assert (first.new, again.new, again.changed, changed.changed) == (2, 0, 0, 1)
    assert sorted(item["inputs"]["profile_id"] for item in ingest.examples.values()) == ["P010", "P040"]
    assert {item["metadata"]["name"] for item in ingest.examples.values()} == {"B", "C"}
