"""A small form of benchmarks/coverage.py: intervals hold the truth as often as they say, tests cry wolf no more often.

The seeds are fixed, so a failure is a change of the methods, not bad luck.
"""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "coverage.py"
EXPERIMENTS = 300
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def benchmark() -> dict[str, Callable[..., Any]]:
    return runpy.run_path(str(BENCHMARK))


@pytest.fixture(scope="module")
def covered(benchmark: dict[str, Callable[..., Any]]) -> Any:
    return benchmark["coverage"](20, EXPERIMENTS, seed=1, true=TRUTH)


TRUTH = (71.62, 6.74)
"""Of `benchmark.truth()`, which takes a while; checked below."""


def test_the_truth_is_what_the_simulation_tends_to(benchmark: dict[str, Callable[..., Any]]) -> None:
    assert benchmark["truth"](seed=2, people=400_000) == pytest.approx(TRUTH, abs=0.1)


@pytest.mark.parametrize("figure", ["mean", "difference"])
def test_intervals_of_twenty_people_hold_the_truth(covered: Any, figure: str) -> None:
    assert 0.92 <= covered.share(figure, "expanded") <= 0.97
    assert covered.share(figure, "percentile") < covered.share(figure, "expanded")


def test_taking_repeats_for_people_would_be_found_out(covered: Any) -> None:
    assert covered.share("mean", "episodes") < 0.85


def test_equal_supporters_are_seldom_told_apart(benchmark: dict[str, Callable[..., Any]]) -> None:
    assert benchmark["false_alarms"](20, EXPERIMENTS, seed=1) <= 0.05 + 2 * (0.05 * 0.95 / EXPERIMENTS) ** 0.5
    assert benchmark["family_alarms"](40, EXPERIMENTS, seed=1) <= 0.05 + 2 * (0.05 * 0.95 / EXPERIMENTS) ** 0.5
