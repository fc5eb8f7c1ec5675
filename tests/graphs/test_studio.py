"""The exported graphs under a real `langgraph dev`, asked over HTTP as Studio does."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.langgraph_dev import DevServer, langgraph_dev

from emoharbor.graphs.studio import STYLES, studio_supporters
from emoharbor.state.episode import EpisodeState

WHO = {"profile_id": "P040"}
TURNS = 3


def test_a_key_in_the_environment_adds_the_chat_supporter() -> None:
    without = [spec.name for spec in studio_supporters({})]
    with_key = [spec.name for spec in studio_supporters({"OPENAI_API_KEY": "any"})]

    assert without == list(STYLES)
    assert with_key == [*STYLES, "chat"]


def test_the_key_itself_stands_in_no_spec() -> None:
    specs = studio_supporters({"OPENAI_API_KEY": "a-secret-key", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})

    assert not any("a-secret-key" in spec.model_dump_json() for spec in specs)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevServer]:
    if importlib.util.find_spec("langgraph_api") is None:
        pytest.skip("needs `pip install -e .[studio]`")
    with langgraph_dev(tmp_path_factory.mktemp("dev")) as running:
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
        assert defaults == {"supporter": "attuned", "max_turns": 15, "briefing": "none", "seed": 0, "repeat": 0}

    def test_both_graphs_are_described(self, server: DevServer) -> None:
        assistants = server.post("/assistants/search", {})

        assert {item["graph_id"]: bool(item["description"]) for item in assistants} == {"episode": True, "user": True}

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

    @pytest.mark.parametrize(
        ("context", "named"),
        [
            ({"max_turns": 0}, "max_turns"),
            ({"briefing": "everything"}, "briefing"),
            ({"supporter": "nobody"}, "'nobody' is not in this graph; it has: attuned, generic, advice, silent"),
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
