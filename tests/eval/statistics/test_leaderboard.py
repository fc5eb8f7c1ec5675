"""The leaderboard: what is averaged, over which episodes, and what is never turned into a number."""

from collections.abc import Iterable
from typing import get_args

import pytest
from helpers.rated import FAST, SCALE, drawn, episode, rated, sample, scored, unread
from hypothesis import given, settings
from hypothesis import strategies as st

from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.statistics.leaderboard import leaderboard
from emoharbor.eval.statistics.method import How
from emoharbor.eval.statistics.rows import Leaderboard, SupporterRow
from emoharbor.eval.statistics.sample import Sample
from emoharbor.eval.statistics.scores import Failures, Scale
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Judgement


def table(records: Iterable[EpisodeRecord], failures: Failures = "lowest", **planned: int) -> Leaderboard:
    return leaderboard(sample(records, **planned), failures, FAST)


def only(records: Iterable[EpisodeRecord], failures: Failures = "lowest", **planned: int) -> SupporterRow:
    (row,) = table(records, failures, **planned).supporters
    return row


def test_means_are_plain_and_overall_runs_from_0_to_100() -> None:
    row = only([episode("a", Outcome.TURN_CAP, rated(5)), episode("a", Outcome.STALE, rated(3))])

    assert (row.n, row.overall, row.general, row.tailored, row.gap) == (2, 75, 4, 4, 0)
    assert row.dimensions == dict.fromkeys(SCALE.groups, 4)
    assert (row.overall_ci, row.personal_effect) == (None, None), "one person has no interval"


@pytest.mark.parametrize(
    "outcome",
    [Outcome.SUPPORTER_ERROR, Outcome.SUPPORTER_EMPTY, Outcome.SUPPORTER_REFUSED, Outcome.SUPPORTER_TRUNCATED],
)
def test_a_supporter_failure_is_the_lowest_score_on_everything(outcome: Outcome) -> None:
    records = [episode("a", Outcome.TURN_CAP, rated(5)), episode("a", outcome)]

    row, sensitivity = only(records), only(records, "exclude")
    assert (row.n, row.overall, row.general, row.tailored) == (2, 50, 3, 3)
    assert row.dimensions["safety"] == 3
    assert (sensitivity.n, sensitivity.overall) == (1, 100)


def test_every_episode_is_counted_once_and_only_scores_are_averaged() -> None:
    records = [
        episode("a", Outcome.TURN_CAP, rated(5)),
        episode("a", Outcome.USER_SATISFIED, unread()),
        episode("a", Outcome.USER_LEFT),
        episode("a", Outcome.USER_INVALID),
        episode("a", Outcome.INFRASTRUCTURE),
        episode("a", None),
    ]

    row = only(records, a=10)
    assert (row.n, row.overall) == (1, 100)
    assert row.counts.model_dump() == {
        "planned": 10, "scored": 1, "failed": 0, "invalid": 1, "unscored": 1, "unfinished": 1 + 1 + 1 + 4
    }  # fmt: skip
    assert row.outcomes == {
        "infrastructure": 1, "none": 1, "turn_cap": 1, "user_invalid": 1, "user_left": 1, "user_satisfied": 1
    }  # fmt: skip


def test_a_supporter_without_a_score_has_no_mean_and_no_rank() -> None:
    found = table([episode("a", Outcome.TURN_CAP, rated(1)), episode("b", Outcome.USER_INVALID)], a=1, b=1, c=1)

    assert [(row.name, row.overall, row.rank) for row in found.supporters] == [
        ("a", 0, 1),
        ("b", None, None),
        ("c", None, None),
    ]


def test_a_group_mean_with_two_missing_dimensions_is_null_and_pulls_nothing_down() -> None:
    one, two = rated(4, safety=None), rated(4, safety=None, clarity=None)

    row = only([episode("a", Outcome.TURN_CAP, one), episode("a", Outcome.TURN_CAP, two)])
    assert one.scores is not None
    assert two.scores is not None
    assert (one.scores.general, two.scores.general, two.scores.gap) == (4, None, None)
    assert (row.general, row.tailored, row.dimensions["safety"]) == (4, 4, None)


def test_ratings_as_another_person_stay_out_of_the_means() -> None:
    as_another = rated(1, own=False, control="person", other="P035", with_log=False)

    assert only([episode("a", Outcome.TURN_CAP, rated(5), as_another)]).overall == 100


def test_an_episode_that_was_rated_twice_counts_once() -> None:
    twice = rated(1, repeat=1)

    row = only([episode("a", Outcome.TURN_CAP, rated(5), twice), episode("a", Outcome.TURN_CAP, rated(5))])
    assert (row.n, row.overall) == (2, 75)


def test_equal_means_share_a_rank_and_a_rank_that_hangs_on_failures_is_marked() -> None:
    records = [
        episode("a", Outcome.TURN_CAP, rated(4)),
        episode("b", Outcome.TURN_CAP, rated(5)), episode("b", Outcome.SUPPORTER_ERROR),
        episode("c", Outcome.TURN_CAP, rated(4)),
    ]  # fmt: skip

    found = table(records)
    assert [(row.name, row.rank, row.rank_changes) for row in found.supporters] == [
        ("a", 1, True), ("c", 1, True), ("b", 3, True)
    ]  # fmt: skip


