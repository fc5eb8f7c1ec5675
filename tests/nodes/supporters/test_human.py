"""A person as supporter: the graph stops, shows what a supporter may see, and goes on with what they say."""

import json
import uuid
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from emoharbor.eval.runs.waiting import keeper, waiting
from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import EpisodeGraph, build_episode
from emoharbor.nodes.cast import build_cast
from emoharbor.nodes.models.protocol import ChatModel
from emoharbor.nodes.spec import CastSpec, SupporterSpec
from emoharbor.profiles.schema import Profile
from emoharbor.state.episode import EpisodeState


def no_model(value: object, place: str) -> ChatModel:
    raise AssertionError(f"{place} asked for a model: {value}")


def graph_for(person: Profile, saver: InMemorySaver) -> EpisodeGraph:
    cast = build_cast(CastSpec(), [SupporterSpec(name="me", use="human")], no_model)
    return build_episode(cast, lambda _: person, checkpointer=saver)


class Sitting:
    """A graph with somebody at the keyboard."""

    def __init__(self, person: Profile, **context: Any) -> None:
        self._graph = graph_for(person, keeper())
        self._config: Any = {"configurable": {"thread_id": uuid.uuid4().hex}}
        self._first = first_state(person, EpisodeContext(supporter="me", **context)).channels()

    async def begin(self) -> tuple[EpisodeState, Any]:
        return waiting(await self._graph.ainvoke(self._first, self._config, version="v2"))

    async def say(self, said: object) -> tuple[EpisodeState, Any]:
        return waiting(await self._graph.ainvoke(Command(resume=said), self._config, version="v2"))


async def test_the_graph_waits_with_the_dialogue_and_goes_on_with_the_answer(person: Profile) -> None:
    talk = Sitting(person, max_turns=2, seed=7)

    state, asked = await talk.begin()
    assert (state.turn, state.last, state.outcome) == (0, "speak", None)
    assert asked["turn"] == 0
    assert asked["says"] == state.messages[-1].text
    assert asked["messages"] == [{"role": "user", "content": asked["says"]}]

    state, asked = await talk.say("That is a lot to carry.")
    assert [message.text for message in state.messages[1:2]] == ["That is a lot to carry."]
    assert asked["turn"] == 1

    state, asked = await talk.say("What would help tonight?")
    assert asked is None
    assert state.outcome is not None
    assert state.verdict is not None


@pytest.mark.parametrize("said", ["", "  \n", "\u200b", {"messages": []}, 7], ids=repr)
async def test_an_answer_that_shows_nothing_is_asked_for_again(person: Profile, said: object) -> None:
    talk = Sitting(person, max_turns=1)
    _, first = await talk.begin()

    state, again = await talk.say(said)
    assert state.turn == 0
    assert again["problem"]
    assert {**again, "problem": ""} == first

    state, asked = await talk.say("I am here.")
    assert asked is None
    assert state.messages[-1].text == "I am here."


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ("<think>she is sad</think>I am here.", "I am here."),
        ({"role": "assistant", "content": "I am here."}, "I am here."),
        ({"message": "I am here."}, "I am here."),
        ("half \ud83d a letter", "half \ufffd a letter"),
    ],
)
async def test_what_is_typed_is_cleaned_like_any_reply(person: Profile, said: object, taken: str) -> None:
    talk = Sitting(person, max_turns=1)
    await talk.begin()

    state, _ = await talk.say(said)

    assert state.messages[-1].text == taken


async def test_what_the_human_sees_holds_nothing_of_the_person_but_what_was_said(person: Profile) -> None:
    talk = Sitting(person, seed=918273645)
    state, asked = await talk.begin()
    seen = json.dumps(asked, ensure_ascii=False)

    assert set(asked) == {"turn", "says", "messages", "briefing", "problem"}
    assert state.inner.thought is not None
    hidden = [
        person.person.name, person.id, state.inner.thought.monologue, "918273645",
        *(fact.fact for fact in person.situation.guarded),
    ]  # fmt: skip
    assert [text for text in hidden if text in seen] == []


async def test_a_briefing_is_shown(person: Profile) -> None:
    _, asked = await Sitting(person, briefing="intake").begin()

    assert asked["briefing"]


async def test_waiting_leaves_no_warning_of_values_that_langgraph_does_not_know(
    person: Profile, caplog: pytest.LogCaptureFixture
) -> None:
    talk = Sitting(person, max_turns=1)
    await talk.begin()
    await talk.say("I am here.")

    assert [record.message for record in caplog.records if "unregistered" in record.message] == []
