"""Agreement of raters: against other implementations, textbook figures, and what must hold of any measure."""

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from emoharbor.eval.statistics.agreement import Measurement, alpha_draws, krippendorff_alpha, weighted_kappa
from emoharbor.eval.statistics.arrays import FloatArray

FEW = settings(max_examples=25)
SCALE = (1, 2, 3, 4, 5)
LEVELS: tuple[Measurement, ...] = ("nominal", "ordinal", "interval")
NAN = np.nan
# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section E
KRIPPENDORFF = np.array([
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
])  # fmt: skip
tables = arrays(np.float64, (3, 12), elements=st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0, NAN]))


def noisy(spread: float, raters: int = 3, units: int = 200) -> FloatArray:
    rng = np.random.default_rng(0)
    return np.clip(np.round(rng.normal(3, 1.2, units) + rng.normal(0, spread, (raters, units))), 1, 5)


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_the_published_example(level: Measurement, published: float) -> None:
    found = krippendorff_alpha(KRIPPENDORFF, SCALE, measurement=level, resamples=200)
    assert found.value == pytest.approx(published, abs=5e-4)
    assert (found.n, found.raters) == (11, 4)
    assert found.interval is not None
    assert found.interval.low < published < found.interval.high


@pytest.mark.parametrize("level", LEVELS)
@FEW
@given(ratings=tables)
def test_the_resampled_alpha_is_the_packages_when_everybody_is_drawn_once(
    level: Measurement, ratings: FloatArray
) -> None:
    counts = (ratings[:, :, None] == np.array(SCALE)).sum(axis=0)
    counts = counts[counts.sum(axis=1) > 1]
    if (counts.sum(axis=0) > 0).sum() < 2:
        return
    values = np.array(SCALE, dtype=float)
    ours = alpha_draws(counts, values, level, np.arange(len(counts)), np.ones((1, len(counts))))[0]
    theirs = krippendorff.alpha(value_counts=counts, value_domain=values, level_of_measurement=level)
    assert ours == pytest.approx(theirs)


@FEW
@given(ratings=tables, seed=st.integers(0, 9))
def test_neither_the_order_of_raters_nor_of_units_matters(ratings: FloatArray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(rng.permutation(ratings, axis=0), axis=1)
    one, other = (krippendorff_alpha(found, SCALE, resamples=10).value for found in (ratings, shuffled))
    assert one == (other if other is None else pytest.approx(other))


@FEW
@given(rating=arrays(np.float64, 15, elements=st.integers(1, 5).map(float)))
def test_identical_raters_agree_fully_unless_they_never_differ(rating: FloatArray) -> None:
    varies = bool(np.ptp(rating) > 0)
    alpha = krippendorff_alpha(np.stack([rating, rating]), SCALE, resamples=20)
    kappa = weighted_kappa(rating, rating, SCALE, resamples=20)
    for value in (alpha.value, kappa.value):
        assert value == (pytest.approx(1) if varies else None)
    assert kappa.observed == pytest.approx(1)


def test_units_of_one_person_are_resampled_together() -> None:
    # ten people rated ten times each, all alike: only ten things were seen
    ratings = np.repeat(noisy(1.0, 2, 10), 10, axis=1)
    apart = krippendorff_alpha(ratings, SCALE, resamples=300).interval
    together = krippendorff_alpha(ratings, SCALE, cluster=np.repeat(np.arange(10), 10), resamples=300).interval
    assert apart is not None
    assert together is not None
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_less_noise_is_more_agreement() -> None:
    values = [krippendorff_alpha(noisy(spread), SCALE, resamples=10).value or 0 for spread in (0.2, 0.8, 2.0)]
    assert values == sorted(values, reverse=True)


def test_what_nobody_rated_twice_has_no_alpha() -> None:
    assert krippendorff_alpha(np.array([[1, NAN], [NAN, 5]]), SCALE).value is None
    assert krippendorff_alpha(np.empty((2, 0)), SCALE).n == 0


def test_weighted_kappa_by_hand() -> None:
    # 2 x 2: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: Cohen's kappa 0.4
    first = np.repeat([1.0, 1.0, 0.0, 0.0], [20, 5, 10, 15])
    second = np.repeat([1.0, 0.0, 1.0, 0.0], [20, 5, 10, 15])
    for weights in ("none", "linear", "quadratic"):  # with two categories all weights are the same
        found = weighted_kappa(first, second, (0, 1), weights=weights, resamples=200)
        assert found.value == pytest.approx(0.4)
        assert (found.first, found.second) == ((0.5, 0.5), (0.4, 0.6))
        assert found.interval is not None
        assert found.interval.low < 0.4 < found.interval.high


def test_quadratic_weights_forgive_small_distances() -> None:
    first, second = noisy(0.5, 2)
    plain, linear, quadratic = (
        weighted_kappa(first, second, SCALE, weights=weights, resamples=10).value or 0
        for weights in ("none", "linear", "quadratic")
    )
    assert plain < linear < quadratic


def test_missing_pairs_are_left_out_of_kappa() -> None:
    found = weighted_kappa(np.array([1, 2, NAN, 4]), np.array([1, NAN, 3, 5]), SCALE, resamples=10)
    assert found.n == 2
    nobody = weighted_kappa(np.array([NAN]), np.array([1.0]), SCALE, resamples=10)
    assert (nobody.value, nobody.n, nobody.observed) == (None, 0, None)


def test_a_rating_off_the_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="categories"):
        krippendorff_alpha(np.array([[6.0, 1], [1, 1]]), SCALE)
    with pytest.raises(ValueError, match="categories"):
        weighted_kappa(np.array([1.5]), np.array([1.0]), SCALE)


def test_one_unit_has_no_agreement_and_few_have_no_interval() -> None:
    first, second = np.array([1.0, 2, 4, 5]), np.array([1.0, 3, 4, 4])
    one = (first[:1], second[:1] + 1)

    assert weighted_kappa(*one, SCALE, resamples=10).value is None
    assert krippendorff_alpha(np.stack(one), SCALE, resamples=10).value is None
    few = weighted_kappa(first, second, SCALE, resamples=10)
    assert few.value is not None
    assert few.interval is None
    # many ratings of few people are few
    clustered = krippendorff_alpha(
        np.tile(np.stack([first, second]), 5), SCALE, cluster=np.tile(np.arange(4), 5), resamples=10
    )
    assert clustered.value is not None
    assert clustered.interval is None
