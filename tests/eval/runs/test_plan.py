"""What the places of a run are given to do, and in which order."""

import heapq
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.runs.plan import Unit, make_plan, units_of

counts = st.integers(1, 6)
OPENING, EPISODE = 3, 60
"""Calls of an opening of three roles, and of what is left of fifteen turns."""


def plan_of(people: int, supporters: int, repeats: int) -> list[EpisodeKey]:
    return make_plan([f"P{n}" for n in range(people)], [f"s{n}" for n in range(supporters)], repeats)


def ends(units: Iterable[Unit], places: int) -> list[int]:
    """When each place has nothing more to do, if each takes the next unit as soon as it is free."""
    free = [0] * places
    for unit in units:
        took = OPENING * len(unit.openings) + (EPISODE if unit.episode else 0)
        heapq.heappush(free, heapq.heappop(free) + took)
    return free


@given(counts, counts, counts, counts)
def test_every_episode_comes_once_in_order_and_every_opening_once_before_it(
    people: int, supporters: int, repeats: int, ahead: int
) -> None:
    plan = plan_of(people, supporters, repeats)

    made: list[tuple[str, int]] = []
    played: list[EpisodeKey] = []
    for unit in units_of(plan, ahead):
        made += unit.openings
        if unit.episode is not None:
            played.append(unit.episode)
            coming = plan[len(played) : len(played) + ahead]
            assert {(key.profile, key.repeat) for key in [unit.episode, *coming]} <= set(made)

    assert played == plan
    assert len(made) == len(set(made)) == people * repeats


@pytest.mark.parametrize("supporters", [1, 2, 4, 20])
@pytest.mark.parametrize("waves", [1, 2, 4])
def test_all_places_end_together(supporters: int, waves: int) -> None:
    places = 64
    plan = plan_of(places // 4, supporters, 4 * waves)[: places * waves]

    ended = ends(units_of(plan, places), places)

    assert max(ended) - min(ended) <= waves * OPENING  # of all that a place does, one opening an episode at most
