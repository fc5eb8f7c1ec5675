"""The exported graphs under a real `langgraph dev`, asked over HTTP as Studio does."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.langgraph_dev import DevServer, langgraph_dev

from emoharbor.eval import run_episode
from emoharbor.graphs.begin import EpisodeContext
from emoharbor.graphs.studio import STYLES, studio_supporters
from emoharbor.state.episode import EpisodeState
from emoharbor.state.outcome import Outcome

WHO = {"profile_id": "P040"}
TURNS = 3
AGENT = """
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph

def answer(state, config):
    shown = [(message.id, message.text) for message in state["messages"]]
    asked = config["configurable"].get("thread_id")
    return {"messages": [AIMessage(f"I have read {shown} in {asked}")]}

graph = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer").compile()
"""
"""Somebody's agent on the same server: it answers with what it was given."""


def test_a_key_in_the_environment_adds_the_chat_supporter() -> None:
    without = [spec.name for spec in studio_supporters({})]
    with_key = [spec.name for spec in studio_supporters({"OPENAI_API_KEY": "any"})]

    assert without == [*STYLES, "human"]
    assert with_key == [*STYLES, "human", "chat"]


def test_the_key_itself_stands_in_no_spec() -> None:
    specs = studio_supporters({"OPENAI_API_KEY": "a-secret-key", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})

    assert not any("a-secret-key" in spec.model_dump_json() for spec in specs)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevServer]:
    if importlib.util.find_spec("langgraph_api") is None:
        pytest.skip("needs `pip install -e .[studio]`")
    folder = tmp_path_factory.mktemp("dev")
    (folder / "agent.py").write_text(AGENT, encoding="utf-8")
    with langgraph_dev(folder, {"agent": "./agent.py:graph"}) as running:
        yield running


@pytest.fixture(scope="module")
def finished(server: DevServer) -> Any:
    """Return an episode that was run to its end on a thread, and the thread."""
    thread = server.post("/threads", {})["thread_id"]
    context = {"supporter": "attuned", "max_turns": TURNS, "seed": 7}
    return thread, server.run("episode", WHO, thread, context=context)


