"""The personal effect: both arms, one judge, what cancels out, and what is none."""

from collections.abc import Sequence

import pytest
from helpers.rated import FAST, episode, rated

from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.statistics.personal import PersonalEffect, effects_of, personal_effects
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Judgement

BOUND = FAST.model_copy(update={"bound": 0.25})


def arms(own: tuple[int, int], other: tuple[int, int], *, judge: str = "j") -> list[Judgement]:
    """As oneself twice and as another once, each as (general, tailored)."""
    mine = [rated(general=own[0], tailored=own[1], own=False, judge=judge, with_log=False, repeat=i) for i in (0, 1)]
    theirs = rated(
        general=other[0], tailored=other[1], own=False, judge=judge, with_log=False, control="person", other="P9"
    )
    return [*mine, theirs]


def one(*judgements: Judgement, profile: str = "P1") -> EpisodeRecord:
    return episode("a", Outcome.TURN_CAP, rated(5), *judgements, profile=profile)


def effect(records: Sequence[EpisodeRecord]) -> PersonalEffect:
    (found,) = personal_effects([item for record in records for item in effects_of(record)], ["a"], BOUND)
    return found


def test_the_effect_is_what_tailored_loses_more_than_general_when_rated_as_another() -> None:
    found = effect([one(*arms((4, 4), (4, 2)))])

    assert (found.effect, found.n, found.control) == (2, 1, "person")


def test_a_harsher_rater_makes_no_effect() -> None:
    harsh = [one(*arms((4, 4), (2, 2)), profile=f"P{index}") for index in range(6)]
    found = effect(harsh)

    assert (found.effect, found.effect_ci) == (0, (0, 0))
    assert found.equivalence is not None
    assert found.equivalence.equivalent


def test_an_effect_that_scatters_is_not_shown_to_be_none() -> None:
    records = [one(*arms((4, 4), (4, 4 - index % 3)), profile=f"P{index}") for index in range(9)]
    found = effect(records)

    assert found.effect == pytest.approx(1)
    assert found.effect_ci is not None
    assert found.effect_ci[0] > 0
    assert found.equivalence is not None
    assert not found.equivalence.equivalent


def test_the_noise_floor_is_the_difference_of_two_ratings_as_oneself() -> None:
    again = [
        rated(general=4, tailored=4, own=False, with_log=False),
        rated(general=4, tailored=3, own=False, with_log=False, repeat=1),
        rated(general=4, tailored=3, own=False, with_log=False, control="person", other="P9"),
    ]
    found = effect([one(*again)])

    assert (found.floor, found.floor_size, found.floor_n) == (1, 1, 1)
    assert found.effect == pytest.approx(0.5)


def test_arms_of_two_judges_are_never_mixed() -> None:
    mine = arms((4, 4), (4, 2), judge="k")
    record = one(*mine[:2], *arms((5, 5), (5, 4), judge="l")[2:])

    assert list(effects_of(record)) == []


def test_the_rating_with_the_log_is_no_arm() -> None:
    other = rated(2, own=False, with_log=False, control="person", other="P9")

    assert list(effects_of(one(other))) == []


def test_a_replay_compares_the_two_replayed_logs() -> None:
    mine = rated(general=4, tailored=4, own=False, control="replay")
    theirs = rated(general=4, tailored=3, own=False, control="replay", other="P9")
    found = effect([one(mine, theirs)])

    assert (found.control, found.effect, found.floor) == ("replay", 1, None)


def test_a_missing_group_mean_is_missing_and_never_an_effect_of_0() -> None:
    theirs = rated(3, own=False, with_log=False, control="person", other="P9", empathy=None, clarity=None)
    found = effect([one(rated(4, own=False, with_log=False), theirs)])

    assert (found.effect, found.n) == (None, 0)
