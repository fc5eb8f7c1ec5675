"""Many pairs at once, and the ranks they leave open."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from emoharbor.eval.statistics.arrays import FloatArray
from emoharbor.eval.statistics.multiple import holm, holm_pairs
from emoharbor.eval.statistics.ranks import (
    RankLimits,
    alike_neighbours,
    rank_intervals,
    rank_limits,
    rank_rows,
    share_first,
)

FEW = settings(max_examples=25)

families = arrays(np.float64, st.integers(1, 12), elements=st.floats(0, 1))
ONES = np.ones((3, 3))


def test_holm_by_hand() -> None:
    assert holm(np.array([0.01, 0.04, 0.03, np.nan])) == pytest.approx([0.03, 0.06, 0.06, np.nan], nan_ok=True)


@FEW
@given(p=families, seed=st.integers(0, 9))
def test_holm_keeps_order_never_lowers_and_does_not_mind_the_order_of_tests(p: FloatArray, seed: int) -> None:
    corrected = holm(p)
    assert (corrected >= p).all()
    assert (corrected <= 1).all()
    assert (np.diff(corrected[np.argsort(p, kind="stable")]) >= 0).all()
    order = np.random.default_rng(seed).permutation(p.size)
    assert (holm(p[order]) == corrected[order]).all()
    assert (corrected <= np.minimum(1, p * p.size)).all()  # never more than Bonferroni asks


def test_each_pair_of_a_table_counts_once() -> None:
    p = np.array([[np.nan, 0.01, 0.5], [0.01, np.nan, 0.02], [0.5, 0.02, np.nan]])
    corrected = holm_pairs(p)
    assert corrected[0] == pytest.approx([np.nan, 0.03, 0.5], nan_ok=True)
    assert corrected[1, 2] == corrected[2, 1] == pytest.approx(0.04)


def test_ranks_average_ties_and_leave_the_unknown_out() -> None:
    assert rank_rows(np.array([[3.0, 5.0, 3.0, np.nan]]))[0] == pytest.approx([2.5, 1, 2.5, np.nan], nan_ok=True)


@FEW
@given(x=arrays(np.float64, (4, 5), elements=st.integers(0, 3).map(float)))
def test_ranks_of_a_row_add_up_and_only_order_matters(x: FloatArray) -> None:
    ranks = rank_rows(x)
    assert (ranks.sum(axis=1) == 15).all()
    assert (rank_rows(10 * x + 3) == ranks).all()
    assert (rank_rows(-x) == 6 - ranks).all()


def test_rank_intervals_and_firsts_come_from_the_draws() -> None:
    draws = np.array([[3.0, 2.0, 1.0]] * 90 + [[2.0, 3.0, 1.0]] * 10)
    first, _, last = rank_intervals(draws)
    assert first is not None
    assert last is not None
    assert (first.low, first.high) == (1, 2)
    assert (last.low, last.high) == (3, 3)
    assert list(share_first(draws)) == [0.9, 0.1, 0]


def test_rank_limits_count_only_what_the_tests_show() -> None:
    means, p = np.array([70.0, 60.0, 50.0]), ONES.copy()
    p[0, 2] = p[2, 0] = 0.01
    assert rank_limits(means, p) == (
        RankLimits(best=1, worst=2),
        RankLimits(best=1, worst=3),
        RankLimits(best=2, worst=3),
    )
    assert alike_neighbours(means, p) == ((0, 1), (1, 2))
    p[0, 1] = p[1, 0] = 0.049
    assert alike_neighbours(means, p) == ((1, 2),)
    assert alike_neighbours(means, p, alpha=0.01) == ((0, 1), (1, 2))


def test_without_evidence_every_rank_stays_open() -> None:
    limits = rank_limits(np.array([3.0, 2.0, 1.0]), np.full((3, 3), np.nan))
    assert limits == (RankLimits(best=1, worst=3),) * 3


def test_a_supporter_without_a_mean_has_no_rank_and_takes_none() -> None:
    limits = rank_limits(np.array([3.0, np.nan, 1.0]), np.where(np.eye(3) > 0, np.nan, 0.001))
    assert limits == (RankLimits(best=1, worst=1), None, RankLimits(best=2, worst=2))
    assert alike_neighbours(np.array([3.0, np.nan, 1.0]), ONES) == ((0, 2),)