@pytest.mark.slow
class TestUnderLanggraphDev:
    def test_the_input_needs_a_profile_id_and_nothing_else(self, server: DevServer) -> None:
        schema = server.schemas("episode")["input_schema"]

        assert schema["required"] == ["profile_id"]
        assert set(schema["properties"]) == set(EpisodeState.model_fields)

    def test_the_context_has_a_default_for_every_field(self, server: DevServer) -> None:
        fields = server.schemas("episode")["context_schema"]["properties"]

        defaults = {name: field["default"] for name, field in fields.items()}
        assert set(defaults) == set(EpisodeContext.model_fields)
        assert {name: defaults[name] for name in ("supporter", "max_turns", "briefing", "seed", "repeat")} == {
            "supporter": "attuned", "max_turns": 15, "briefing": "none", "seed": 0, "repeat": 0,
        }  # fmt: skip

    def test_both_graphs_are_described(self, server: DevServer) -> None:
        assistants = server.post("/assistants/search", {})

        described = {item["graph_id"]: bool(item["description"]) for item in assistants}
        assert described == {"episode": True, "user": True, "agent": False}

    def test_an_episode_ends_in_a_verdict(self, finished: Any) -> None:
        _, end = finished

        assert end["outcome"] in ("turn_cap", "user_satisfied", "user_left")
        assert len(end["verdict"]["ratings"]) == 10
        assert end["verdict"]["scores"]["overall"] is not None
        assert EpisodeState.model_validate(end).supporter == "attuned"

    def test_the_thread_shows_the_dialogue_and_the_inner_world(self, server: DevServer, finished: Any) -> None:
        thread, end = finished

        values = server.get(f"/threads/{thread}/state")["values"]
        assert values == end
        assert [world["turn"] for world in values["worlds"]] == list(range(values["turn"] + 1))

    def test_a_whole_state_as_input_goes_on_from_there(self, server: DevServer, finished: Any) -> None:
        thread, end = finished
        middle = _after_turn(server, thread, 0)

        again = server.run("episode", middle)

        assert _said(again) == _said(end)
        assert _but_messages(again) == _but_messages(end)

    def test_a_fork_from_a_checkpoint_goes_on_from_there(self, server: DevServer, finished: Any) -> None:
        thread, end = finished
        checkpoint = _checkpoint_after_turn(server, thread, 0)["checkpoint"]["checkpoint_id"]
        copy = server.post(f"/threads/{thread}/copy", {})["thread_id"]

        again = server.run("episode", None, copy, checkpoint_id=checkpoint)

        assert again == end

    def test_a_human_supporter_is_answered_over_http_to_the_verdict(self, server: DevServer) -> None:
        thread = server.post("/threads", {})["thread_id"]
        waits = server.run("episode", WHO, thread, context={"supporter": "human", "max_turns": 2, "seed": 7})
        asked = _asked(waits)
        assert (asked["turn"], asked["messages"][-1]["content"]) == (0, asked["says"])

        # neither context nor input is given again: the thread's state holds what is needed
        again = _asked(_answer(server, thread, "  "))
        assert (again["turn"], again["problem"]) == (0, "the reply shows nothing")
        assert _asked(_answer(server, thread, "That is a lot to carry."))["turn"] == 1
        end = _answer(server, thread, "What would help tonight?")

        assert "__interrupt__" not in end
        assert [message["content"] for message in end["messages"] if message["type"] == "ai"] == [
            "That is a lot to carry.", "What would help tonight?",
        ]  # fmt: skip
        assert end["outcome"] == "turn_cap"
        assert end["verdict"]["scores"]["overall"] is not None

    def test_what_a_human_supporter_is_shown_holds_nothing_of_the_person(self, server: DevServer) -> None:
        waits = server.run("episode", WHO, context={"supporter": "human", "seed": 7})

        assert set(_asked(waits)) == {"turn", "says", "messages", "briefing", "problem"}
        assert WHO["profile_id"] not in str(_asked(waits))

    @pytest.mark.parametrize("whole", [True, False], ids=["whole inner world", "one field"])
    def test_an_inner_world_edited_in_mid_dialogue_goes_on_from_there(self, server: DevServer, whole: bool) -> None:
        thread = server.post("/threads", {})["thread_id"]
        context = {"supporter": "human", "max_turns": 3, "seed": 7}
        before = server.run("episode", WHO, thread, context=context)
        inner = {**before["inner"], "trust": 9} if whole else {"trust": 9}

        server.post(f"/threads/{thread}/state", {"values": {"inner": inner}, "as_node": "speak"})
        assert server.get(f"/threads/{thread}/state")["next"] == ["supporter"]
        assert _asked(server.run("episode", None, thread)) == _asked(before)
        after = _answer(server, thread, "I am here.")

        assert _asked(after)["turn"] == 1
        assert after["inner"]["trust"] > before["inner"]["trust"] + 3
        edits = [shift for shift in after["shifts"] if shift["role"] == "editor"]
        assert [(shift["field"], shift["applied"], shift["cause"]) for shift in edits] == [("trust", 9.0, "edited")]

    def test_an_edit_at_an_earlier_checkpoint_is_a_fork_from_there(self, server: DevServer, finished: Any) -> None:
        thread, end = finished
        copy = server.post(f"/threads/{thread}/copy", {})["thread_id"]
        checkpoint = _checkpoint_after_turn(server, copy, 0)["checkpoint"]["checkpoint_id"]

        change = {"values": {"inner": {"distress": 0}}, "as_node": "supporter", "checkpoint_id": checkpoint}
        server.post(f"/threads/{copy}/state", change)
        again = server.run("episode", None, copy)

        assert [world["distress"] for world in again["worlds"][:1]] == [end["worlds"][0]["distress"]]
        assert again["worlds"][1]["distress"] < end["worlds"][1]["distress"]
        assert [shift["turn"] for shift in again["shifts"] if shift["role"] == "editor"] == [1]
        assert again["verdict"] is not None

    def test_a_whole_state_given_back_with_one_change_is_not_counted_twice(self, server: DevServer) -> None:
        thread = server.post("/threads", {})["thread_id"]
        context = {"supporter": "attuned", "max_turns": 2, "seed": 7}
        server.run("episode", WHO, thread, context=context, interrupt_before=["think"])
        values = server.get(f"/threads/{thread}/state")["values"]

        changed = {**values, "inner": {**values["inner"], "distress": 1}}
        server.post(f"/threads/{thread}/state", {"values": changed, "as_node": "feel"})
        state = server.get(f"/threads/{thread}/state")
        end = server.run("episode", None, thread)

        assert state["next"] == ["think"]
        assert state["values"]["shifts"] == values["shifts"]
        assert [shift["applied"] for shift in end["shifts"] if shift["role"] == "editor"] == [1.0]
        assert end["verdict"] is not None

    @pytest.mark.parametrize("send", ["history", "last"])
    async def test_a_graph_on_a_server_is_a_supporter(self, server: DevServer, send: str) -> None:
        spec = {"name": "theirs", "use": "remote_graph", "url": server.url, "graph": "agent", "send": send}
        record = await run_episode("P040", spec, max_turns=2)

        assert [fault.detail for fault in record.faults] == []
        said = [turn.supporter or "" for turn in record.turns[:2]]
        # the agent was given the person's words, and a thread of its own only if it is to remember
        assert [("'u0'" in reply, "'a0'" in reply, "'u1'" in reply) for reply in said] == [
            (True, False, False), (True, send == "history", True),
        ]  # fmt: skip
        assert "P040" not in "".join(said)

    async def test_a_graph_the_server_does_not_have_is_no_failure_of_a_supporter(self, server: DevServer) -> None:
        spec = {"name": "theirs", "use": "remote_graph", "url": server.url, "graph": "nobody"}
        record = await run_episode("P040", spec, max_turns=1)

        assert record.outcome is Outcome.INFRASTRUCTURE
        assert "nobody" in record.outcome_reason

    @pytest.mark.parametrize(
        ("context", "named"),
        [
            ({"max_turns": 0}, "max_turns"),
            ({"briefing": "everything"}, "briefing"),
            ({"supporter": "nobody"}, "'nobody' is not in this graph; it has: attuned, generic, advice, silent, human"),
        ],
    )
    def test_a_bad_context_is_refused_by_name(self, server: DevServer, context: object, named: str) -> None:
        answer = server.run("episode", WHO, context=context)

        assert named in answer["__error__"]["message"]

    def test_an_unknown_person_is_refused_with_those_there_are(self, server: DevServer) -> None:
        answer = server.run("episode", {"profile_id": "P999"})

        assert "'P999'" in answer["__error__"]["message"]
        assert "P040" in answer["__error__"]["message"]

    def test_the_simulated_user_alone_speaks_once_and_again_after_a_reply(self, server: DevServer) -> None:
        thread = server.post("/threads", {})["thread_id"]
        first = server.run("user", WHO, thread)
        reply = {"messages": [{"type": "ai", "content": "I am here. What happened?", "id": "a0"}]}

        second = server.run("user", {**WHO, **reply, "turn": 1, "last": "supporter"}, thread)

        assert [message["type"] for message in first["messages"]] == ["human"]
        assert [message["id"] for message in second["messages"]] == ["u0", "a0", "u1"]


