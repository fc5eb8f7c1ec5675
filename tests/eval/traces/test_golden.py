"""The local trace holds, run for run, what LangSmith's client sends."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from helpers.langsmith_standin import Ingest
from helpers.traced import offline, play, played
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph

from emoharbor.eval.endpoint.scenario import Scenario
from emoharbor.eval.endpoint.server import endpoint_in_thread
from emoharbor.eval.run import Run
from emoharbor.eval.traces.trace import TraceRun

LangSmith = Callable[..., AbstractContextManager[Ingest]]


def local(run: Run) -> dict[str, TraceRun]:
    """Return every run recorded, by id."""
    return {item.id: item for key in run.planned() for item in run.trace(key).all}


def as_sent(run: TraceRun) -> dict[str, Any]:
    """Return what the two sides must agree on."""
    return {
        "parent_run_id": run.parent, "trace_id": run.trace, "name": run.name, "run_type": run.type,
        "inputs": run.inputs, "outputs": run.outputs, "error": run.error, "tags": sorted(run.tags),
    }  # fmt: skip


def sent(run: dict[str, Any]) -> dict[str, Any]:
    names = ("parent_run_id", "trace_id", "name", "run_type", "inputs", "outputs", "error")
    return {**{name: run.get(name) for name in names}, "tags": sorted(run["tags"])}


def assert_equal(run: Run, ingest: Ingest) -> None:
    mine = local(run)
    ingest.settle(len(mine))
    assert set(mine) == set(ingest.runs)
    assert {name: as_sent(item) for name, item in mine.items()} == {
        name: sent(item) for name, item in ingest.runs.items()
    }


async def test_an_offline_episode(langsmith: LangSmith, tmp_path: Path) -> None:
    with langsmith() as ingest:
        run = await play(offline(styles=("attuned", "generic")), tmp_path / "run")
        assert_equal(run, ingest)

    assert len(ingest.runs) > 30


async def test_an_episode_played_by_models_with_faults(langsmith: LangSmith, tmp_path: Path) -> None:
    scenario = Scenario.model_validate({"rules": [
        {"when": {"role": "think", "turn": 1}, "reply": [{"status": 500, "error": "down"}, {"content": "no JSON"}]},
        {"when": {"role": "feel", "turn": 2}, "reply": [{"reasoning_content": "I wonder."}]},
    ]})  # fmt: skip
    with langsmith() as ingest, endpoint_in_thread(scenario) as endpoint:
        run = await play(played(endpoint.url), tmp_path / "run")
        assert_equal(run, ingest)

    calls = [item for item in local(run).values() if item.type == "llm"]
    assert [bool(call.error) for call in calls].count(True) == 1
    assert any(call.reasoning == "I wonder." for call in calls)
    assert all(call.model and call.usage.prompt and call.prompt for call in calls if not call.error)


@tool
def look_up(word: str) -> str:
    """Look a word up."""
    return f"{word}: known"


def agent() -> Any:
    """Somebody's own agent: a graph with two nodes, one of which uses a tool."""

    async def search(state: MessagesState) -> dict[str, Any]:
        found = await look_up.ainvoke({"word": "rye"})
        return {"messages": [AIMessage(f"I looked: {found}")]}

    async def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage("What was it like for you?")]}

    graph = StateGraph(MessagesState)
    graph.add_node("search", search)
    graph.add_node("answer", answer)
    graph.add_edge(START, "search")
    graph.add_edge("search", "answer")
    return graph.compile(name="my agent")


async def test_the_runs_of_somebodys_own_agent(langsmith: LangSmith, tmp_path: Path) -> None:
    config = {**offline(), "supporters": [{"name": "mine", "use": "runnable", "target": agent()}]}
    with langsmith() as ingest:
        run = await play(config, tmp_path / "run")
        assert_equal(run, ingest)

    trace = run.trace("P040/mine/0")
    first = next(seat for seat in trace.seats() if seat.name == "supporter")
    below = list(trace.below(first))
    assert {"my agent", "search", "answer", "look_up"} <= {item.name for item in below}
    assert {item.turn for item in below} == {0}
    assert next(item for item in below if item.name == "look_up").type == "tool"


async def test_an_agent_that_fails(langsmith: LangSmith, tmp_path: Path) -> None:
    def broken(messages: object) -> str:
        msg = "out of order"
        raise RuntimeError(msg)

    config = {**offline(), "supporters": [{"name": "broken", "use": "callable", "target": broken}]}
    with langsmith() as ingest:
        run = await play(config, tmp_path / "run")
        assert_equal(run, ingest)


@pytest.mark.parametrize("style", ["attuned"])
async def test_a_run_is_one_project_and_an_episode_one_named_trace(
    langsmith: LangSmith, tmp_path: Path, style: str
) -> None:
    with langsmith() as ingest:
        run = await play(offline(), tmp_path / "run")
        ingest.settle(len(local(run)))

    project = f"traced-{run.manifest.run_id[:8]}"
    assert {item["session_name"] for item in ingest.runs.values()} == {project}
    roots = {root["name"]: root for root in ingest.roots}
    assert set(roots) == {"P040 opening 0", f"P040/{style}/0"}
    root = roots[f"P040/{style}/0"]
    metadata = root["extra"]["metadata"]
    assert {"emoharbor", "P040", style} <= set(root["tags"])
    assert metadata["opening"] == roots["P040 opening 0"]["id"]
    assert metadata["thread_id"] == f"{run.manifest.run_id}.0/P040/{style}/0"
    nodes = [item for item in ingest.children(root) if item["name"] in ("feel", "supporter", "judge")]
    assert {(item["name"], item["extra"]["metadata"]["turn"]) for item in nodes} >= {("feel", 1), ("supporter", 0)}
    assert {item["extra"]["metadata"]["implementation"] for item in nodes} == {"offline"}


async def test_ratings_and_outcome_are_feedback(langsmith: LangSmith, tmp_path: Path) -> None:
    with langsmith() as ingest:
        run = await play(offline(), tmp_path / "run")

    root = next(item for item in ingest.roots if item["name"] == "P040/attuned/0")
    found = {item["key"]: item for item in ingest.feedback.values()}
    assert {item["run_id"] for item in ingest.feedback.values()} == {root["id"]}
    assert found["outcome"]["value"] == "turn_cap"
    record = run.episode("P040/attuned/0")
    for rating in record.judgements[0].ratings:
        assert (found[rating.dimension]["score"], found[rating.dimension]["comment"]) == (rating.score, rating.reason)
