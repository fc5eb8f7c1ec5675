"""The figures of agreement: checked by hand, and on people and simulations made to agree or not to."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.recordings import ANSWERED, SHORT, dialogue

from emoharbor.eval.record import EpisodeRecord, TurnRecord
from emoharbor.eval.replay.agree import agreement
from emoharbor.eval.replay.chance import area, chance
from emoharbor.eval.replay.figures import NO_CEILING, Agreement, Compared
from emoharbor.eval.replay.pairs import DialoguePair, TurnPair, pairs_of
from emoharbor.eval.replay.scales import on_one_scale
from emoharbor.eval.replay.survey import survey
from emoharbor.eval.reports.agree import agree_page
from emoharbor.eval.reports.formats import markdown
from emoharbor.nodes.recording import RecordedDialogue, Recording
from emoharbor.state.inner_world import InnerWorld
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Judgement, Rating, Scores


def pair(number: int, *, empathy: int, judged: int, label: str | None = None, blind: int | None = None) -> DialoguePair:
    """A dialogue whose turns' felt understanding follows the feedback."""
    stars = [(number + turn) % 5 + 1 for turn in range(4)]
    felt = {1: -3, 2: -2, 3: -1, 4: 1, 5: 3}
    return DialoguePair(
        number=number,
        told={"empathy": empathy, "feedback": float(np.mean(stars)), "before": 5, "after": 5 - judged % 3,
              "relief": judged % 3},
        label=label,
        scores={"empathy": judged},
        blind={} if blind is None else {"empathy": blind},
        inner={"felt_understood": 1.0 + number, "relief": judged % 3, "trust": 5.0},
        turns=4,
        would_leave=None,
        parts=tuple(TurnPair(number, turn, star, felt[star], 10) for turn, star in enumerate(stars)),
    )  # fmt: skip


def found_in(found: Agreement, theirs: str, of: str, unit: str = "dialogue") -> Compared:
    return next(item for item in found.compared if (item.theirs, item.rests_on, item.unit) == (theirs, of, unit))


RECORDING = Recording([
    dialogue(f"p{number}", "Hi.", "Yes?", label="well" if number < 10 else "badly") for number in range(20)
])  # fmt: skip


def test_ratings_on_another_scale_keep_their_place_on_the_common_one() -> None:
    five = [dialogue(f"p{number}", "Hi.", "Yes?", ratings={"empathy": number + 1}) for number in range(3)]
    hundred = RecordedDialogue.model_validate({
        "profile": {"id": "q"}, "scale": [0, 100], "greeting_feedback": [25], "ratings": {"empathy": 75, "before": 100},
        "turns": [{"user": "Hi.", "supporter": "Yes?", "feedback": [0, 50]}],
    })  # fmt: skip

    moved, count = on_one_scale(Recording([*five, hundred]))
    last = moved.dialogues[-1]
    assert (count, last.scale, last.ratings) == (1, (1, 5), {"empathy": 4, "before": 5})
    assert (last.greeting_feedback, last.turns[0].feedback) == ((2,), (1, 3))
    assert moved.dialogues[:3] == tuple(five)
    assert on_one_scale(Recording(five))[1] == 0


def test_values_stand_in_the_order_of_their_size() -> None:
    ten = [dialogue(f"p{value}", "Hi.", "Yes?", ratings={"empathy": value}, scale=(0, 10)) for value in (2, 10, 1)]
    assert list(survey(ten).distribution["empathy"]) == ["1", "2", "10"]


def test_only_the_runs_own_judge_says_what_it_rates_without_the_log() -> None:
    def rated(score: int, judge: str, *, own: bool = False) -> Judgement:
        rating = Rating(dimension="empathy", group=None, score=score, reason="r")
        return Judgement(
            judge="j", judge_id=judge, rubric="ten", ratings=(rating,), own=own, with_log=own,
            scores=Scores(overall=None, general=None, tailored=None, gap=None),
        )  # fmt: skip

    judgements = (rated(4, "one", own=True), rated(3, "one"), rated(1, "another"))
    record = EpisodeRecord(
        episode="bob/recorded/0", profile=ANSWERED.id, supporter=ANSWERED.supporter, repeat=0,
        outcome=Outcome.TURN_CAP, outcome_reason="", turns=(), judgements=judgements,
    )  # fmt: skip
    (found,) = pairs_of(Recording([ANSWERED]), [record])
    assert (found.scores, found.blind) == ({"empathy": 4}, {"empathy": 3})


def test_a_rating_of_the_people_that_no_judge_was_asked_for_is_named() -> None:
    pairs = [
        replace(item, told={**item.told, "relevance": 3.0, **({"empaty": 4.0} if number < 2 else {})},
                asked=frozenset({"empathy", "situation_fit"}))
        for number, item in enumerate(pair(number, empathy=3, judged=3) for number in range(4))
    ]  # fmt: skip

    found = agreement(RECORDING, pairs, (1, 5))
    assert found.unheard == {"empaty": 2}
    assert "'empaty', which the people gave 2 dialogues, is no dimension of the judge's rubric." in markdown(
        agree_page(found)
    )


def test_a_simulation_that_follows_the_person_is_seen_to_do_so_and_chance_is_not() -> None:
    pairs = [pair(number, empathy=number % 5 + 1, judged=number % 5 + 1) for number in range(20)]

    found = found_in(agreement(RECORDING, pairs, (1, 5)), "feedback", "inner world", "turn")

    assert found.spearman.value == pytest.approx(1)
    assert found.spearman.n == 80
    assert found.chance is not None
    assert found.chance.low < 0 < found.chance.high < 0.4
    assert found.chance.p == pytest.approx(1 / 1001)
    assert found.kappa is None
    assert "no common scale" in found.no_kappa


