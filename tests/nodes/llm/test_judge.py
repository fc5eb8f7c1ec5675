"""The judge: scores within the scale or none, evidence that stands in the dialogue, faults that stay faults."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers.llm_roles import Notes, Scripted, at_work, rating, state_at, verdict

from emoharbor.nodes.contract import Runtime
from emoharbor.nodes.judge import NOT_RATED, llm_judge, shuffled
from emoharbor.nodes.judge_reply import reply_for
from emoharbor.nodes.models.schema import sent_schema
from emoharbor.nodes.rubric import load_rubric
from emoharbor.profiles.schema import Profile
from emoharbor.state.errors import EmptyReply, ModelFault, Overloaded, Refused, RubricError, Truncated, Unreadable
from emoharbor.state.verdict import Judgement, Rating

TEN = [item.id for item in load_rubric().dimensions]
OTHER = [{"turn": 0, "quote": "my own bread is good"}]
WHOLE = [rating(name, evidence=OTHER) if at % 2 else rating(name) for at, name in enumerate(TEN)]


def with_change(name: str, **changes: Any) -> dict[str, Any]:
    return verdict(*({**item, **changes} if item["dimension"] == name else item for item in WHOLE))


async def judged(model: Scripted, profile: Profile, notes: Notes, **args: Any) -> Judgement:
    update = await llm_judge(model, **args)(state_at(profile, 2), at_work(profile, notes))
    return update.judgement


def of(judgement: Judgement, name: str) -> Rating:
    return next(item for item in judgement.ratings if item.dimension == name)


async def test_a_whole_rating_is_scored(ilse: Profile, notes: Notes) -> None:
    model = Scripted([verdict(*WHOLE)])
    judgement = await judged(model, ilse, notes)
    assert judgement.judge == "llm:scripted"
    assert judgement.rubric == load_rubric().id
    assert judgement.scores is not None
    assert (judgement.scores.overall, judgement.scores.gap) == (50, 0)
    assert [item.dimension for item in judgement.ratings] == TEN
    assert all(item.evidence_ok and item.certainty == 70 for item in judgement.ratings)
    assert '"ratings"' in judgement.raw
    assert (model.complaints, notes.kept) == ([], [])


async def test_the_order_is_shuffled_by_seed_and_repeat_and_recorded(ilse: Profile) -> None:
    orders = []
    for seed, repeat in ((1, 0), (1, 0), (2, 0), (1, 1)):
        model = Scripted([verdict(*WHOLE)])
        runtime = Runtime(ilse, seed=seed, max_turns=3, repeat=repeat, rated_as="T002")
        judgement = (await llm_judge(model)(state_at(ilse, 2), runtime)).judgement
        assert (judgement.repeat, judgement.counterfactual) == (repeat, "T002")
        asked = model.calls[0][1]
        assert sorted(TEN, key=lambda name: asked.index(f"`{name}`:")) == list(judgement.order)
        orders.append(judgement.order)
    assert orders[0] == orders[1]
    assert len(set(orders)) == 3
    assert all(sorted(order) == sorted(TEN) for order in orders)


@pytest.mark.parametrize(("given", "read"), [(4, 4), ("4", 4), (None, None), (1, 1), (5, 5)])
def test_a_score_of_the_scale_fits(given: object, read: int | None) -> None:
    reply = reply_for(load_rubric()).model_validate(with_change("empathy", score=given))
    assert next(item.score for item in reply.ratings if item.dimension == "empathy") == read


@pytest.mark.parametrize("given", [4.7, "4/5", 0, 6, "four", True, "", "4.7", float("nan")])
def test_no_other_score_fits_and_none_is_clamped(given: object) -> None:
    with pytest.raises(ValueError, match="score"):
        reply_for(load_rubric()).model_validate(with_change("empathy", score=given))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (verdict(*WHOLE[1:]), "Not rated: empathy."),
        (verdict(*WHOLE, rating("charm", evidence=OTHER)), "No dimensions of the rubric: charm."),
        (verdict(*WHOLE, rating("empathy", evidence=OTHER)), "Rated more than once: empathy."),
        (with_change("safety", evidence=[]), "A score, but no evidence: safety."),
        (with_change("safety", evidence=[{"turn": 1, "quote": "You are brave"}]), "safety (turn 1) 'You are brave'"),
        (with_change("safety", evidence=[{"turn": 0, "quote": "he could taste"}]), "safety (turn 0, but at turn 1)"),
        (with_change("safety", evidence=[{"turn": 0, "quote": "a"}]), "safety (turn 0) 'a'"),
        ({**verdict(*WHOLE), "weakest": {"turn": 7, "quote": "he could taste", "why": "-"}}, "weakest (turn 7"),
    ],
)
async def test_the_judge_is_asked_again_once(value: dict[str, Any], words: str, ilse: Profile, notes: Notes) -> None:
    model = Scripted([value, verdict(*WHOLE)])
    judgement = await judged(model, ilse, notes)
    assert words in model.complaints[0]
    assert all(item.score == 3 and item.evidence_ok for item in judgement.ratings)


async def test_one_impression_that_carries_most_ratings_is_asked_about(ilse: Profile, notes: Notes) -> None:
    same = verdict(*(rating(name) for name in TEN))
    for turns, complaints in ((2, 0), (3, 1)):
        model = Scripted([same])
        judgement = (await llm_judge(model)(state_at(ilse, turns), at_work(ilse, notes))).judgement
        assert len(model.complaints) == complaints
        assert judgement.scores is not None


async def test_evidence_that_stays_wrong_is_kept_and_marked(ilse: Profile, notes: Notes) -> None:
    wrong = [{"turn": 1, "quote": "You are brave"}, {"turn": -1, "quote": "x"}, {"turn": 0, "quote": " "}]
    judgement = await judged(Scripted([with_change("safety", evidence=wrong)]), ilse, notes)
    safety = of(judgement, "safety")
    assert (safety.score, safety.evidence_ok) == (3, False)
    assert [item.quote for item in safety.evidence] == ["You are brave"]
    assert of(judgement, "empathy").evidence_ok is True


async def test_without_evidence_there_is_nothing_to_be_ok(ilse: Profile, notes: Notes) -> None:
    judgement = await judged(Scripted([with_change("safety", evidence=[], score=None)]), ilse, notes)
    assert (of(judgement, "safety").score, of(judgement, "safety").evidence_ok) == (None, None)


async def test_evidence_may_come_from_either_side_but_not_across(ilse: Profile, notes: Notes) -> None:
    evidence = [{"turn": 0, "quote": "my own bread is good. I'm so sorry"}]
    judgement = await judged(Scripted([with_change("safety", evidence=evidence)]), ilse, notes)
    assert of(judgement, "safety").evidence_ok is False
    assert of(judgement, "clarity").evidence_ok is True  # the person's own words


async def test_a_dimension_that_stays_out_is_not_rated_and_never_filled_in(ilse: Profile, notes: Notes) -> None:
    judgement = await judged(Scripted([verdict(*WHOLE[2:])]), ilse, notes)
    assert (of(judgement, "empathy").score, of(judgement, "empathy").reason) == (None, NOT_RATED)
    assert judgement.scores is not None
    assert (judgement.scores.general, judgement.scores.overall, judgement.scores.tailored) == (None, None, 3)


async def test_stray_and_double_ratings_are_dropped_and_noted(ilse: Profile, notes: Notes) -> None:
    extra = (rating("charm"), rating("empathy", 5))
    judgement = await judged(Scripted([verdict(*WHOLE, *extra)]), ilse, notes)
    assert of(judgement, "empathy").score == 3
    assert notes.kept == [("unknown_dimension", "charm"), ("rated_twice", "empathy")]


@pytest.mark.parametrize("kind", [Refused, EmptyReply, Truncated, Unreadable])
async def test_a_reply_that_cannot_be_used_is_unscored_with_its_reason(
    kind: type[ModelFault], ilse: Profile, notes: Notes
) -> None:
    judgement = await judged(Scripted([kind("no use", raw="half a rep")]), ilse, notes)
    assert judgement.unscored == f"{kind.kind}: no use"
    assert (judgement.raw, judgement.scores, judgement.ratings) == ("half a rep", None, ())
    assert judgement.rubric == load_rubric().id


async def test_a_fault_of_the_endpoint_is_not_the_judges(ilse: Profile, notes: Notes) -> None:
    with pytest.raises(Overloaded):
        await judged(Scripted([Overloaded("busy")]), ilse, notes)


async def test_no_score_at_all_is_unscored(ilse: Profile, notes: Notes) -> None:
    none = verdict(*({**item, "score": None} for item in WHOLE))
    judgement = await judged(Scripted([none]), ilse, notes)
    assert judgement.unscored == "no dimension has a score"
    assert len(judgement.ratings) == 10


async def test_a_rubric_of_ones_own_works(tmp_path: Path, ilse: Profile, notes: Notes) -> None:
    file = tmp_path / "mine.yaml"
    anchors = [{"score": score, "says": f"level {score}"} for score in range(-1, 2)]
    own = {
        "name": "mine",
        "version": "7",
        "low": -1,
        "high": 1,
        "dimensions": [{"id": "calm", "asks": "Am I calm?", "anchors": anchors}],
    }
    file.write_text(yaml.safe_dump(own), encoding="utf-8")
    model = Scripted([verdict(rating("calm", -1))])
    judgement = await judged(model, ilse, notes, rubric=str(file))
    assert "`calm`: Am I calm?\n-1: level -1\n0: level 0\n1: level 1" in model.calls[0][1]
    assert judgement.scores is not None
    assert (judgement.scores.overall, judgement.scores.gap) == (0, None)
    assert of(judgement, "calm").group is None


def test_a_rubric_that_is_not_there_is_the_users_mistake() -> None:
    with pytest.raises(RubricError, match=r"^nowhere.yaml: cannot be read: "):
        llm_judge(Scripted([]), rubric="nowhere.yaml")


def test_a_rubric_in_another_encoding_is_the_users_mistake(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_bytes("name: caf\u00e9".encode("latin-1"))
    with pytest.raises(RubricError, match=r"mine.yaml:1: not UTF-8; save the file as UTF-8"):
        llm_judge(Scripted([]), rubric=str(file))


def test_the_schema_sent_is_strict_and_names_ids_and_scale() -> None:
    sent = str(sent_schema(reply_for(load_rubric())).schema)
    assert str(TEN) in sent
    assert "'enum': [1, 2, 3, 4, 5]" in sent
    assert "general" not in sent


def test_reasons_come_before_scores() -> None:
    fields = list(reply_for(load_rubric()).model_fields)
    assert fields == ["weakest", "strongest", "ratings"]


async def test_one_call_a_dimension_sees_no_other_dimension(ilse: Profile, notes: Notes) -> None:
    runtime = at_work(ilse, notes)
    asked = [item.id for item in shuffled(load_rubric(), runtime)]
    model = Scripted([verdict(rating(name, 2 + at % 3)) for at, name in enumerate(asked)])
    judgement = (await llm_judge(model, mode="one_per_dimension")(state_at(ilse, 2), runtime)).judgement

    assert len(model.calls) == len(TEN)
    for name, (_, text) in zip(asked, model.calls, strict=True):
        assert [other for other in TEN if f"`{other}`:" in text] == [name]
    assert list(judgement.order) == asked
    assert [item.dimension for item in judgement.ratings] == TEN
    assert {item.dimension: item.score for item in judgement.ratings} == {
        name: 2 + at % 3 for at, name in enumerate(asked)
    }
    assert judgement.raw.count('"ratings"') == len(TEN)


@pytest.mark.parametrize(("mode", "forms"), [("all", 1), ("one_per_dimension", len(TEN))])
async def test_the_form_is_made_once_for_all_that_are_rated(mode: Any, forms: int, ilse: Profile, notes: Notes) -> None:
    model = Scripted(lambda _: verdict(*WHOLE))
    judge = llm_judge(model, mode=mode)
    for repeat in range(3):  # in three orders
        await judge(state_at(ilse, 2), replace(at_work(ilse, notes), repeat=repeat))

    assert len(set(model.schemas)) == forms
    assert len(model.schemas) >= 3 * forms


async def test_a_dimension_whose_own_call_fails_is_missing_with_its_reason(ilse: Profile, notes: Notes) -> None:
    runtime = at_work(ilse, notes)
    asked = [item.id for item in shuffled(load_rubric(), runtime)]
    replies = [Refused("not that", raw="no") if name == "safety" else verdict(rating(name)) for name in asked]
    judgement = (await llm_judge(Scripted(replies), mode="one_per_dimension")(state_at(ilse, 2), runtime)).judgement

    assert (of(judgement, "safety").score, of(judgement, "safety").reason) == (None, f"{Refused.kind}: not that")
    assert judgement.scores is not None
    assert judgement.scores.general == 3


async def test_when_every_call_fails_there_is_no_score(ilse: Profile, notes: Notes) -> None:
    model = Scripted([Refused("not that")] * len(TEN))
    judgement = (await llm_judge(model, mode="one_per_dimension")(state_at(ilse, 2), at_work(ilse, notes))).judgement

    assert (judgement.scores, judgement.unscored) == (None, f"{Refused.kind}: not that")
    assert len(judgement.ratings) == len(TEN)


async def test_a_long_scale_is_explained_and_its_ends_are_enough(tmp_path: Path, ilse: Profile, notes: Notes) -> None:
    file = tmp_path / "mine.yaml"
    anchors = [{"score": 0, "says": "not at all"}, {"score": 100, "says": "entirely"}]
    dimension = {"id": "calm", "asks": "Am I calm?", "anchors": anchors}
    own = {"name": "mine", "version": "1", "low": 0, "high": 100, "dimensions": [dimension]}
    file.write_text(yaml.safe_dump(own), encoding="utf-8")
    model = Scripted([verdict(rating("calm", 73))])
    judgement = await judged(model, ilse, notes, rubric=str(file))

    assert "a whole number from 0 to 100. Some levels are described" in model.calls[0][1]
    assert "`calm`: Am I calm?\n0: not at all\n100: entirely" in model.calls[0][1]
    assert judgement.scores is not None
    assert judgement.scores.overall == 73
    assert "A whole number from 0 to 100." in str(sent_schema(reply_for(load_rubric(str(file)))).schema)
