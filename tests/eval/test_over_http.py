"""The `llm` cast against a real HTTP endpoint on loopback: how many calls it takes, and who is told what."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from emoharbor.eval.api import evaluate, run_episode
from emoharbor.eval.endpoint.scenario import Scenario
from emoharbor.eval.endpoint.server import Asked, start_endpoint
from emoharbor.nodes.rubric import load_rubric
from emoharbor.profiles.schema import Profile
from emoharbor.state.outcome import Outcome

USER = ("feel", "think", "speak", "fused")


@dataclass(frozen=True)
class Calls:
    """A chain, and the calls that so many turns of it take."""

    chain: tuple[str, ...]
    turns: int
    calls: dict[str, int]

    @property
    def total(self) -> int:
        """All calls."""
        return sum(self.calls.values())


CASES = [
    Calls(("feel", "think", "speak"), 15, {"feel": 16, "think": 16, "speak": 15, "supporter": 15, "judge": 1}),
    Calls(("fused",), 10, {"fused": 11, "supporter": 10, "judge": 1}),
    Calls(("speak",), 4, {"speak": 4, "supporter": 4, "judge": 1}),
]


def models(url: str) -> dict[str, Any]:
    """Two models that say which role a call is for: `m` plays person and judge, `s` is the system under test."""
    settings = {"base_url": url, "temperature": 0, "rehearsal": True}
    return {"m": {"model": "gpt-4o-mini", **settings}, "s": {"model": "gpt-4o", **settings}}


def cast(chain: Sequence[str]) -> dict[str, Any]:
    """Every role played by the model."""
    llm = {"use": "llm", "model": "m"}
    return {"user": list(chain), **dict.fromkeys((*USER, "judge"), llm)}


STAYS = Scenario.model_validate(
    {
        "rules": [
            {
                "when": {"role": ["think", "fused"]},
                "reply": [{"json": {"wants_to_continue": True, "intention": "elaborate"}}, "forever"],
            },
            {"when": {"role": "speak"}, "reply": [{"json": {"ends": "no"}}, "forever"]},
        ]
    }
)
"""A person who talks until the turn cap."""
CHAT = {"name": "bot", "use": "chat", "model": "s"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{' '.join(case.chain)}: {case.total} calls")
async def test_an_episode_takes_this_many_calls(case: Calls, person: Profile) -> None:
    async with start_endpoint(STAYS) as endpoint:
        record = await run_episode(
            person, CHAT, cast=cast(case.chain), models=models(endpoint.url), max_turns=case.turns
        )

    assert record.outcome is Outcome.TURN_CAP
    assert record.judgements[0].scores is not None
    assert endpoint.stats.by_role == Counter(case.calls)
    assert endpoint.stats.calls == case.total


async def test_the_opening_is_made_once_for_all_supporters(tmp_path: Path) -> None:
    async with start_endpoint() as endpoint:
        config = {
            "run": {"name": "two", "max_turns": 2},
            "profiles": ["P040"],
            "models": models(endpoint.url),
            "cast": cast(("feel", "think", "speak")),
            "supporters": [{**CHAT, "name": "one"}, {**CHAT, "name": "two"}],
        }
        run = await evaluate(config, tmp_path / "run")

    openings = {episode.turns[0].user for episode in run.episodes()}
    assert len(openings) == 1
    # one opening (3), then for each supporter: 2 answers, turn 1 (3), the last reply taken in (2), the judge
    assert endpoint.stats.calls == 3 + 2 * (2 + 3 + 2 + 1)


async def test_each_role_is_told_what_is_its_own_and_no_more(person: Profile) -> None:
    async with start_endpoint() as endpoint:
        record = await run_episode(
            person, CHAT, cast=cast(("feel", "think", "speak")), models=models(endpoint.url), max_turns=6
        )

    released = {turn: world.released for turn, world in enumerate(turn.inner_world for turn in record.turns) if world}
    for asked in endpoint.requests:
        role, sent = asked.call.role, text(asked)
        if role in USER:
            for dimension in load_rubric().dimensions:
                assert dimension.anchors[0].says not in sent
                assert dimension.asks not in sent
        if role == "speak":
            turn = int(asked.headers["x-emoharbor-turn"])
            for fact in person.situation.guarded:
                assert (fact.fact in sent) == (fact.id in released[turn])
        if role == "supporter":
            assert not leaks(sent, person)
            assert "x-emoharbor-profile" not in {name.lower() for name in asked.headers}
        if role in ("feel", "think", "judge"):
            assert person.situation.guarded[0].fact in sent


@pytest.mark.parametrize("briefing", ["none", "intake", "full"])
async def test_a_supporter_is_told_what_the_briefing_says(briefing: str, person: Profile) -> None:
    async with start_endpoint() as endpoint:
        await run_episode(person, CHAT, models=models(endpoint.url), max_turns=1, briefing=briefing)  # type: ignore[arg-type]  # parametrised

    (sent,) = [text(asked) for asked in endpoint.requests if asked.call.role == "supporter"]
    assert (person.situation.stakes[:30] in sent) == (briefing != "none")
    assert (person.person.portrait[:30] in sent) == (briefing == "full")
    assert (person.situation.guarded[0].fact[:30] in sent) == (briefing == "full")


async def test_three_quarters_of_the_prompt_tokens_come_from_a_prefix_cache(person: Profile) -> None:
    async with start_endpoint(STAYS) as endpoint:
        await run_episode(person, CHAT, cast=cast(("feel", "think", "speak")), models=models(endpoint.url))

    roles = ("feel", "think", "speak", "judge")
    prompt = sum(endpoint.stats.prompt_tokens[role] for role in roles)
    cached = sum(endpoint.stats.cached_tokens[role] for role in roles)
    assert cached / prompt >= 0.75


def text(asked: Asked) -> str:
    """All that was sent, with JSON's and YAML's line folding undone."""
    words = json.dumps(asked.body, ensure_ascii=False).replace("\\n", " ").replace('\\"', '"')
    return " ".join(words.split())


def leaks(sent: str, person: Profile) -> list[str]:
    """Parts of the person that a supporter without a briefing must not be sent."""
    telling = person.telling
    assert telling is not None
    parts = [
        person.id, person.person.name, person.person.portrait, person.person.needs.hidden, person.person.lands,
        person.situation.title, person.situation.history, person.situation.stakes, telling.open[0],
        *(fact.fact for fact in person.situation.guarded), *(item.says for item in telling.guarded),
    ]  # fmt: skip
    return [part for part in parts if part in sent]