def test_kappa_stands_beside_the_prevalence_it_depends_on() -> None:
    # by hand: 8 of 10 pairs are (5, 5), one (5, 4), one (4, 5); weights 1 and 1 - 1/16
    told = [5] * 9 + [4]
    ours = [5] * 8 + [4, 5]
    pairs = [pair(number, empathy=a, judged=b) for number, (a, b) in enumerate(zip(told, ours, strict=True))]

    found = found_in(agreement(RECORDING, pairs, (1, 5)), "empathy", "judge")

    observed = 0.8 + 0.2 * 15 / 16
    expected = 0.81 + 0.01 + 0.18 * 15 / 16
    assert found.kappa is not None
    assert found.kappa.value == pytest.approx((observed - expected) / (1 - expected))
    assert found.kappa.first == pytest.approx((0, 0, 0, 0.1, 0.9))
    assert found.top_two == 1


def test_ratings_without_the_log_come_from_the_run_or_from_an_ablation() -> None:
    mixed = [pair(number, empathy=number % 5 + 1, judged=3 + number % 2) for number in range(20)]
    other = [pair(number, empathy=1, judged=number % 5 + 1) for number in range(20)]

    alone = agreement(RECORDING, mixed, (1, 5))
    beside = agreement(RECORDING, mixed, (1, 5), other)
    within = agreement(RECORDING, [pair(n, empathy=n % 5 + 1, judged=3, blind=n % 5 + 1) for n in range(20)], (1, 5))

    assert not any(item.rests_on == "judge, no log" for item in alone.compared)
    assert found_in(beside, "empathy", "judge, no log").spearman.value == pytest.approx(1)
    assert found_in(within, "empathy", "judge, no log").spearman.value == pytest.approx(1)


def test_groups_are_told_apart_by_what_differs_and_not_by_what_does_not() -> None:
    pairs = [
        pair(number, empathy=3, judged=4 if number < 10 else 2, label="well" if number < 10 else "badly")
        for number in range(20)
    ]

    found = agreement(RECORDING, pairs, (1, 5))

    areas = {(item.figure, item.rests_on): item.area.value for item in found.separated}
    assert found.groups is not None
    assert set(found.groups) == {"well", "badly"}
    wanted = 1 if found.groups[0] == "well" else 0
    assert areas["empathy", "judge"] == wanted
    assert areas["number of turns", "no inner world"] == 0.5


def test_no_ceiling_is_claimed_for_people_who_rated_once() -> None:
    found = agreement(RECORDING, [pair(n, empathy=n % 5 + 1, judged=3) for n in range(20)], (1, 5))

    assert found.ceiling == NO_CEILING
    assert "No ceiling is claimed" in markdown(agree_page(found))


def test_the_area_is_the_share_of_pairs_in_order_with_ties_counted_half() -> None:
    found = area(np.array([3.0, 2.0, np.nan]), np.array([1.0, 2.0]))

    # (3,1) (3,2) (2,1) in order, (2,2) a tie: 3.5 of 4
    assert found.value == 3.5 / 4
    assert found.n == (2, 2)
    assert area(np.array([]), np.array([1.0])).value is None


def test_shuffling_inside_dialogues_leaves_what_lies_between_them() -> None:
    who = np.repeat([0, 1, 2], 10)
    x, y = who + np.tile(np.arange(10), 3) * 0.01, who * 1.0

    inside, all_over = chance(x, y, who), chance(x, y, None)

    assert inside is not None
    assert all_over is not None
    assert inside.low > 0.9
    assert all_over.low < 0 < all_over.high < 0.5
    assert chance(x, np.ones(30), None) is None


def test_feedback_is_laid_beside_the_answer_it_is_about() -> None:
    worlds = [InnerWorld(turn=turn, distress=8 - turn, trust=3, felt_understood=felt)
              for turn, felt in enumerate([None, 2, -2, 3])]  # fmt: skip
    turns = [TurnRecord(user=turn.user, supporter=turn.supporter, inner_world=world)
             for turn, world in zip(ANSWERED.turns, worlds, strict=False)]  # fmt: skip
    record = EpisodeRecord(
        episode="bob/recorded/0", profile="bob", supporter="recorded", repeat=0, outcome=Outcome.TURN_CAP,
        outcome_reason="", turns=(*turns, TurnRecord(user=None, supporter=None, inner_world=worlds[3])),
        judgements=(judged("empathy", 4, own=True), judged("empathy", 2, own=False)),
    )  # fmt: skip

    (found,) = pairs_of(Recording([SHORT, ANSWERED]), [record])

    assert [(part.turn, part.feedback, part.felt) for part in found.parts] == [(0, 5, 2), (1, 4, -2)]
    assert found.inner == {"felt_understood": 1, "relief": 3, "trust": 3}
    assert found.scores == {"empathy": 4}
    assert found.told["feedback"] == 4.5


def judged(dimension: str, score: int, *, own: bool) -> Judgement:
    rating = Rating(dimension=dimension, group=None, score=score, reason="")
    scores = Scores(overall=None, general=None, tailored=None, gap=None)
    return Judgement(judge="j", judge_id="a" if own else "b", own=own, rubric="r", ratings=(rating,), scores=scores)
