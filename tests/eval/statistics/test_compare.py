"""Two supporters side by side: who is paired with whom, what is tested, and what so few could have shown."""

import pytest
from helpers.rated import FAST, drawn, episode, rated, sample, scored

from emoharbor.eval.statistics.compare import Comparison, Difference, compare
from emoharbor.state.outcome import Outcome


def overall(found: Comparison) -> Difference:
    return next(item for item in found.figures if item.figure == "overall")


def test_the_difference_is_the_second_less_the_first_over_people_both_have() -> None:
    records = scored({"a": [1, 3, 5], "b": [5, 3]})
    found = compare(sample(records), "a", "b", how=FAST)

    line = overall(found)
    assert (line.n, line.first, line.second, line.difference) == (2, 25, 75, 50)
    assert (line.wins, line.ties, line.losses) == (1, 1, 0)
    assert (found.people_first, found.people_second, found.people_both) == (3, 2, 2)


def test_repeats_of_a_person_are_averaged_before_anything_is_tested() -> None:
    records = [
        *(episode("a", Outcome.TURN_CAP, rated(score), profile="P1", repeat=i) for i, score in enumerate([1, 3])),
        episode("b", Outcome.TURN_CAP, rated(5), profile="P1"),
    ]
    line = overall(compare(sample(records), "a", "b", how=FAST))

    assert (line.n, line.difference, line.difference_ci) == (1, 75, None)


def test_a_clear_difference_is_found_and_none_is_not() -> None:
    records = list(drawn({"a": 2.5, "b": 3.6, "c": 2.5}, 30, seed=2))
    apart, alike = (overall(compare(sample(records), "a", name, how=FAST)) for name in "bc")

    assert apart.p is not None
    assert apart.difference_ci is not None
    assert apart.p < 0.01
    assert apart.difference_ci[0] > 0
    assert apart.wilcoxon is not None
    assert apart.wilcoxon < 0.01
    assert alike.p is not None
    assert alike.p > 0.05


def test_holm_corrects_the_dimensions_as_one_family_and_the_means_as_another() -> None:
    found = compare(sample(drawn({"a": 2.8, "b": 3.2}, 30)), "a", "b", how=FAST)

    for family, size in (("means", 4), ("dimensions", 10)):
        members = [item for item in found.figures if item.family == family]
        smallest = min(item.p for item in members if item.p is not None)
        assert len(members) == size
        assert min(item.p_holm for item in members if item.p_holm is not None) == pytest.approx(
            min(1, size * smallest)
        )  # fmt: skip


def test_a_figure_nobody_has_on_both_sides_is_empty_and_left_out_of_its_family() -> None:
    records = [
        episode(name, Outcome.TURN_CAP, rated(3, safety=None), profile=f"P{index}") for name in "ab" for index in "12"
    ]
    found = compare(sample(records), "a", "b", how=FAST)

    safety = next(item for item in found.figures if item.figure == "safety")
    assert (safety.n, safety.difference, safety.p, safety.p_holm) == (0, None, None, None)


def test_people_needed_are_fewer_for_a_larger_difference() -> None:
    records = list(drawn({"a": 2.8, "b": 3.2}, 20))
    small, large = (overall(compare(sample(records), "a", "b", how=FAST, wanted=size)).needed for size in (2, 10))

    assert small is not None
    assert large is not None
    assert small > large >= 2


def test_a_supporter_that_failed_a_person_loses_there_unless_failures_are_left_out() -> None:
    records = [*scored({"a": [4, 4], "b": [4]}), episode("b", Outcome.SUPPORTER_ERROR, profile="P001")]
    lowest, without = (overall(compare(sample(records), "a", "b", how, FAST)) for how in ("lowest", "exclude"))

    assert (lowest.n, lowest.losses) == (2, 1)
    assert (without.n, without.losses) == (1, 0)


def test_the_people_to_look_at_are_those_on_whom_the_two_differ_most() -> None:
    found = compare(sample(scored({"a": [1, 3, 5, 2], "b": [2, 3, 1, 4]})), "a", "b", how=FAST, most=2)

    assert [(item.profile, item.difference) for item in found.disagreements] == [("P002", -100), ("P003", 50)]
