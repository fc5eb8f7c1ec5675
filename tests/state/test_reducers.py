"""What the person's limits let through, for any proposal."""

import pytest
from helpers.strategies import bounds, decisions, feelings, levels, steps, worlds
from hypothesis import given

from emoharbor.state.bounds import Bounds, Threshold
from emoharbor.state.inner_world import Disclosure, InnerWorld, Thought
from emoharbor.state.reducers import apply_disclosures, apply_feel, apply_think, within_step
from emoharbor.state.updates import FeelUpdate, ThinkUpdate

ROUNDING = 0.051
"""Levels are kept to one decimal."""


@given(levels, levels, steps, steps)
def test_a_level_never_moves_further_than_its_step_nor_leaves_the_scale(
    before: float, proposed: float, down: float, up: float
) -> None:
    after = within_step(before, proposed, down=down, up=up)

    assert 0 <= after <= 10
    assert before - down - ROUNDING <= after <= before + up + ROUNDING
    assert abs(after - proposed) <= abs(before - proposed) + ROUNDING


@given(worlds, feelings, bounds)
def test_feeling_gives_a_valid_world_and_a_shift_for_each_change(
    world: InnerWorld, update: FeelUpdate, limits: Bounds
) -> None:
    before = world.model_dump_json()

    after, shifts = apply_feel(world, update, limits, turn=3)

    assert world.model_dump_json() == before
    assert InnerWorld.model_validate_json(after.model_dump_json()) == after
    assert abs(after.distress - world.distress) <= limits.distress_step + ROUNDING
    assert -limits.trust_loss - ROUNDING <= after.trust - world.trust <= limits.trust_gain + ROUNDING
    changed = {name for name in ("emotions", "distress", "trust", "felt_understood")
               if getattr(after, name) != getattr(world, name)}  # fmt: skip
    assert changed <= {shift.field for shift in shifts}
    assert all(shift.role == "feel" and shift.turn == 3 and shift.cause for shift in shifts)
    for shift in shifts:
        if shift.field in ("distress", "trust"):
            assert shift.applied == getattr(after, shift.field)
            assert shift.proposed == getattr(update, shift.field)


@given(worlds, decisions, bounds)
def test_no_fact_is_released_below_its_trust_or_faster_than_the_persons_pace(
    world: InnerWorld, update: ThinkUpdate, limits: Bounds
) -> None:
    after, shifts = apply_think(world, update, limits, turn=2)

    fresh = set(after.released) - set(world.released)
    needed = {item.fact: item.trust for item in limits.thresholds}
    assert all(world.trust >= needed[fact] for fact in fresh)
    assert len(fresh) <= limits.releases_per_turn
    assert set(world.released) <= set(after.released)
    assert after.thought is not None
    assert set(after.thought.release) == fresh
    assert InnerWorld.model_validate_json(after.model_dump_json()) == after
    moved = [need.id for need, old in zip(after.needs, world.needs, strict=True) if need.status != old.status]
    assert all(need.turn == 2 for need in after.needs if need.id in moved)
    assert len([shift for shift in shifts if shift.field == "need"]) == len(moved)


def test_a_proposal_beyond_the_limits_is_kept_beside_what_was_applied() -> None:
    world = InnerWorld(distress=8, trust=2)
    limits = Bounds(distress_step=1.5, trust_gain=1, trust_loss=2, releases_per_turn=1)

    after, (distress, trust) = apply_feel(world, FeelUpdate(distress=1, trust=9, cause="why"), limits, 4)

    assert (after.distress, after.trust) == (6.5, 3.0)
    assert (distress.before, distress.proposed, distress.applied, distress.limited) == (8, 1, 6.5, True)
    assert (trust.before, trust.proposed, trust.applied, trust.cause) == (2, 9, 3, "why")


def test_a_release_that_the_limits_stop_is_logged_as_proposed() -> None:
    limits = Bounds(
        distress_step=1, trust_gain=1, trust_loss=1, releases_per_turn=1,
        thresholds=(Threshold(fact="easy", trust=3), Threshold(fact="hard", trust=8)),
    )  # fmt: skip
    thought = Thought(monologue="tell them all", intention="disclose", release=("hard", "easy"))

    after, (shift,) = apply_think(InnerWorld(distress=5, trust=4), ThinkUpdate(thought=thought), limits, 1)

    assert after.released == ("easy",)
    assert shift.proposed == ("hard", "easy")
    assert shift.applied == ("easy",)


def test_a_fact_told_twice_counts_once() -> None:
    told = Disclosure(fact="one", turn=1, quote="words", released=True, claimed=True)
    world, first = apply_disclosures(InnerWorld(distress=5, trust=5), [told], "speak", 1)

    again, second = apply_disclosures(world, [told.model_copy(update={"turn": 2})], "speak", 2)

    assert again == world
    assert len(first) == 1
    assert second == ()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1, 10.1])
def test_a_level_outside_the_scale_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="distress"):
        FeelUpdate(distress=value)
