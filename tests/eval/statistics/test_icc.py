"""Intraclass correlations and split halves: published figures, and what must hold of any table."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from emoharbor.eval.statistics.arrays import FloatArray
from emoharbor.eval.statistics.icc import Form, icc, stepped_up
from emoharbor.eval.statistics.split_half import split_half

FEW = settings(max_examples=25)
# Shrout and Fleiss 1979, table 2: six targets, four judges; table 4 and section "confidence intervals"
SHROUT = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float)
PUBLISHED: dict[Form, float] = {"1,1": 0.17, "2,1": 0.29, "3,1": 0.71, "1,k": 0.44, "2,k": 0.62, "3,k": 0.91}
tables = arrays(np.float64, (6, 3), elements=st.integers(0, 20).map(float), unique=True)


@pytest.mark.parametrize(("form", "published"), PUBLISHED.items())
def test_the_published_example(form: Form, published: float) -> None:
    found = icc(SHROUT)[form]
    assert found.value == pytest.approx(published, abs=0.005)
    assert (found.n, found.k) == (6, 4)


@pytest.mark.parametrize(
    ("form", "low", "high"),
    # as psych::ICC in R prints them for the same table
    [
        ("1,1", -0.133, 0.723),
        ("2,1", 0.019, 0.761),
        ("3,1", 0.342, 0.946),
        ("2,k", 0.071, 0.927),
        ("3,k", 0.676, 0.986),
    ],
)
def test_the_published_intervals(form: Form, low: float, high: float) -> None:
    found = icc(SHROUT)[form].interval
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.0015)


HARDLY_A_DEGREE = np.array(
    [[11.0, 1.0, 19.0], [10.0, 20.0, 2.0], [6.0, 17.0, 8.0], [4.0, 14.0, 13.0], [16.0, 18.0, 0.0], [15.0, 9.0, 7.0]]
)
"""Its interval has 0.009 degrees of freedom, where a quantile of F is beyond any float."""


@FEW
@given(x=tables, shift=st.integers(-9, 9), scale=st.sampled_from([0.5, 3.0, -1.0]))
@example(x=HARDLY_A_DEGREE, shift=0, scale=3.0)
def test_shift_and_scale_of_all_ratings_change_nothing(x: FloatArray, shift: int, scale: float) -> None:
    one, other = icc(x), icc(scale * x + shift)
    for form, found in one.items():
        assert other[form].value == (None if found.value is None else pytest.approx(found.value))


@FEW
@given(x=tables, seed=st.integers(0, 9))
def test_order_does_not_matter_and_a_raters_level_only_to_agreement(x: FloatArray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shuffled = icc(rng.permutation(rng.permutation(x, axis=0), axis=1))
    lenient = icc(x + np.array([0.0, 0.0, 50.0]))
    for form, found in icc(x).items():
        assert shuffled[form].value == (None if found.value is None else pytest.approx(found.value))
    fixed = icc(x)["3,1"].value
    assert lenient["3,1"].value == (None if fixed is None else pytest.approx(fixed))


def test_raters_who_say_the_same_have_one_and_targets_that_are_the_same_have_none() -> None:
    same = np.repeat(np.arange(5.0)[:, None], 3, axis=1)
    assert all(found.value == pytest.approx(1) for found in icc(same).values())
    assert all(found.interval is None for found in icc(same).values())
    assert all(found.value is None for found in icc(np.full((5, 3), 2.0)).values())


def test_rows_with_a_missing_rating_are_left_out_and_counted_out() -> None:
    holed = np.vstack([SHROUT, [5, np.nan, 5, 5]])
    assert icc(holed) == icc(SHROUT)
    assert icc(SHROUT[:1])["2,1"].value is None


def test_steps_up_as_spearman_and_brown_say() -> None:
    assert stepped_up(0.5, 2) == pytest.approx(2 / 3)
    assert stepped_up(stepped_up(0.3, 4), 1 / 4) == pytest.approx(0.3)
    assert stepped_up(-1, 2) is None
    assert stepped_up(None, 2) is None


def simulated(spread: float, n: int = 60, k: int = 12, seed: int = 0) -> FloatArray:
    rng = np.random.default_rng(seed)
    return rng.normal(0, 1, k) * spread + rng.normal(0, 1, (n, 1)) + rng.normal(0, 1, (n, k))


def test_split_halves_find_the_reliability_that_was_simulated() -> None:
    spread, n = 0.2, 60
    found = [split_half(simulated(spread, n, 12, seed), splits=100) for seed in range(20)]
    values = [one.reliability for one in found if one is not None and one.reliability is not None]
    assert np.mean(values) == pytest.approx(spread**2 / (spread**2 + 1 / n), abs=0.06)
    held = [
        one is not None and one.interval is not None and one.interval.low <= 0.706 <= one.interval.high for one in found
    ]
    assert sum(held) >= 17


def test_what_half_of_the_people_say_is_less_reliable_than_what_all_say() -> None:
    found = split_half(simulated(0.5), splits=100)
    assert found is not None
    assert found.reliability is not None
    assert found.half < found.reliability < 1
    assert found.spread[0] < found.half < found.spread[1]


def test_people_whom_a_supporter_lacks_are_left_out_of_the_halves() -> None:
    x = simulated(0.5)
    x[0, 0] = np.nan
    found, without = split_half(x, splits=20), split_half(x[1:], splits=20)
    assert found == without
    assert split_half(x[:3]) is None
    assert split_half(x[:, :2]) is None
    assert split_half(np.ones((10, 4))) is None
