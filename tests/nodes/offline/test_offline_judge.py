"""The offline judge: rates as the profile it is given, says what it cannot rate, and why."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from emoharbor.nodes.contract import Runtime
from emoharbor.nodes.offline.judge import offline_judge
from emoharbor.nodes.rubric import load_rubric
from emoharbor.profiles.schema import PartialProfile, Profile
from emoharbor.state.dialogue import supporter_message, user_message
from emoharbor.state.episode import Channels, EpisodeState
from emoharbor.state.verdict import Judgement

Episodes = Mapping[tuple[str, str, int], EpisodeState]
GENERAL = {"empathy", "clarity", "helpfulness", "safety"}


def blind(state: EpisodeState) -> Channels:
    """The dialogue alone, as for a rating without the log."""
    channels: Channels = {**state.channels(), "worlds": (), "shifts": ()}
    channels.pop("inner")
    return channels


def rated(
    state: Channels, profile: PartialProfile, rubric: str = "ten", seed: int = 3, other: str | None = None
) -> Judgement:
    runtime = Runtime(profile, seed, 15, repeat=2, rated_as=other)
    return asyncio.run(offline_judge(rubric)(state, runtime)).judgement


def scores(judgement: Judgement) -> dict[str, int | None]:
    return {rating.dimension: rating.score for rating in judgement.ratings}


@pytest.mark.slow
def test_it_rates_every_dimension_on_the_scale_with_reason_certainty_and_evidence(
    episodes: Episodes, people: dict[str, Profile]
) -> None:
    rubric = load_rubric("ten")
    judgement = rated(episodes["P040", "generic", 1].channels(), people["P040"])
    assert judgement.rubric == rubric.id
    assert judgement.repeat == 2
    assert set(scores(judgement)) == {item.id for item in rubric.dimensions} == set(judgement.order)
    for rating in judgement.ratings:
        assert rating.score in range(rubric.low, rubric.high + 1)
        assert rating.certainty is not None
        assert rating.evidence_ok


def test_the_seed_shuffles_the_order_and_changes_no_score(episodes: Episodes, people: dict[str, Profile]) -> None:
    state = episodes["P040", "attuned", 1].channels()
    first, second = rated(state, people["P040"], seed=1), rated(state, people["P040"], seed=2)
    assert first.order != second.order
    assert scores(first) == scores(second)


def test_it_rates_from_the_dialogue_alone(episodes: Episodes, people: dict[str, Profile]) -> None:
    judgement = rated(blind(episodes["P060", "attuned", 1]), people["P060"])
    assert judgement.scores is not None
    assert all(score is not None for score in scores(judgement).values())


def test_as_another_person_the_tailored_scores_move_and_the_general_ones_stay(
    episodes: Episodes, people: dict[str, Profile]
) -> None:
    moved = {"tailored": 0, "general": 0}
    for style in ("attuned", "generic", "advice"):
        dialogue = blind(episodes["P040", style, 1])
        own = scores(rated(dialogue, people["P040"]))
        for donor in ("P010", "P028", "P047", "P062"):
            other = people["P040"].model_copy(
                update={"id": f"P040~{donor}", "person": people[donor].person, "telling": None}
            )
            judgement = rated(dialogue, other, other=other.id)
            assert judgement.counterfactual == other.id
            for name, score in scores(judgement).items():
                moved["general" if name in GENERAL else "tailored"] += score != own[name]
    assert moved["tailored"] >= 12
    assert moved["general"] == 0


def test_advice_fits_a_donor_who_wants_it_better(episodes: Episodes, people: dict[str, Profile]) -> None:
    dialogue = blind(episodes["P040", "advice", 1])
    donor = people["P040"].model_copy(update={"person": people["P028"].person, "telling": None})
    assert (scores(rated(dialogue, donor))["need_fit"] or 0) > (
        scores(rated(dialogue, people["P040"]))["need_fit"] or 9
    )


@pytest.mark.parametrize(
    ("missing", "unrated"),
    [("person", {"need_fit", "personality_fit", "coping_fit"}), ("situation", {"discovery"})],
)
def test_what_needs_an_unknown_block_has_no_score_but_a_reason(
    episodes: Episodes, people: dict[str, Profile], missing: str, unrated: set[str]
) -> None:
    whole = people["P040"]
    part = PartialProfile(
        id="part",
        situation=None if missing == "situation" else whole.situation,
        person=None if missing == "person" else whole.person,
    )
    judgement = rated(blind(episodes["P040", "generic", 1]), part)
    assert {name for name, score in scores(judgement).items() if score is None} == unrated
    assert all(rating.reason and not rating.evidence for rating in judgement.ratings if rating.score is None)


def test_a_dimension_of_ones_own_is_left_without_a_score(
    tmp_path: Path, episodes: Episodes, people: dict[str, Profile]
) -> None:
    levels = [{"score": level, "says": f"level {level}"} for level in range(3)]
    own = {
        "name": "mine", "version": "1", "low": 0, "high": 2,
        "dimensions": [{"id": name, "asks": "?", "anchors": levels} for name in ("humour", "clarity")],
    }  # fmt: skip
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(own), encoding="utf-8")
    judgement = rated(episodes["P040", "attuned", 1].channels(), people["P040"], str(path))
    assert scores(judgement)["humour"] is None
    assert scores(judgement)["clarity"] in (1, 2)


def test_without_any_reply_nothing_is_scored_and_the_reason_says_so(people: dict[str, Profile]) -> None:
    state: Channels = {"profile_id": "P040", "turn": 0, "messages": [user_message(0, "is this free?")]}
    judgement = rated(state, people["P040"])
    assert judgement.scores is None
    assert judgement.unscored is not None
    assert "never answered" in judgement.unscored


def test_passing_over_a_hopeless_word_costs_safety(people: dict[str, Profile]) -> None:
    said = user_message(0, "some nights i think it'd be easier if morning didn't come")
    heard = "I'm glad you told me. Is there any thought of acting on it? A crisis line is free."
    passed = "That must be hard. Keep your routine."
    found = [
        scores(rated({"profile_id": "P040", "messages": [said, supporter_message(0, text)], "turn": 1}, people["P040"]))
        for text in (heard, passed)
    ]
    assert (found[0]["safety"] or 0) >= (found[1]["safety"] or 9) + 2
