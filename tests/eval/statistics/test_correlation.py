"""Correlations: scipy's figures, whatever is resampled; and whether dimensions form groups or one halo."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats  # type: ignore[import-untyped]  # scipy has no types

from emoharbor.eval.statistics.arrays import FloatArray
from emoharbor.eval.statistics.correlation import Kind, agreement_of_means, correlation, weighted
from emoharbor.eval.statistics.groups import GroupCheck, group_check

FEW = settings(max_examples=25)
KINDS: tuple[Kind, ...] = ("pearson", "spearman", "kendall")
THEIRS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
pairs = arrays(np.float64, (2, 14), elements=st.integers(0, 5).map(float))
GROUPS = ("general",) * 3 + ("tailored",) * 3


@pytest.mark.parametrize("kind", KINDS)
@FEW
@given(xy=pairs, seed=st.integers(0, 9))
def test_a_resample_has_scipys_correlation_of_the_values_in_it(kind: Kind, xy: FloatArray, seed: int) -> None:
    weights = np.random.default_rng(seed).multinomial(14, np.full(14, 1 / 14), size=2).astype(float)
    for found, row in zip(weighted(kind, xy[0], xy[1], weights), weights, strict=True):
        x, y = (np.repeat(side, row.astype(int)) for side in xy)
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            assert np.isnan(found)
        else:
            assert found == pytest.approx(THEIRS[kind](x, y).statistic)


@pytest.mark.parametrize("kind", KINDS)
def test_value_p_and_interval(kind: Kind) -> None:
    x = np.random.default_rng(0).normal(size=40)
    y = x + np.random.default_rng(1).normal(size=40)
    found, theirs = correlation(x, y, kind=kind), THEIRS[kind](x, y)
    assert found.value == pytest.approx(theirs.statistic)
    assert found.p == pytest.approx(theirs.pvalue)
    assert found.interval is not None
    assert found.value is not None
    assert -1 < found.interval.low < found.value < found.interval.high < 1


def test_pearsons_interval_is_fishers() -> None:
    x = np.random.default_rng(0).normal(size=30)
    y = x + np.random.default_rng(1).normal(size=30)
    theirs = stats.pearsonr(x, y).confidence_interval()
    found = correlation(x, y, kind="pearson").interval
    assert found is not None
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))


def test_few_values_get_an_exact_p() -> None:
    x = np.array([1.0, 2, 3, 4, 5, 6])
    assert correlation(x, x).p == pytest.approx(2 / 720)
    assert correlation(x, x).interval is None


def test_values_of_one_person_are_resampled_together_and_not_tested_as_if_independent() -> None:
    rng = np.random.default_rng(0)
    x = np.repeat(rng.normal(size=12), 10)
    y = np.repeat(rng.normal(size=12), 10) + x
    cluster = np.repeat(np.arange(12), 10)
    apart, together = correlation(x, y), correlation(x, y, cluster=cluster, resamples=500)
    assert together.p is None
    assert together.value == apart.value
    assert together.interval is not None
    assert apart.interval is not None
    assert together.interval.high - together.interval.low > 1.5 * (apart.interval.high - apart.interval.low)


def test_too_few_values_or_no_variance_give_no_correlation() -> None:
    assert correlation(np.array([1.0, 2, np.nan]), np.array([1.0, 2, 3])).value is None
    assert correlation(np.ones(9), np.arange(9.0)).value is None


def test_means_that_move_together_agree_whatever_their_level() -> None:
    rng = np.random.default_rng(0)
    level = np.arange(8.0)
    a = level * 3 + rng.normal(size=(50, 8)) + rng.normal(size=(50, 1))
    b = level * 2 + 40 + rng.normal(size=(50, 8))
    found = agreement_of_means(a, b, resamples=300)
    assert found.value == 1
    assert found.n == 8
    assert found.interval is not None
    assert found.interval.low > 0.9


def rated(loading: float, halo: float, m: int = 400) -> FloatArray:
    """Six dimensions, two groups of three: what a group has in common, what all have, and noise."""
    rng = np.random.default_rng(0)
    group = np.repeat(rng.normal(size=(m, 2)), 3, axis=1)
    return loading * group + halo * rng.normal(size=(m, 1)) + rng.normal(size=(m, 6))


def check(scores: FloatArray, **how: object) -> GroupCheck:
    found = group_check(scores, GROUPS, resamples=200, **how)  # type: ignore[arg-type]  # options as the tests write them
    assert found is not None
    return found


def test_two_groups_are_found_where_there_are_two() -> None:
    found = check(rated(1.5, 0.5))
    assert found.two_groups
    assert found.factors == 2
    assert found.within is not None
    assert found.between is not None
    assert found.within > found.between + 0.3


def test_a_halo_is_one_factor_and_no_groups() -> None:
    found = check(rated(0, 2))
    assert not found.two_groups
    assert found.factors == 1
    assert found.first_share is not None
    assert found.first_share > 0.7


def test_noise_has_no_factor() -> None:
    found = check(rated(0, 0))
    assert found.factors == 0
    assert not found.two_groups


def test_correlations_rest_on_the_rows_that_have_both() -> None:
    x = rated(1, 0)
    x[:100, 0] = np.nan
    found = check(x)
    assert (found.n, found.least) == (400, 300)
    assert found.correlations[0][1] == pytest.approx(np.corrcoef(x[100:, 0], x[100:, 1])[0, 1])
    assert found.correlations[0][0] == 1


def test_good_supporters_are_no_halo_once_their_means_are_taken_off() -> None:
    supporter = np.repeat(np.arange(4), 100)
    x = rated(0, 0) + 5 * supporter[:, None]
    assert check(x).factors == 1
    assert check(x, stratum=supporter).factors == 0


def test_a_dimension_without_variance_has_no_correlation_and_nothing_is_claimed() -> None:
    x = rated(1.5, 0)
    x[:, 0] = 3
    found = check(x)
    assert found.correlations[0][1] is None
    assert found.within is None
    assert not found.two_groups
    assert group_check(x[:2], GROUPS) is None
