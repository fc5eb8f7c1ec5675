"""Cutting a plan into shards."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.eval.config import Limits
from emoharbor.eval.runs.plan import Selection, make_plan, select
from emoharbor.eval.runs.shard import Shard, part_of, portion
from emoharbor.state.errors import ConfigError


@given(people=st.integers(1, 7), supporters=st.integers(1, 3), repeats=st.integers(1, 3), of=st.integers(1, 9))
def test_shards_are_the_whole_plan_cut_between_openings(people: int, supporters: int, repeats: int, of: int) -> None:
    plan = make_plan([f"P{n}" for n in range(people)], [f"s{n}" for n in range(supporters)], repeats)

    parts = [part_of(plan, Shard(number=number, of=of)) for number in range(1, of + 1)]

    assert sorted((key for part in parts for key in part), key=plan.index) == plan
    openings = [{(key.profile, key.repeat) for key in part} for part in parts]
    assert sum(map(len, openings)) == people * repeats  # no opening is in two shards
    assert max(map(len, openings)) - min(map(len, openings)) <= 1
    assert all(part == sorted(part, key=plan.index) for part in parts)


def test_a_shard_is_the_same_part_whatever_else_is_selected() -> None:
    plan = make_plan(["P1", "P2", "P3"], ["a", "b"], 1)

    found = select(plan, Selection(supporters=("b",), shard=Shard(number=2, of=2)))

    assert [str(key) for key in found] == ["P2/b/0"]


def test_people_of_another_shard_are_known_but_not_played() -> None:
    plan = make_plan(["P1", "P2"], ["a"], 1)

    assert select(plan, Selection(profiles=("P1",), shard=Shard(number=2, of=2))) == []


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/0", "a/b", "-1/3", "1/3/5", ""])
def test_what_is_no_shard_is_said_to_be_none(text: str) -> None:
    with pytest.raises(ConfigError, match="write i/n"):
        Shard.parse(text)


def test_a_shard_reads_as_it_is_written() -> None:
    assert str(Shard.parse("2/3")) == "2/3"


def test_shards_together_spend_no_more_than_the_whole_run_may() -> None:
    limits = Limits(concurrency=8, budget_usd=10, budget_tokens=1000)

    share = limits.share(3)

    assert share.budget_usd is not None
    assert share.budget_tokens is not None
    assert 3 * share.budget_usd <= 10
    assert 3 * share.budget_tokens <= 1000
    assert share.concurrency == 8  # of each process


def test_limits_that_are_not_there_stay_away() -> None:
    assert Limits().share(4) == Limits()


@given(whole=st.integers(0, 300), of=st.integers(1, 9))
def test_portions_differ_by_one_at_most_and_add_up(whole: int, of: int) -> None:
    parts = [portion(whole, Shard(number=number, of=of)) for number in range(1, of + 1)]

    assert sum(parts) == whole
    assert max(parts) - min(parts) <= 1
    assert portion(whole, None) == whole


def test_a_shard_beside_others_has_its_part_of_what_is_in_flight() -> None:
    assert Limits(concurrency=5).share(2, 3).concurrency == 3
    assert Limits(concurrency=5).share(2).concurrency == 5
