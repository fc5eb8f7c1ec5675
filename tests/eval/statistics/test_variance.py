"""Shares of variance: those that were simulated come back, balanced or not, and what cannot be told apart is named."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from emoharbor.eval.statistics.arrays import FloatArray, IntArray
from emoharbor.eval.statistics.icc import mean_squares
from emoharbor.eval.statistics.variance import TERMS, Design, VarianceShares, components_of, variance_shares

FEW = settings(max_examples=20)
TRUE = {"profile": 4.0, "supporter": 3.0, "profile x supporter": 5.0, "repeat": 2.0, "judge": 1.0, "remainder": 1.0}


def simulate(seed: int, shape: tuple[int, int, int, int] = (30, 10, 2, 3)) -> tuple[FloatArray, dict[str, IntArray]]:
    """People, supporters, repeats, judges."""
    rng = np.random.default_rng(seed)
    n, k, r, j = shape
    sizes = {
        "profile": (n, 1, 1, 1), "supporter": (1, k, 1, 1), "profile x supporter": (n, k, 1, 1),
        "repeat": (n, k, r, 1), "judge": (1, 1, 1, j), "remainder": shape,
    }  # fmt: skip
    y = sum((TRUE[name] ** 0.5 * rng.normal(size=size) for name, size in sizes.items()), np.zeros(shape))
    codes = {
        name: axis.ravel()
        for name, axis in zip(("profile", "supporter", "repeat", "judge"), np.indices(shape), strict=True)
    }
    return y.ravel(), codes


def shares(values: FloatArray, factors: dict[str, IntArray], resamples: int = 20) -> VarianceShares:
    found = variance_shares(values, factors, resamples=resamples)
    assert found is not None
    return found


def variances(found: VarianceShares) -> dict[str, float]:
    return {share.term: share.variance for share in found.shares}


def test_simulated_shares_come_back() -> None:
    found = [variances(shares(*simulate(seed), resamples=1)) for seed in range(40)]
    for name, true in TRUE.items():
        # supporters and judges are few, so a single estimate may be far off; their mean may not
        assert np.mean([one[name] for one in found]) == pytest.approx(true, rel=0.25), name


def test_holes_leave_the_estimates_where_they_were() -> None:
    rng = np.random.default_rng(0)
    found = []
    for seed in range(25):
        y, codes = simulate(seed, (30, 10, 3, 2))
        y[rng.random(y.size) < 0.4 * codes["repeat"] / 2] = np.nan
        found.append(variances(shares(y, codes, resamples=1)))
    for name in ("profile", "profile x supporter", "repeat", "remainder"):
        assert np.mean([one[name] for one in found]) == pytest.approx(TRUE[name], rel=0.25), name


@FEW
@given(x=arrays(np.float64, (6, 4), elements=st.integers(0, 500).map(float), unique=True))
def test_a_full_table_gives_the_analysis_of_variance(x: FloatArray) -> None:
    found = variances(shares(x.ravel(), {"profile": np.repeat(np.arange(6), 4), "supporter": np.tile(np.arange(4), 6)}))
    ms = mean_squares(x)
    assert found["profile"] == pytest.approx(max(0, (ms.rows - ms.error) / 4), abs=1e-8)
    assert found["supporter"] == pytest.approx(max(0, (ms.columns - ms.error) / 6), abs=1e-8)
    assert found["remainder"] == pytest.approx(ms.error)


def test_shares_add_up_and_do_not_mind_shift_scale_or_order() -> None:
    y, codes = simulate(1, (15, 5, 2, 2))
    order = np.random.default_rng(0).permutation(y.size)
    plain = shares(y, codes)
    other = shares(-3 * y[order] + 100, {name: code[order] for name, code in codes.items()})
    assert sum(share.share for share in plain.shares) == pytest.approx(1)
    for one, two in zip(plain.shares, other.shares, strict=True):
        assert two.share == pytest.approx(one.share)
        assert one.interval is not None
        assert two.interval is not None
        assert (two.interval.low, two.interval.high) == pytest.approx((one.interval.low, one.interval.high))


def test_a_person_drawn_twice_stands_for_two_people_with_the_same_scores() -> None:
    y, codes = simulate(2, (8, 4, 2, 2))
    drawn = np.array([2, 0, 1, 3, 0, 1, 1, 0])
    rows = np.concatenate([np.flatnonzero(codes["profile"] == person) for person in np.repeat(np.arange(8), drawn)])
    copies = {name: code[rows] for name, code in codes.items()} | {"profile": np.repeat(np.arange(8), y.size // 8)}
    terms = TERMS[:-1]
    weighted = components_of(Design(y, codes, "profile"), terms, drawn[None, :].astype(float))[0]
    copied = components_of(Design(y[rows], copies, "profile"), terms, np.ones((1, 8)))[0]
    assert weighted == pytest.approx(copied)


def test_what_the_design_cannot_tell_apart_is_named_and_what_it_lacks_is_not() -> None:
    y, codes = simulate(3, (20, 5, 1, 1))
    found = shares(y, codes)
    assert [share.term for share in found.shares] == ["profile", "supporter", "remainder"]
    assert found.merged == ("profile x supporter", "repeat")
    y, codes = simulate(3, (20, 5, 2, 1))
    found = shares(y, codes)
    assert [share.term for share in found.shares] == ["profile", "supporter", "profile x supporter", "remainder"]
    assert found.merged == ("repeat",)


def test_an_estimate_below_zero_is_shown_as_zero_and_said_so() -> None:
    x = np.array([[1.0, 9.0], [9.0, 1.0], [2.0, 8.0], [8.0, 2.0]])  # people differ less than chance would have it
    found = shares(x.ravel(), {"profile": np.repeat(np.arange(4), 2), "supporter": np.tile([0, 1], 4)})
    assert [(share.term, share.share, share.truncated) for share in found.shares] == [
        ("profile", 0, True),
        ("supporter", 0, True),
        ("remainder", 1, False),
    ]


def test_without_variance_there_is_nothing_to_share_out() -> None:
    one = {"profile": np.arange(4)}
    assert variance_shares(np.full(4, 3.0), one) is None
    assert variance_shares(np.full(4, np.nan), one) is None