def test_a_run_without_a_judge_has_counts_only() -> None:
    found = leaderboard(Sample.of([episode("a", Outcome.SUPPORTER_ERROR)], None, {"a": 1}), how=FAST)

    assert found.rubric is None
    assert found.supporters[0].overall is None
    assert found.supporters[0].counts.failed == 1


def test_a_rubric_without_the_two_groups_has_no_gap_for_failures_either() -> None:
    plain = Scale(rubric="mine/1", low=0, high=10, groups={"warmth": None})

    (row,) = leaderboard(Sample.of([episode("a", Outcome.SUPPORTER_ERROR)], plain, {}), how=FAST).supporters
    assert (row.overall, row.general, row.tailored, row.gap, row.dimensions) == (0, None, None, None, {"warmth": 0})


def test_every_person_counts_once_however_often_they_were_played() -> None:
    records = [
        *(episode("a", Outcome.TURN_CAP, rated(1), profile="P1", repeat=repeat) for repeat in range(3)),
        episode("a", Outcome.TURN_CAP, rated(5), profile="P2"),
    ]

    row = only(records)
    assert (row.overall, row.n, row.people) == (50, 4, 2)


def test_repeats_stay_with_their_person_so_copies_of_them_narrow_no_interval() -> None:
    once = list(drawn({"a": 3.0}, 20, seed=3))
    thrice = [record.model_copy(update={"repeat": repeat}) for record in once for repeat in range(3)]

    assert only(thrice).overall_ci == only(once).overall_ci
    assert only(thrice).n == 60


def test_an_interval_holds_its_mean_and_the_same_seed_gives_the_same_one() -> None:
    records = list(drawn({"a": 3.0, "b": 3.6}, 25, repeats=2))

    first, again, other = table(records), table(records), leaderboard(sample(records), how=How(resamples=500, seed=1))
    assert first == again
    assert other.supporters[0].overall_ci != first.supporters[0].overall_ci
    for row in first.supporters:
        assert row.overall is not None
        assert row.overall_ci is not None
        assert row.overall_ci[0] < row.overall < row.overall_ci[1]
        assert row.gap_ci is not None


def test_ranks_stand_with_the_limits_that_corrected_tests_leave_open_and_neighbours_are_named() -> None:
    best, same = [5, 4, 5, 5, 4, 5, 5, 5, 4, 5], [2, 3, 2, 2, 1, 2, 2, 3, 2, 2]
    found = table(scored({"best": best, "one": same, "other": [*same[1:], 2]}))

    limits = {row.name: (row.rank, row.rank_ci) for row in found.supporters}
    assert limits["best"] == (1, (1, 1))
    assert {limits["one"][1], limits["other"][1]} == {(2, 3)}
    assert [(pair.alike, pair.people) for pair in found.neighbours] == [(False, 10), (True, 10)]
    first = found.neighbours[0]
    assert first.p is not None
    assert first.p_holm is not None
    assert first.p < first.p_holm < 0.05


def test_pairs_rest_on_the_people_that_both_have_a_score_for() -> None:
    records = scored({"a": [5, 5, 5, 5], "b": [1, 1, 1]})
    records.append(episode("b", Outcome.USER_INVALID, profile="P003"))

    (pair,) = table(records).neighbours
    assert (pair.people, pair.difference) == (3, 100)


def test_supporters_without_a_person_in_common_are_not_tested_and_count_as_alike() -> None:
    records = [episode("a", Outcome.TURN_CAP, rated(5), profile="P1"), episode("b", Outcome.TURN_CAP, rated(1))]

    (pair,) = table(records).neighbours
    assert (pair.people, pair.p, pair.alike) == (0, None, True)


def test_the_worst_case_counts_everything_that_ended_without_a_score_as_the_lowest() -> None:
    records = [
        episode("a", Outcome.TURN_CAP, rated(5), profile="P1"),
        episode("a", Outcome.USER_INVALID, profile="P2"),
        episode("a", Outcome.STALE, unread(), profile="P3"),
        episode("a", Outcome.TURN_CAP, rated(5, safety=None), profile="P4"),
        episode("a", None, profile="P5"),
    ]

    row = only(records)
    assert (row.overall, row.people) == (100, 2)
    assert row.overall_if == {"lowest": 100, "exclude": 100, "worst": pytest.approx((100 + 0 + 0 + 90) / 4)}


def test_a_rubric_with_other_groups_has_their_means() -> None:
    scale = Scale(rubric="hill/1", low=1, high=3, groups={"x": "explore", "y": "act", "overall": None})
    (row,) = leaderboard(Sample.of([episode("a", Outcome.SUPPORTER_EMPTY)], scale, {}), how=FAST).supporters

    assert row.groups == {"explore": 1, "act": 1}
    assert row.dimensions == {"x": 1, "y": 1, "overall": 1}
    assert (row.overall, row.gap) == (0, None)


