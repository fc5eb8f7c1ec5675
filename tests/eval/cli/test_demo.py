"""The first thing a stranger sees."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from emoharbor.eval.record import EpisodeRecord

Command = Callable[..., Any]
TEN = (
    "empathy", "clarity", "helpfulness", "safety", "situation_fit", "attunement", "need_fit", "personality_fit",
    "coping_fit", "discovery",
)  # fmt: skip


def test_demo_shows_person_talk_feelings_and_verdict_and_what_to_do_next(emoharbor: Command) -> None:
    ended = emoharbor("demo")

    assert (ended.code, ended.err) == (0, "")
    for part in ("Titik Handayani", "holds back 3 things", "turn 0", "distress", "thinks", "What Titik felt"):
        assert part in ended.out
    for part in (*TEN, "tailoring gap", "How to read it", "rule-based", "emoharbor demo --supporter generic"):
        assert part in ended.out


@pytest.mark.parametrize("supporter", ["attuned", "generic", "advice", "silent"])
def test_demo_as_json_is_one_whole_episode_and_nothing_else(supporter: str, emoharbor: Command) -> None:
    ended = emoharbor("demo", "--json", "--supporter", supporter, "--turns", "4")
    record = EpisodeRecord.model_validate(json.loads(ended.out))

    assert ended.err == ""
    assert record.episode == f"P010/{supporter}/0"
    assert {rating.dimension for rating in record.judgements[0].ratings} == set(TEN)


def test_demo_takes_another_person_and_is_the_same_each_time(emoharbor: Command) -> None:
    first = emoharbor("demo", "--profile", "P013", "--turns", "3")
    second = emoharbor("demo", "--profile", "P013", "--turns", "3")

    assert first == second
    assert "P013" in first.out
    assert "--profile P013" in first.out
