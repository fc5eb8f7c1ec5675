"""Resampled people: repeats stay together, missing stays missing, intervals say how they were made."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from emoharbor.eval.statistics.arrays import FloatArray, cell_counts, cell_means, column_means
from emoharbor.eval.statistics.bootstrap import (
    Estimate,
    Interval,
    Method,
    draw_means,
    draw_weights,
    interval_of,
    mean_estimate,
    mean_estimates,
    paired_difference,
    t_interval,
)

FEW = settings(max_examples=25)

METHODS: tuple[Method, ...] = ("expanded", "percentile", "bca", "t")
samples = arrays(np.float64, st.integers(5, 40), elements=st.integers(0, 100).map(float))


def ends(found: Estimate) -> tuple[float, float]:
    assert found.interval is not None
    return found.interval.low, found.interval.high


def test_repeats_are_averaged_within_their_person_first() -> None:
    values = np.array([0.0, 0.0, 0.0, 100.0, np.nan])
    profile, column = np.array([0, 0, 0, 1, 2]), np.zeros(5, dtype=np.int64)
    means = cell_means(values, profile, column, (3, 1))
    assert list(means[:2, 0]) == [0, 100]
    assert np.isnan(means[2, 0])
    assert list(cell_counts(values, profile, column, (3, 1))[:, 0]) == [3, 1, 0]
    assert column_means(means)[0] == 50


def test_weights_draw_as_many_people_as_there_are() -> None:
    weights = draw_weights(7, 50, seed=1)
    assert weights.shape == (50, 7)
    assert (weights.sum(axis=1) == 7).all()
    assert (weights == draw_weights(7, 50, seed=1)).all()
    assert (weights != draw_weights(7, 50, seed=2)).any()


def test_means_of_a_resample_are_those_of_the_people_in_it() -> None:
    x = np.array([[1.0, 10.0], [2.0, np.nan], [3.0, 30.0]])
    drawn = np.array([[2.0, 0.0, 1.0], [0.0, 3.0, 0.0]])
    means = draw_means(x, drawn)
    assert means[0] == pytest.approx([5 / 3, 50 / 3])
    assert means[1, 0] == 2
    assert np.isnan(means[1, 1])


@pytest.mark.parametrize("method", METHODS)
@FEW
@given(x=samples)
def test_an_interval_holds_the_mean_and_stays_on_the_scale_unless_it_is_t(method: Method, x: FloatArray) -> None:
    found = mean_estimate(x, method=method, resamples=300)
    low, high = ends(found)
    assert found.value is not None
    slack = 1e-9 * 100
    if method == "t":
        assert low - slack <= found.value <= high + slack
    else:
        assert x.min() - slack <= low <= high <= x.max() + slack


@FEW
@given(x=samples, shift=st.integers(-50, 50), scale=st.sampled_from([-2.0, 0.5, 3.0]))
def test_intervals_move_and_stretch_with_the_scores(x: FloatArray, shift: int, scale: float) -> None:
    weights = draw_weights(x.size, 200)
    low, high = ends(mean_estimate(x, weights=weights))
    moved = ends(mean_estimate(scale * x + shift, weights=weights))
    assert sorted(moved) == pytest.approx(sorted((scale * low + shift, scale * high + shift)))


@FEW
@given(x=samples, seed=st.integers(0, 5))
def test_the_order_of_people_changes_neither_the_mean_nor_the_t_interval(x: FloatArray, seed: int) -> None:
    shuffled = np.random.default_rng(seed).permutation(x)
    one, other = mean_estimate(x, method="t"), mean_estimate(shuffled, method="t")
    assert one.value == pytest.approx(other.value)
    assert ends(one) == pytest.approx(ends(other))


@FEW
@given(x=samples)
def test_a_higher_level_gives_a_wider_interval(x: FloatArray) -> None:
    weights = draw_weights(x.size, 200)
    narrow, wide = (ends(mean_estimate(x, level=level, weights=weights)) for level in (0.8, 0.95))
    assert wide[0] <= narrow[0]
    assert narrow[1] <= wide[1]


def test_few_people_widen_the_percentile_interval_about_as_t_does() -> None:
    x = np.random.default_rng(0).normal(50, 10, 12)
    plain, wide, t = (
        np.ptp(ends(mean_estimate(x, method=method, resamples=20_000))) for method in ("percentile", "expanded", "t")
    )
    assert plain < 0.92 * t
    assert wide == pytest.approx(t, rel=0.06)


def test_a_skewed_sample_gets_a_skewed_bca_interval() -> None:
    x = np.random.default_rng(0).exponential(10, 60)
    low, high = ends(mean_estimate(x, method="bca", resamples=5_000))
    plain = ends(mean_estimate(x, method="percentile", resamples=5_000))
    assert low > plain[0]
    assert high > plain[1]


def test_pairs_rest_on_the_people_that_both_have() -> None:
    a, b = np.array([1.0, 2.0, np.nan, 4.0]), np.array([0.0, np.nan, 5.0, 2.0])
    found = paired_difference(a, b, resamples=100)
    assert found.n == 2
    assert found.value == 1.5


def test_one_person_gives_a_mean_and_no_interval_and_none_gives_nothing() -> None:
    one, nobody = mean_estimates(np.array([[5.0, np.nan], [np.nan, np.nan]]), resamples=100)
    assert one == Estimate(value=5.0, interval=None, n=1)
    assert nobody == Estimate(value=None, interval=None, n=0)
    assert t_interval(np.array([5.0, np.nan])) is None
    assert mean_estimate(np.array([])) == nobody


def test_an_interval_says_how_it_was_made() -> None:
    found = mean_estimate(np.arange(10.0), resamples=150, seed=(3, 4)).interval
    assert found is not None
    assert (found.method, found.resamples, found.seed, found.level) == ("bootstrap expanded", 150, (3, 4), 0.95)
    assert Interval.model_validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize("method", ["t", "bca"])
def test_an_interval_that_draws_alone_cannot_give_is_refused(method: Method) -> None:
    with pytest.raises(ValueError, match="interval"):
        interval_of(np.arange(10.0), 10, method=method)
