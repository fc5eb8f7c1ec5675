"""Shares with intervals that know that episodes of one person are alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.eval.audit.rates import rate_of


def test_one_episode_a_person_gives_wilsons_interval() -> None:
    # Wilson's interval of 8 in 10, as in Brown, Cai and DasGupta (2001): 0.490 to 0.943
    found = rate_of((f"P{n}", int(n < 8), 1) for n in range(10))
    assert found.rate == pytest.approx(0.8)
    assert found.low == pytest.approx(0.490, abs=0.001)
    assert found.high == pytest.approx(0.943, abs=0.001)
    assert found.text == "80.0 % [49.0, 94.3]"


def test_people_who_always_and_people_who_never_count_as_one_episode_each() -> None:
    clustered = rate_of((f"P{n}", 10 * int(n < 8), 10) for n in range(10))
    assert clustered.of == 100
    alone = rate_of((f"P{n}", int(n < 8), 1) for n in range(10))
    assert clustered.low == pytest.approx(alone.low, abs=0.03)
    assert clustered.high == pytest.approx(alone.high, abs=0.03)


def test_a_share_of_nothing_counts_people_and_not_their_episodes() -> None:
    many = rate_of((f"P{n}", 0, 50) for n in range(20))
    assert (many.rate, many.low) == (0.0, 0.0)
    assert many.high == rate_of((f"P{n}", 0, 1) for n in range(20)).high


def test_no_episodes_have_no_share() -> None:
    found = rate_of([("P1", 0, 0)])
    assert (found.rate, found.low, found.high, found.text) == (None, None, None, "none")


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 3), st.integers(3, 9)), min_size=1))
def test_the_share_lies_in_its_interval_and_the_interval_in_the_scale(tallies: list[tuple[str, int, int]]) -> None:
    found = rate_of(tallies)
    assert found.low is not None
    assert found.rate is not None
    assert found.high is not None
    assert 0 <= found.low <= found.rate + 1e-12
    assert found.rate - 1e-12 <= found.high <= 1
