"""The offline supporters see a `Request` alone; each keeps to its style."""

import asyncio
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage

from emoharbor.nodes.contract import Request
from emoharbor.nodes.offline.clauses import clauses
from emoharbor.nodes.offline.data import supporter_lines
from emoharbor.nodes.offline.reading import Reading, readings
from emoharbor.nodes.offline.supporter import Style, offline_supporter
from emoharbor.state.dialogue import supporter_message, user_message
from emoharbor.state.episode import EpisodeState
from emoharbor.state.text import contains

STYLES: tuple[Style, ...] = get_args(Style)


def request(*texts: str, seed: int = 1) -> Request:
    """Person and supporter by turns, the person first."""
    messages: list[AnyMessage] = [
        user_message(index // 2, text) if index % 2 == 0 else supporter_message(index // 2, text)
        for index, text in enumerate(texts)
    ]
    return Request(messages=tuple(messages), thread_id="t", turn=len(texts) // 2, seed=seed)


def answer(style: Style, *texts: str, seed: int = 1) -> str:
    return asyncio.run(offline_supporter(style)(request(*texts, seed=seed))).message


def read(said: str, reply: str) -> Reading:
    return readings([user_message(0, said), supporter_message(0, reply)])[0]


@given(st.text(), st.sampled_from(STYLES), st.integers(0, 2**31))
def test_every_style_answers_any_message(said: str, style: Style, seed: int) -> None:
    assert answer(style, said or ".", seed=seed).strip()


@pytest.mark.parametrize("style", STYLES)
def test_neighbouring_replies_differ(episodes: Mapping[tuple[str, str, int], EpisodeState], style: str) -> None:
    for (_, played, _), state in episodes.items():
        replies = [message.text for message in state.messages if isinstance(message, AIMessage)]
        if played == style:
            assert all(before != after for before, after in pairwise(replies))


def test_generic_and_advice_know_nothing_of_the_person() -> None:
    said = "the locksmith behind my wall cut keys since eight"
    other = "my brother moved to lisbon"
    for style in ("silent", "generic", "advice"):
        assert answer(style, said) == answer(style, other)


def test_attuned_takes_up_the_persons_own_words_and_turns_them() -> None:
    reply = answer("attuned", "i get off the bus two stops early")
    assert contains(reply, "you get off the bus two stops early")


@pytest.mark.parametrize(
    ("wish", "kind"),
    [
        ("I don't need it fixed. I just want someone to get it.", "emotional"),
        ("I can't tell any more if I'm doing anything right.", "esteem"),
        ("Who else has this? Anyone?", "network"),
        ("What usually happens from here?", "informational"),
        ("Just tell me which first.", "tangible"),
    ],
)
def test_attuned_hears_which_support_is_wanted(wish: str, kind: str) -> None:
    said = f"My landlord wants the rent on Friday and I am afraid. {wish}"
    for seed in range(5):
        assert read(said, answer("attuned", said, seed=seed)).gives.get(kind, 0) == 1.0  # type: ignore[call-overload]  # literals of NeedType


def test_attuned_names_the_feeling_that_was_named() -> None:
    said = "I don't need it fixed. I am ashamed of the drawer in my office."
    assert "shame" in read(said, answer("attuned", said)).feelings


def test_attuned_asks_at_most_one_question(episodes: Mapping[tuple[str, str, int], EpisodeState]) -> None:
    for (_, style, _), state in episodes.items():
        if style == "attuned":
            for message in state.messages:
                own = "".join(message.text.replace("”", "“").split("“")[::2])
                assert message.type == "human" or own.count("?") <= 1, message.text


def test_attuned_keeps_short(episodes: Mapping[tuple[str, str, int], EpisodeState]) -> None:
    for (_, style, _), state in episodes.items():
        if style == "attuned":
            assert all(len(m.text.split()) <= 75 for m in state.messages if isinstance(m, AIMessage))


def test_attuned_asks_once_and_plainly_about_a_passing_hopelessness() -> None:
    said = "some nights i think it'd be easier if morning didn't come"
    first = answer("attuned", said)
    assert "acting on it" in first
    assert "acting on it" not in answer("attuned", said, first, "no. but morning didn't come easier today")


@pytest.mark.parametrize("kind", ["emotional", "esteem", "esteem_deed", "network"])
def test_every_frame_of_a_kind_reads_as_that_kind(kind: str) -> None:
    lines: Any = supporter_lines().attuned
    for frame in getattr(lines, kind):
        found = read("the bus", frame.format(feeling="sadness"))
        assert kind.removesuffix("_deed") in found.gives, frame


@pytest.mark.parametrize("topic", supporter_lines().topics)
def test_every_fact_reads_as_information_and_every_step_as_tangible(topic: str) -> None:
    known = supporter_lines().topics[topic]
    for fact in known.facts:
        assert "informational" in read("the bus", fact).gives, fact
    for step in known.steps:
        assert "tangible" in read("the bus", f"Just this first: {step}").gives, step


@pytest.mark.parametrize(
    ("said", "turned"),
    [
        ("i was asleep on the roof", "You were asleep on the roof"),
        ("I've sent thirty-four applications", "You've sent thirty-four applications"),
        ("my mother keeps our gold in her scarf", "Your mother keeps your gold in her scarf"),
        ("there's a river", None),
    ],
)
def test_a_clause_is_turned_to_the_one_who_said_it_only_where_that_reads_well(said: str, turned: str | None) -> None:
    assert next((clause.turned for clause in clauses(said)), None) == turned
