"""The simulated user outside: a thread is a dialogue, nothing leaks, and it is the person that a run would play."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.rehearsal import cast
from langchain_core.messages import AIMessage, HumanMessage

from emoharbor.eval.api import run_episode_sync
from emoharbor.eval.endpoint.scenario import Scenario
from emoharbor.eval.endpoint.server import endpoint_in_thread
from emoharbor.eval.harness import SimulatedUser, rate
from emoharbor.eval.harness.for_langchain import as_runnable
from emoharbor.eval.harness.user import Said
from emoharbor.nodes.contract import Request
from emoharbor.state.errors import ConfigError, EmoHarborError
from emoharbor.state.outcome import Outcome
from emoharbor.state.updates import SupporterUpdate

REPLY = "That sounds hard. What would help?"


@pytest.fixture(scope="module")
def user() -> Iterator[SimulatedUser]:
    with SimulatedUser(["P010", "P040"], max_turns=4) as both:
        yield both


def talk(user: SimulatedUser, thread: str, profile: str, turns: int) -> list[Any]:
    """Hold a dialogue in which the other side always says the same."""
    said: list[Any] = []
    for _ in range(turns):
        found = user.next_sync(said, thread, profile)
        if found.text is not None:
            said += [HumanMessage(found.text), AIMessage(REPLY)]
    return said


def test_it_is_the_person_a_run_would_play(user: SimulatedUser) -> None:
    async def always(request: Request) -> SupporterUpdate:
        return SupporterUpdate(message=REPLY)

    record = run_episode_sync(
        "P040", {"name": "always", "use": "callable", "target": lambda messages: REPLY}, max_turns=4
    )
    said = talk(user, "as a run", "P040", 4)
    end = user.next_sync(said, "as a run")

    assert [message.text for message in said if message.type == "human"] == [
        turn.user for turn in record.turns if turn.user
    ]
    assert (end.text, end.outcome) == (None, record.outcome)
    judgement = user.rate_sync("as a run")
    assert judgement.ratings == record.judgements[0].ratings


def test_threads_are_apart(user: SimulatedUser) -> None:
    alone = [message.text for message in talk(user, "alone", "P010", 3)]
    said: dict[str, list[Any]] = {"one": [], "two": [], "other": []}
    for _ in range(3):  # three dialogues by turns
        for thread, profile in (("one", "P010"), ("other", "P040"), ("two", "P010")):
            found = user.next_sync(said[thread], thread, profile)
            assert found.text is not None
            said[thread] += [HumanMessage(found.text), AIMessage(REPLY)]

    texts = {thread: [message.text for message in messages] for thread, messages in said.items()}
    assert texts["one"] == texts["two"] == alone
    assert texts["other"] != alone
    assert user.state("other").profile_id == "P040"


def test_only_the_last_message_is_needed_and_the_whole_is_taken_too(user: SimulatedUser) -> None:
    whole = talk(user, "whole", "P010", 2)
    first = user.next_sync([], "last", "P010")
    second = user.next_sync(AIMessage(REPLY), "last")

    assert [first.text, second.text] == [message.text for message in whole if message.type == "human"]


def test_what_goes_out_is_a_text_and_nothing_else(user: SimulatedUser) -> None:
    runnable = as_runnable(user)
    config: Any = {"configurable": {"thread_id": "bare", "profile": "P010"}}

    message = runnable.invoke({"messages": []}, config)

    assert message is not None
    assert set(message.model_dump(exclude_defaults=True)) <= {"content", "type"}
    assert user.state("bare").inner.thought is not None


async def test_the_runnable_is_async_too_and_says_none_at_the_end(user: SimulatedUser) -> None:
    runnable = as_runnable(user)
    config: Any = {"configurable": {"thread_id": "async", "profile": "P010"}}
    said: list[Any] = []
    while (message := await runnable.ainvoke({"messages": said}, config)) is not None:
        said += [message, AIMessage(REPLY)]

    assert len(said) == 8
    assert user.state("async").outcome is Outcome.TURN_CAP
    with pytest.raises(ConfigError, match="name the dialogue: config="):
        await runnable.ainvoke({"messages": []})


async def test_dialogues_may_be_held_at_once_from_any_loop(user: SimulatedUser) -> None:
    async def hold(thread: str) -> list[str]:
        said: list[Any] = []
        for _ in range(3):
            found = await user.next(said, thread, "P040")
            said += [HumanMessage(found.text or ""), AIMessage(REPLY)]
        return [message.text for message in said]

    many = await asyncio.gather(*(hold(f"at once {number}") for number in range(5)))
    elsewhere = await asyncio.to_thread(lambda: asyncio.run(hold("another loop")))

    assert all(found == many[0] for found in [*many, elsewhere])


def test_a_dialogue_that_a_harness_ends_takes_the_last_reply_in_and_is_rated(user: SimulatedUser) -> None:
    said = talk(user, "ended", "P010", 2)
    judgement = user.rate_sync("ended", said)

    assert judgement.scores is not None
    assert judgement.with_log
    assert {item.turn for rating in judgement.ratings for item in rating.evidence} <= {0, 1}


MISTAKES = [
    pytest.param([], "fresh", None, "say which person this is; there are: P010, P040", id="nobody named"),
    pytest.param([], "fresh", "P013", "nobody here is called 'P013'; there are: P010, P040", id="unknown"),
    pytest.param([AIMessage("x")], "known", "P040", "thread 'known' is P010's, not P040's", id="another person"),
    pytest.param([], "known", None, "there is no answer yet", id="no answer"),
    pytest.param([HumanMessage("?"), AIMessage("x")], "known", None, "not this thread's", id="another dialogue"),
]


@pytest.mark.parametrize(("messages", "thread", "profile", "says"), MISTAKES)
def test_mistakes_are_one_line(
    user: SimulatedUser, messages: list[Any], thread: str, profile: str | None, says: str
) -> None:
    user.forget("known")
    user.next_sync([], "known", "P010")
    before = user.state("known")

    with pytest.raises(ConfigError, match=says):
        user.next_sync(messages, thread, profile)

    assert user.state("known") is before


def test_an_unknown_thread_is_named(user: SimulatedUser) -> None:
    with pytest.raises(ConfigError, match="no dialogue is called 'never'"):
        user.state("never")


def test_models_play_the_person_and_an_endpoint_that_fails_can_be_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", "sk-canary-5f2c9e81d7b34a06")
    broken = {"rules": [{"when": {"role": "think", "turn": 1}, "reply": [{"status": 400, "error": "no"}, "ok"]}]}
    with endpoint_in_thread(Scenario.model_validate(broken)) as endpoint:
        models = {"m": {"model": "m", "base_url": endpoint.url, "rehearsal": True, "retries": 0, "backoff_s": 0}}
        with SimulatedUser("P010", cast=cast(), models=models) as person:
            first = person.next_sync([], "t")
            assert isinstance(first, Said)
            reply = [HumanMessage(first.text or ""), AIMessage("Mm. And then?")]
            with pytest.raises(EmoHarborError, match="P010 could not go on: bad_request"):
                person.next_sync(reply, "t")
            second = person.next_sync(reply, "t")
            assert second.text
            assert person.rate_sync("t").scores is not None

    assert {"feel", "think", "speak", "judge"} <= endpoint.stats.by_role.keys()


async def test_a_dialogue_held_elsewhere_is_rated_without_a_log() -> None:
    messages = [
        {"role": "assistant", "content": "Hello, what brings you here?"},
        {"role": "user", "content": "I have begun the book twelve times."},
        {"role": "assistant", "content": "Twelve times. What happens on page ten?"},
    ]
    judgement = await rate(messages, "P010")

    assert judgement.scores is not None
    assert not judgement.with_log
    with pytest.raises(ConfigError, match="there is nothing to rate"):
        await rate(messages[:2], "P010")
    with pytest.raises(ConfigError, match="'core' names 20 people; name one"):
        await rate(messages, "core")
