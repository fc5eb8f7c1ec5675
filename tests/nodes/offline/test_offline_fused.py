"""The offline `fused` is the offline three in one: the same person, word for word."""

from typing import Any

import pytest

from emoharbor.profiles.schema import Profile

WHOLE, FUSED = ("feel", "think", "speak"), ("fused",)


@pytest.mark.parametrize("person", ["P040", "P010"])
@pytest.mark.parametrize("style", ["attuned", "silent", "advice"])
def test_it_lives_through_a_dialogue_as_the_chain_does(
    make_stage: Any, people: dict[str, Profile], person: str, style: str
) -> None:
    whole = make_stage(people, WHOLE).play(person, style)
    fused = make_stage(people, FUSED).play(person, style)

    assert [message.text for message in fused.messages] == [message.text for message in whole.messages]
    assert fused.worlds == whole.worlds
    assert fused.outcome is whole.outcome
    assert [rating.score for rating in fused.verdict.ratings] == [rating.score for rating in whole.verdict.ratings]
