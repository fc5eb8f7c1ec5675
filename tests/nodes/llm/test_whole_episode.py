"""Whole episodes with the roles that a model plays, in the graph, built from a cast as a config gives it."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from helpers.llm_roles import FEEL, FUSED, OPENING, SPEAK, THINK, Scripted, rating, verdict
from helpers.scripted import Script, part, play_out
from pydantic import BaseModel

from emoharbor.nodes.cast import Cast, build_cast
from emoharbor.nodes.rubric import load_rubric
from emoharbor.nodes.spec import CHAINS, CastSpec, PartSpec, UserRole
from emoharbor.profiles.schema import Profile
from emoharbor.state.outcome import Outcome

TEN = [item.id for item in load_rubric().dimensions]
TURNS = 3


def model() -> Scripted:
    """Answers every role: at each turn another message, and feelings that move."""
    turns = count()

    def answer(schema: type[BaseModel]) -> Mapping[str, Any]:
        turn = next(turns)
        evidence = {"turn": 0, "quote": "An answer at turn"}
        if schema.__name__ == "JudgeReply":
            found = verdict(*(rating(name, evidence=[evidence]) for name in TEN))
            return {**found, "weakest": {**evidence, "why": "-"}, "strongest": {**evidence, "why": "-"}}
        felt = {"quote": "An answer at turn", "distress": 2 + turn % 5, "felt_understood": -1}
        if len(made.schemas) == 1:
            felt = OPENING
        said = {"message": f"Message {turn}.", "ends": "no"}
        return {**FUSED, **FEEL, **THINK, **SPEAK, **felt, **said}

    made = Scripted(answer)
    return made


def cast_of(chain: tuple[UserRole, ...], played_by: Scripted) -> Cast:
    llm = PartSpec.model_validate({"use": "llm", "model": "m"})
    spec = CastSpec(user=chain, feel=llm, think=llm, speak=llm, fused=llm, judge=llm)
    cast = build_cast(spec, (), lambda _, __: played_by)
    return replace(cast, supporters={"scripted": part("supporter", Script().supporter())})


@pytest.mark.parametrize("chain", CHAINS, ids=" ".join)
async def test_every_chain_plays_to_a_verdict(chain: tuple[UserRole, ...], ilse: Profile) -> None:
    played_by = model()
    state = await play_out(cast_of(chain, played_by), ilse, max_turns=TURNS)
    assert state.outcome is Outcome.TURN_CAP
    assert len(state.messages) == 2 * TURNS
    assert state.verdict is not None
    assert state.verdict.unscored is None
    assert state.verdict.scores is not None
    assert state.verdict.scores.overall == 50
    assert state.verdict.judge == "llm:scripted"
    assert all(item.evidence_ok for item in state.verdict.ratings)
    assert ("How you were at each turn" in played_by.calls[-1][1]) == (chain != ("speak",))


async def test_two_episodes_ask_the_same(ilse: Profile) -> None:
    first, second = model(), model()
    for played_by in (first, second):
        await play_out(cast_of(("feel", "think", "speak"), played_by), ilse, max_turns=TURNS)
    assert first.calls == second.calls
    assert first.seeds == second.seeds