def _answer(server: DevServer, thread: str, text: str) -> Any:
    return server.run("episode", None, thread, command={"resume": text})


def _asked(state: Any) -> Any:
    (waiting,) = state["__interrupt__"]
    return waiting["value"]


def _said(state: Any) -> list[tuple[str, str, str]]:
    return [(message["id"], message["type"], message["content"]) for message in state["messages"]]


def _but_messages(state: Any) -> Any:
    # LangChain puts the empty fields of a message that came as JSON into its `additional_kwargs`
    return {name: value for name, value in state.items() if name != "messages"}


def _after_turn(server: DevServer, thread: str, turn: int) -> Any:
    return _checkpoint_after_turn(server, thread, turn)["values"]


def _checkpoint_after_turn(server: DevServer, thread: str, turn: int) -> Any:
    """Return the checkpoint at which a turn was complete."""
    history = server.post(f"/threads/{thread}/history", {"limit": 100})
    (found,) = [
        point
        for point in history
        if point["values"].get("turn") == turn + 1 and point["values"].get("last") == "supporter"
    ]
    return found


def test_the_server_needs_no_file_of_the_checkout() -> None:
    # langgraph.json names modules, so the graphs are found wherever the package is installed
    text = (Path(__file__).parents[2] / "langgraph.json").read_text(encoding="utf-8")

    assert "emoharbor.graphs.studio:graph" in text
    assert ".py:" not in text
