"""The leaderboard: what is averaged, over which episodes, and what is never turned into a number."""

from collections.abc import Iterable

import pytest

from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.statistics.leaderboard import Failures, Leaderboard, Scale, SupporterRow, leaderboard
from emoharbor.nodes.rubric import load_rubric
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Judgement, Rating

RUBRIC = load_rubric()
SCALE = Scale(rubric=RUBRIC.id, low=1, high=5, groups={item.id: item.group for item in RUBRIC.dimensions})


def rated(score: int | None = 3, **by_dimension: int | None) -> Judgement:
    """A judgement with one score for all dimensions but those named."""
    ratings = tuple(
        Rating(dimension=item.id, group=item.group, score=by_dimension.get(item.id, score), reason="because")
        for item in RUBRIC.dimensions
    )
    return Judgement(judge="j", rubric=RUBRIC.id, ratings=ratings, scores=RUBRIC.scores(ratings))


def unread() -> Judgement:
    return Judgement(judge="j", rubric=RUBRIC.id, unscored="cut off")


def episode(
    supporter: str = "a", outcome: Outcome | None = Outcome.TURN_CAP, *judgements: Judgement, profile: str = "P010"
) -> EpisodeRecord:
    return EpisodeRecord(
        episode=f"{profile}/{supporter}/0", profile=profile, supporter=supporter, repeat=0, outcome=outcome,
        outcome_reason="", turns=(), judgements=judgements,
    )  # fmt: skip


def table(records: Iterable[EpisodeRecord], failures: Failures = "lowest", **planned: int) -> Leaderboard:
    return leaderboard(records, SCALE, planned, failures)


def only(records: Iterable[EpisodeRecord], failures: Failures = "lowest", **planned: int) -> SupporterRow:
    (row,) = table(records, failures, **planned).supporters
    return row


def test_means_are_plain_and_overall_runs_from_0_to_100() -> None:
    row = only([episode("a", Outcome.TURN_CAP, rated(5)), episode("a", Outcome.STALE, rated(3))])

    assert (row.n, row.overall, row.general, row.tailored, row.gap) == (2, 75, 4, 4, 0)
    assert row.dimensions == dict.fromkeys(SCALE.groups, 4)
    assert (row.overall_ci, row.personal_effect, row.rank_ci) == (None, None, None)


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
    as_another = rated(1).model_copy(update={"counterfactual": "P035"})

    assert only([episode("a", Outcome.TURN_CAP, rated(5), as_another)]).overall == 100


def test_an_episode_that_was_rated_twice_counts_once() -> None:
    twice = rated(1).model_copy(update={"repeat": 1})

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
    found = leaderboard([episode("a", Outcome.SUPPORTER_ERROR)], None, {"a": 1})

    assert found.rubric is None
    assert found.supporters[0].overall is None
    assert found.supporters[0].counts.failed == 1


def test_a_rubric_without_the_two_groups_has_no_gap_for_failures_either() -> None:
    plain = Scale(rubric="mine/1", low=0, high=10, groups={"warmth": None})

    (row,) = leaderboard([episode("a", Outcome.SUPPORTER_ERROR)], plain, {}).supporters
    assert (row.overall, row.general, row.tailored, row.gap, row.dimensions) == (0, None, None, None, {"warmth": 0})
