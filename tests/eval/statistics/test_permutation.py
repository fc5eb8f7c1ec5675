"""Tests of paired differences: exact where they can be, never 0 where they cannot."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emoharbor.eval.statistics.arrays import FloatArray
from emoharbor.eval.statistics.permutation import TestResult, sign_flip, sign_flip_pairs, wilcoxon

FEW = settings(max_examples=25)

differences = st.lists(st.integers(-20, 20), min_size=1, max_size=9).map(lambda found: np.array(found) / 4)


def by_hand(d: FloatArray) -> float:
    sums = [abs(np.dot(signs, d)) for signs in product((-1, 1), repeat=d.size)]
    return float(np.mean([value >= abs(d.sum()) - 1e-9 for value in sums]))


def found(d: FloatArray, **how: object) -> TestResult:
    result = sign_flip(d, **how)  # type: ignore[arg-type]  # options as the tests write them
    assert result is not None
    return result


@FEW
@given(d=differences)
def test_p_is_the_share_of_sign_vectors_at_least_as_extreme(d: FloatArray) -> None:
    assert found(d).p == pytest.approx(by_hand(d))


@FEW
@given(d=differences, seed=st.integers(0, 9), scale=st.sampled_from([-1.0, 0.1, 7.0]))
def test_order_sign_and_scale_of_the_differences_do_not_matter(d: FloatArray, seed: int, scale: float) -> None:
    assert found(scale * np.random.default_rng(seed).permutation(d)).p == pytest.approx(found(d).p)


def test_many_differences_on_a_grid_are_exact_too_and_monte_carlo_agrees() -> None:
    d = np.random.default_rng(0).integers(-8, 11, 60) / 8
    exact, sampled = found(d, method="exact"), found(d, resamples=20_000)
    assert (exact.method, sampled.method) == ("exact", "monte_carlo")
    assert sampled.p == pytest.approx(exact.p, abs=4 * (exact.p / 20_000) ** 0.5)


def test_the_grid_and_full_enumeration_agree() -> None:
    d = np.random.default_rng(1).integers(1, 9, 16) * np.tile([1.0, -0.5], 8)
    assert found(d, method="exact").p == pytest.approx(by_hand(d))


def test_a_monte_carlo_p_is_never_zero_and_repeats_with_its_seed() -> None:
    one = found(np.full(50, 3.0), resamples=999)
    assert one.p == 1 / 1000
    assert one == found(np.full(50, 3.0), resamples=999)


def test_missing_pairs_are_left_out_and_ties_stay_in() -> None:
    result = found(np.array([1.0, np.nan, 0.0, 2.0]))
    assert (result.n, result.nonzero, result.p) == (3, 2, 0.5)
    assert sign_flip(np.array([np.nan])) is None
    assert found(np.zeros(4)).p == 1


def test_an_exact_test_of_many_differences_off_any_grid_is_refused() -> None:
    with pytest.raises(ValueError, match="grid"):
        sign_flip(np.random.default_rng(0).normal(size=40), method="exact")


def test_all_pairs_agree_with_one_by_one() -> None:
    x = np.random.default_rng(2).integers(0, 9, (12, 3)).astype(float)
    x[0, 1] = np.nan
    x = np.column_stack([x, np.full(12, np.nan)])
    table = sign_flip_pairs(x)
    assert table[0, 1] == table[1, 0] == pytest.approx(found(x[:, 0] - x[:, 1]).p)
    assert np.isnan(table[0, 0])
    assert np.isnan(table[:, 3]).all()
    assert sign_flip_pairs(x[:, :1]).shape == (1, 1)


def test_wilcoxon_reads_ranks_and_drops_ties() -> None:
    result = wilcoxon(np.array([1.0, 2, 3, 4, -5, 0, np.nan]))
    assert result is not None
    assert (result.n, result.nonzero, result.statistic) == (6, 5, 5.0)
    assert 0 < result.p <= 1
    nothing = wilcoxon(np.zeros(3))
    assert nothing is not None
    assert nothing.p == 1
    assert wilcoxon(np.array([np.nan])) is None
