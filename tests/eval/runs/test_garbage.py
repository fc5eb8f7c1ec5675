"""The collector while episodes are played."""

import gc
from collections.abc import Iterator

import pytest

from emoharbor.eval.runs.garbage import seldom_collected

FEW = 10_000
"""More than the objects that Python itself freezes, fewer than a program with our modules has."""


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    before, enabled = gc.get_threshold(), gc.isenabled()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()
    if enabled:
        gc.enable()


def test_it_is_rare_inside_and_as_before_after() -> None:
    before = gc.get_threshold()

    with seldom_collected():
        inside = gc.get_threshold()
        assert gc.get_freeze_count() > FEW

    assert inside[0] > before[0] > 0
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() < FEW


def test_it_is_as_before_after_an_error() -> None:
    before = gc.get_threshold()

    with pytest.raises(ValueError, match="inside"), seldom_collected():
        raise ValueError("inside")

    assert gc.get_threshold() == before
    assert gc.get_freeze_count() < FEW


def test_one_run_within_another_changes_nothing() -> None:
    with seldom_collected():
        outer = gc.get_threshold()
        with seldom_collected():
            assert gc.get_threshold() == outer

        assert gc.get_threshold() == outer
        assert gc.get_freeze_count() > FEW


@pytest.mark.parametrize("threshold", [0, 50_000])
def test_what_somebody_has_chosen_stays(threshold: int) -> None:
    gc.set_threshold(threshold, 10, 10)

    with seldom_collected():
        assert gc.get_threshold()[0] == threshold


def test_objects_that_somebody_has_frozen_stay_frozen() -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()

    with seldom_collected():
        assert gc.get_freeze_count() == frozen

    assert gc.get_freeze_count() == frozen


def test_a_collector_that_is_off_stays_off() -> None:
    gc.disable()

    with seldom_collected():
        assert not gc.isenabled()

    assert not gc.isenabled()
