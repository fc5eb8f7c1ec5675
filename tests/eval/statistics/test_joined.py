"""Several runs in one table: when they may be joined, and under which names."""

import pytest
from helpers.rated import FAST, sample, scored

from emoharbor.eval.statistics.joined import join, unique_labels, why_not
from emoharbor.eval.statistics.leaderboard import leaderboard


def test_runs_of_different_supporters_stand_in_one_table_and_are_paired_by_person() -> None:
    board = leaderboard(join({"x": sample(scored({"a": [5, 5]})), "y": sample(scored({"b": [1, 1]}))}), how=FAST)

    assert [(row.name, row.rank) for row in board.supporters] == [("a", 1), ("b", 2)]
    assert board.neighbours[0].people == 2


def test_a_supporter_of_both_runs_is_named_after_its_run_and_not_counted_as_one() -> None:
    found = join({"x": sample(scored({"a": [5]}), a=2), "y": sample(scored({"a": [1], "b": [3]}))})

    assert found.names == ("a (x)", "a (y)", "b")
    assert [row.counts.planned for row in leaderboard(found, how=FAST).supporters] == [2, 1, 1]


@pytest.mark.parametrize(
    ("one", "other", "line"),
    [
        ({"judge": "a"}, {"judge": "a"}, None),
        ({"judge": "a"}, {"judge": "b"}, "judge: a here, b there"),
        ({"people": {"P1": "x"}}, {"people": {"P1": "x", "P2": "y"}}, "people: P2 is only there"),
        ({"people": {"P1": "x", "P2": "y"}}, {}, "people: {'P1': 'x', 'P2': 'y'} here, None there"),
        ({"people": {"P1": "x", "P2": "y"}}, {"people": {}}, "people: P1 is only here (and 1 more)"),
        ({"simulator": {"feel": {"use": "llm"}}}, {"simulator": {"feel": {"use": "mine"}}},
         "simulator: feel.use is llm here, mine there"),
    ],
)  # fmt: skip
def test_the_first_difference_is_one_clear_line(one: dict[str, object], other: dict[str, object], line: str) -> None:
    assert why_not(one, other) == line


def test_runs_with_the_same_name_are_called_by_their_folders() -> None:
    assert unique_labels(["pilot", "pilot"], ["runs/a", "runs/b"]) == ["runs/a", "runs/b"]
    assert unique_labels(["pilot", "study"], ["runs/a", "runs/b"]) == ["pilot", "study"]
