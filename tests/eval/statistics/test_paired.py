"""Two runs pair by pair: figures over people, with an interval and a test."""

import pytest
from helpers.rated import FAST, episode, rated

from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.statistics.paired import PairedFigure, pair_up, paired_figures
from emoharbor.nodes.rubric import load_rubric
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Rating


def run(*scores: int, repeat: int = 0, supporter: str = "a") -> list[EpisodeRecord]:
    return [
        episode(supporter, Outcome.TURN_CAP, rated(score), profile=f"P{index}", repeat=repeat)
        for index, score in enumerate(scores)
    ]


def overall(first: list[EpisodeRecord], second: list[EpisodeRecord]) -> PairedFigure:
    return next(item for item in paired_figures(pair_up(first, second), FAST) if item.name == "overall")


def test_a_difference_has_its_interval_and_a_corrected_test() -> None:
    found = overall(run(1, 2, 1, 2, 1, 2, 1), run(3, 3, 3, 4, 3, 3, 2))

    assert found.difference == pytest.approx(100 * (21 - 10) / 7 / 4)
    assert found.difference_ci is not None
    assert found.difference_ci[0] > 0
    assert found.p is not None
    assert found.p_holm is not None
    assert found.p <= found.p_holm
    assert (found.n, found.people, found.higher, found.lower) == (7, 7, 7, 0)


def test_repeats_of_a_person_make_no_further_people() -> None:
    first = [*run(1, 2), *run(1, 2, repeat=1)]
    second = [*run(3, 2), *run(5, 2, repeat=1)]

    found = overall(first, second)
    assert (found.n, found.people, found.difference, found.higher) == (4, 2, 37.5, 2)


def test_runs_without_a_common_figure_have_none() -> None:
    bare = [episode("a", Outcome.TURN_CAP, profile="P0")]

    found = overall(bare, run(3))
    assert (found.n, found.difference, found.difference_ci, found.p) == (0, None, None, None)


def test_dimensions_come_as_the_rubric_has_them_whatever_order_they_were_asked_in() -> None:
    ten = [item.id for item in load_rubric().dimensions]
    ratings = tuple(Rating(dimension=name, group=None, score=3, reason="r") for name in ["charm", *sorted(ten)])
    one = [episode("a", Outcome.TURN_CAP, rated(3).model_copy(update={"ratings": ratings}), profile="P0")]

    names = [item.name for item in paired_figures(pair_up(one, one), FAST)]
    assert [name for name in names if name in (*ten, "charm")] == [*ten, "charm"]
