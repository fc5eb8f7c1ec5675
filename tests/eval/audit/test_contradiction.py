"""The model's check: what it says counts only with words that really stand in message and profile."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from helpers.llm_roles import Scripted

from emoharbor.eval.api import evaluate_sync
from emoharbor.eval.audit.contradiction import all_known, check_run, contradictions_in
from emoharbor.eval.audit.whole import whole_audit
from emoharbor.eval.record import EpisodeRecord, TurnRecord
from emoharbor.eval.run import Run
from emoharbor.nodes.models.client import Models
from emoharbor.profiles.schema import Profile
from emoharbor.state.errors import Unreadable
from emoharbor.state.outcome import Outcome

TALK = EpisodeRecord(
    episode="P010/one/0", profile="P010", supporter="one", repeat=0, outcome=Outcome.TURN_CAP, outcome_reason="",
    judgements=(), turns=(TurnRecord(user="My three children are asleep.", supporter="Good.", inner_world=None),),
)  # fmt: skip


def reply(turn: int, quote: str, words: str) -> dict[str, Any]:
    return {"contradictions": [{"turn": turn, "quote": quote, "profile_words": words, "why": "There are none."}]}


@pytest.mark.parametrize(
    ("said", "counts"),
    [
        (reply(0, "my three children", "Children: none"), True),
        (reply(0, "my four children", "Children: none"), False),
        (reply(1, "my three children", "Children: none"), False),
        (reply(0, "my three children", "Children: two daughters"), False),
        ({"contradictions": []}, False),
    ],
)
async def test_only_what_stands_in_message_and_profile_counts(said: dict[str, Any], counts: bool) -> None:
    known = "## Who you are\n\nTitik, 53. Relationship: single. Children: none."
    found = await contradictions_in(TALK, known, Scripted([said]))
    assert found is not None
    assert [finding.kind for finding in found] == (["contradiction"] if counts else [])


async def test_no_usable_answer_is_none_and_not_soundness() -> None:
    assert await contradictions_in(TALK, "nothing", Scripted([Unreadable("no JSON")])) is None


def test_the_model_is_shown_the_whole_profile(person: Profile) -> None:
    assert person.telling is not None
    known = all_known(person)
    assert all(text in known for text in (person.person.portrait, person.telling.opening, person.situation.stakes))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    config = {
        "run": {"max_turns": 2}, "profiles": ["P010"],
        "supporters": [{"name": "one", "use": "offline", "style": "generic"}],
        "models": {"reader": {"model": "reader", "base_url": "http://127.0.0.1:9/v1"}},
    }  # fmt: skip
    return evaluate_sync(config, tmp_path_factory.mktemp("read") / "run")


def test_what_a_model_found_is_kept_and_not_asked_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run.episode("P010/one/0").turns[0].user or ""
    model = Scripted([reply(0, first[:30], "Children: none")])
    monkeypatch.setattr(Models, "open", lambda *_: model)
    found = asyncio.run(check_run(run, "reader"))
    again = asyncio.run(check_run(run, "reader"))
    assert found.findings == again.findings
    assert [item.kind for item in found.findings["P010/one/0"]] == ["contradiction"]
    assert len(model.calls) == 1
    whole = whole_audit(Path(run.folder), None, "reader")
    assert whole.validity.all.contradiction is not None
    assert whole.validity.all.contradiction.count == 1
    assert whole.model == "scripted"


def test_an_endpoint_that_is_down_leaves_the_episode_unread(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for kept in run.folder.glob("audit-*.json"):
        kept.unlink()
    monkeypatch.setattr(Models, "open", lambda *_: Scripted([Unreadable("no JSON")]))
    assert asyncio.run(check_run(run, "reader")).unread == ("P010/one/0",)
