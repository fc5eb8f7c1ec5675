"""The offline `speak`: one message, this person's, new each turn, and nothing that is still held back."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from emoharbor.nodes.contract import Runtime
from emoharbor.nodes.offline.data import person_lines
from emoharbor.nodes.offline.english import flat
from emoharbor.nodes.offline.manner import Manner, manner_of
from emoharbor.nodes.offline.speak import offline_speak
from emoharbor.nodes.spec import CHAINS
from emoharbor.profiles.bounds import starting_world
from emoharbor.profiles.schema import PartialProfile, Profile
from emoharbor.profiles.views import with_facts
from emoharbor.state.dialogue import said, supporter_message, user_message
from emoharbor.state.episode import Channels, EpisodeState
from emoharbor.state.inner_world import Thought

Episodes = Mapping[tuple[str, str, int], EpisodeState]


def spoken(state: EpisodeState) -> list[str]:
    return said(state.messages, HumanMessage)


def test_no_message_is_said_twice(episodes: Episodes) -> None:
    for state in episodes.values():
        messages = [flat(text) for text in spoken(state)]
        assert len(set(messages)) == len(messages)


def test_each_line_of_the_person_is_said_at_most_once(episodes: Episodes, people: dict[str, Profile]) -> None:
    for (person, _, _), state in episodes.items():
        telling = people[person].telling
        assert telling is not None
        whole = flat(" ".join(spoken(state)))
        assert all(whole.count(flat(line)) <= 1 for line in telling.open)
        assert whole.startswith(flat(telling.opening))


def test_they_do_not_thank_at_every_turn(episodes: Episodes) -> None:
    for state in episodes.values():
        thanks = sum("thank you" in text.lower() for text in spoken(state))
        assert thanks <= 3


def test_what_is_wanted_is_shown_in_the_first_four_messages(episodes: Episodes, people: dict[str, Profile]) -> None:
    for (person, _, _), state in episodes.items():
        profile = people[person]
        cues = [person_lines().cues[need] for need in (profile.person.needs.primary, profile.person.needs.secondary)]
        shown = {flat(manner_of(profile).put(line)) for cue in cues for line in (*cue.spare, *cue.full)}
        own = {flat(line) for line in profile.person.voice.asking}
        early = flat(" ".join(spoken(state)[:4]))
        assert any(line in early for line in shown | own), (person, spoken(state)[:4])


def test_a_person_who_writes_in_lower_case_stays_there(episodes: Episodes) -> None:
    for seed in (1, 2):
        assert all(text == text.lower() for text in spoken(episodes["P040", "attuned", seed]))


def test_a_person_who_never_shortens_a_word_gets_no_contraction(episodes: Episodes) -> None:
    for style in ("attuned", "generic", "silent"):
        for text in spoken(episodes["P010", style, 1]):
            unquoted = "".join(text.replace("”", "“").split("“")[::2])
            assert not any(f"{short} " in f"{unquoted} " for short in ("don't", "I'm", "it's", "can't", "I'd"))


@pytest.mark.parametrize("chain", CHAINS, ids="-".join)
@pytest.mark.parametrize("style", ["attuned", "silent"])
def test_every_chain_holds_a_whole_dialogue(
    make_stage: Any, people: dict[str, Profile], chain: tuple[Any, ...], style: str
) -> None:
    state = make_stage(people, chain).play("P040", style)
    assert state.outcome is not None
    assert state.outcome.standing == "completed"
    assert len(spoken(state)) >= 4
    assert not state.faults


def test_alone_they_leave_silence_by_themselves_and_tell_an_attentive_listener(
    make_stage: Any, people: dict[str, Profile]
) -> None:
    stage = make_stage(people, ("speak",))
    assert stage.play("P040", "silent").outcome == "user_left"
    assert stage.play("P040", "attuned").inner.disclosed


def test_a_recombined_person_speaks_without_words_of_their_own(make_stage: Any, people: dict[str, Profile]) -> None:
    mixed = people["P040"].model_copy(
        update={"id": "P040~P060", "person": people["P060"].person, "telling": None, "provenance": None}
    )
    state = make_stage({mixed.id: mixed}).play(mixed.id, "attuned")
    assert state.outcome is not None
    assert state.outcome.standing == "completed"
    assert state.inner.disclosed
    assert all(told.claimed for told in state.inner.disclosed)


@pytest.mark.parametrize("kept", ["situation", "person", "neither"])
def test_a_person_of_whom_little_is_known_still_speaks(make_stage: Any, people: dict[str, Profile], kept: str) -> None:
    whole = people["P040"]
    part = PartialProfile(
        id="part",
        situation=whole.situation if kept == "situation" else None,
        person=whole.person if kept == "person" else None,
    )
    for style in ("attuned", "silent"):
        state = make_stage({"part": part}).play("part", style)
        assert state.outcome is not None
        assert state.outcome.standing == "completed", state.outcome_reason
        assert state.verdict is not None


def test_words_that_are_not_released_are_not_said(people: dict[str, Profile]) -> None:
    profile = people["P040"]
    thought = Thought(monologue="(kept to oneself)", intention="disclose")
    world = starting_world(profile).model_copy(update={"trust": 9.0, "thought": thought})
    state: Channels = {
        "profile_id": "P040",
        "turn": 1,
        "max_turns": 15,
        "messages": [user_message(0, "is this free?"), supporter_message(0, "Yes. What happened in February?")],
        "inner": world,
    }
    update = asyncio.run(offline_speak()(state, Runtime(with_facts(profile, frozenset()), 1, 15)))
    assert update.disclosures == ()
    assert not any(tell in update.message for fact in profile.situation.guarded for tell in fact.tells)


@pytest.mark.parametrize(
    ("manner", "said_so"),
    [
        (Manner(lower=True, stops=False), "i don't know. it's fine"),
        (Manner(contracts=False), "I do not know. It is fine."),
        (Manner(), "I don't know. It's fine."),
    ],
)
def test_our_lines_are_put_in_the_persons_manner(manner: Manner, said_so: str) -> None:
    assert manner.join([manner.put("I don't know"), manner.put("It's fine")]) == said_so