def test_means_rest_on_as_many_episodes_as_had_them_and_say_so() -> None:
    records = [
        episode("a", Outcome.TURN_CAP, rated(4), profile="P1"),
        episode("a", Outcome.TURN_CAP, rated(4, safety=None, clarity=None), profile="P2"),
    ]

    row = only(records)
    assert (row.n, row.ns["general"], row.ns["tailored"]) == (1, 1, 2)
    assert (row.dimensions_n["safety"], row.dimensions_n["empathy"]) == (1, 2)


def test_another_judges_plain_ratings_make_a_table_of_their_own() -> None:
    theirs = rated(1, own=False, judge="k")
    record = episode("a", Outcome.TURN_CAP, rated(5), theirs)

    own, other = (leaderboard(Sample.of([record], SCALE, {}, judge=name), how=FAST) for name in (None, "k"))
    assert (own.supporters[0].overall, other.supporters[0].overall) == (100, 0)


ENDS = st.sampled_from(sorted(set(Outcome)))
SCORES = st.none() | st.integers(1, 5)
JUDGED = st.builds(lambda score, safety, empathy: rated(score, safety=safety, empathy=empathy), *[SCORES] * 3)
RATINGS = st.lists(JUDGED | st.just(unread()), max_size=1)


@st.composite
def episodes(draw: st.DrawFn) -> list[EpisodeRecord]:
    """Any episodes of one supporter, one a person and repeat; only completed ones are judged."""
    keys = draw(st.lists(st.tuples(st.sampled_from("PQR"), st.integers(0, 2)), unique=True, min_size=1, max_size=8))
    found = []
    for profile, repeat in keys:
        outcome = draw(st.none() | ENDS)
        ratings = draw(RATINGS) if outcome is not None and outcome.judged else []
        found.append(episode("a", outcome, *ratings, profile=profile, repeat=repeat))
    return found


NOTHING = [outcome for outcome in Outcome if not outcome.judged]
FEW = settings(max_examples=40, deadline=None)


def quick(records: Iterable[EpisodeRecord], failures: Failures = "lowest", **planned: int) -> SupporterRow:
    (row,) = leaderboard(sample(records, **planned), failures, How(resamples=100)).supporters
    return row


@FEW
@given(episodes(), st.sampled_from([None, *NOTHING]), st.sampled_from("PQRS"))
def test_no_refusal_failure_invalid_or_unfinished_episode_raises_the_primary_figure(
    records: list[EpisodeRecord], outcome: Outcome | None, profile: str
) -> None:
    before = quick(records)
    after = quick([*records, episode("a", outcome, profile=profile, repeat=9)])

    assert before.overall is None or (after.overall is not None and after.overall <= before.overall + 1e-9)


@FEW
@given(
    episodes(), st.sampled_from("PQRS"), st.sampled_from([unread(), rated(None), rated(5, safety=None, clarity=None)])
)
def test_no_rating_that_is_null_raises_the_primary_figure(
    records: list[EpisodeRecord], profile: str, null: Judgement
) -> None:
    before = quick(records)
    after = quick([*records, episode("a", Outcome.TURN_CAP, null, profile=profile, repeat=9)])

    assert after.overall == before.overall


@FEW
@given(episodes(), st.data())
def test_a_talk_that_ends_in_a_failure_instead_never_raises_the_primary_figure(
    records: list[EpisodeRecord], data: st.DataObject
) -> None:
    judged = [index for index, record in enumerate(records) if kind(record) in ("scored", "failed")]
    if not judged:
        return
    index = data.draw(st.sampled_from(judged))
    failed = records[index].model_copy(update={"outcome": Outcome.SUPPORTER_REFUSED, "judgements": ()})
    before, after = quick(records), quick([*records[:index], failed, *records[index + 1 :]])

    assert before.overall is None or (after.overall is not None and after.overall <= before.overall + 1e-9)


@FEW
@given(episodes(), st.data())
def test_nothing_that_goes_missing_raises_the_worst_case(records: list[EpisodeRecord], data: st.DataObject) -> None:
    ended = [index for index, record in enumerate(records) if kind(record) != "unfinished"]
    if not ended:
        return
    index = data.draw(st.sampled_from(ended))
    lost = data.draw(st.sampled_from([Outcome.USER_INVALID, Outcome.SUPPORTER_EMPTY]))
    changed = records[index].model_copy(update={"outcome": lost, "judgements": ()})
    before, after = quick(records, "worst"), quick([*records[:index], changed, *records[index + 1 :]], "worst")

    assert before.overall is not None
    assert after.overall is not None
    assert after.overall <= before.overall + 1e-9


@FEW
@given(episodes(), st.integers(0, 12), st.sampled_from(get_args(Failures)))
def test_the_denominators_add_up(records: list[EpisodeRecord], more: int, failures: Failures) -> None:
    row = quick(records, failures, a=len(records) + more)

    counts = row.counts.model_dump()
    assert counts.pop("planned") == sum(counts.values()) == len(records) + more
    assert sum(row.outcomes.values()) == len(records)
    assert row.n <= row.counts.scored + row.counts.failed + (failures == "worst") * len(records)


def kind(record: EpisodeRecord) -> str:
    (entry,) = sample([record]).entries
    return entry.kind
