"""Sizes of a difference, what so many people can show, and when there is none."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from emoharbor.eval.statistics.arrays import FloatArray
from emoharbor.eval.statistics.effects import Effect, effect
from emoharbor.eval.statistics.equivalence import equivalence
from emoharbor.eval.statistics.power import profiles_needed, smallest_difference

FEW = settings(max_examples=25)

differences = st.lists(st.integers(-9, 9), min_size=3, max_size=30).map(lambda found: np.array(found, dtype=float))


def sizes(d: FloatArray) -> Effect:
    found = effect(d)
    assert found is not None
    return found


def test_an_effect_by_hand() -> None:
    found = sizes(np.array([3.0, 1.0, 0.0, -2.0, np.nan]))
    assert (found.n, found.wins, found.ties, found.losses) == (4, 2, 1, 1)
    assert found.mean == 0.5
    assert found.dz == pytest.approx(0.5 / np.std([3, 1, 0, -2], ddof=1))
    assert found.rank_biserial == pytest.approx((3 + 1 - 2) / 6)


@FEW
@given(d=differences, scale=st.sampled_from([0.1, 5.0]))
def test_the_other_way_round_an_effect_is_the_same_with_another_sign(d: FloatArray, scale: float) -> None:
    one, other = sizes(d), sizes(-scale * d)
    assert (one.wins, one.ties, one.losses) == (other.losses, other.ties, other.wins)
    if one.dz is not None:
        assert other.dz == pytest.approx(-one.dz)
    if one.rank_biserial is not None:
        assert -1 <= one.rank_biserial <= 1
        assert other.rank_biserial == pytest.approx(-one.rank_biserial)


def test_equal_differences_have_no_standardised_size_and_ties_no_ranks() -> None:
    assert sizes(np.full(5, 0.1)).dz is None
    assert sizes(np.full(5, 0.1)).rank_biserial == 1
    assert sizes(np.zeros(5)).rank_biserial is None
    assert sizes(np.array([2.0])).sd is None
    assert effect(np.array([np.nan])) is None


def test_the_smallest_difference_agrees_with_published_power_tables() -> None:
    # Cohen 1988: a paired t test finds dz = 0.5 with power 0.80 in 34 pairs, 0.2 in 199
    assert profiles_needed(0.5, 1) == 34
    assert profiles_needed(0.2, 1) == 199
    assert smallest_difference(1, 34) == pytest.approx(0.495, abs=0.003)


@FEW
@given(sd=st.floats(0.1, 50), n=st.integers(3, 300))
def test_needed_people_and_smallest_difference_undo_each_other(sd: float, n: int) -> None:
    smallest = smallest_difference(sd, n)
    assert smallest is not None
    assert profiles_needed(smallest * (1 + 1e-9), sd) == n
    assert smallest_difference(2 * sd, n) == pytest.approx(2 * smallest)
    more = smallest_difference(sd, n + 1)
    assert more is not None
    assert more < smallest


def test_what_no_number_of_people_can_show_is_none() -> None:
    assert profiles_needed(0, 1) is None
    assert profiles_needed(1e-9, 10) is None
    assert smallest_difference(1, 1) is None
    assert smallest_difference(0, 5) == 0


@FEW
@given(d=differences, bound=st.floats(0.1, 20))
def test_equivalence_by_p_and_by_interval_agree(d: FloatArray, bound: float) -> None:
    found = equivalence(d, bound)
    assert found is not None
    assume(abs(found.p - 0.05) > 1e-6)
    assert found.equivalent == (found.p < 0.05)
    assert found.interval.level == pytest.approx(0.9)


def test_no_significance_is_no_equivalence() -> None:
    noisy = np.array([-30.0, 25.0, 10.0, -12.0, 8.0])
    found = equivalence(noisy, bound=5)
    assert found is not None
    assert not found.equivalent
    steady = equivalence(np.tile([0.5, -0.5], 50), bound=1)
    assert steady is not None
    assert steady.equivalent


def test_equivalence_needs_two_pairs_and_a_bound() -> None:
    assert equivalence(np.array([1.0, np.nan]), 1) is None
    with pytest.raises(ValueError, match="bound"):
        equivalence(np.zeros(5), 0)
