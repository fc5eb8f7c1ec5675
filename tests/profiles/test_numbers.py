"""Statistics and likeness: against hand-computed values and facts that must hold."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.profiles.loader import bundled
from emoharbor.profiles.similarity import overlap, pairs, shingles, story, voice
from emoharbor.profiles.stats import LABELS, Spread, age_band, character_count, correlation, counts, spread, word_count

VALUES = st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=30)


def test_mean_and_standard_deviation_by_hand() -> None:
    assert spread([2, 4, 6]) == Spread(4.0, 2.0, 2, 6)
    assert spread([5]) == Spread(5.0, None, 5, 5)
    assert spread([]) == Spread(None, None, None, None)


@given(VALUES)
def test_spread_agrees_with_the_standard_library(values: list[float]) -> None:
    found = spread(values)

    assert found.mean == pytest.approx(statistics.fmean(values), abs=1e-9)
    assert found.sd == pytest.approx(statistics.stdev(values), abs=1e-6)


def test_correlation_by_hand() -> None:
    assert correlation([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert correlation([1, 2, 3], [7, 7, 7]) is None
    assert correlation([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)


def test_counts_come_most_frequent_first_and_add_up() -> None:
    people = list(bundled().values())

    for label in LABELS.values():
        found = list(counts(people, label).items())
        assert sum(count for _, count in found) == len(people)
        assert found == sorted(found, key=lambda item: (-item[1], item[0]))


@pytest.mark.parametrize(
    ("age", "band"), [(16, "under 18"), (18, "18-22"), (23, "23-29"), (49, "40-49"), (75, "60-75"), (80, "76 and over")]
)
def test_age_bands(age: int, band: str) -> None:
    assert age_band(age) == band


def test_words_and_characters_are_counted_in_nested_values() -> None:
    value = {"a": "one two", "b": ["three", {"c": "four, five"}], "d": 6}

    assert word_count(value) == 5
    assert character_count({"a": "她 搬家了。", "b": ["ok!"]}) == 6


def test_likeness_is_the_share_of_two_word_runs_in_common() -> None:
    first, second = shingles("I left the key there"), shingles("He left the key, too")

    assert first == {"i left", "left the", "the key", "key there"}
    assert overlap(first, second) == pytest.approx(2 / 6)


def test_likeness_of_scripts_without_word_spaces_goes_by_characters() -> None:
    text = "她最近感到学业压力很大，尤其是在期中考试即将到来之际，她不想去学校。"

    assert overlap(shingles(text), shingles(text.replace("她", "他"))) > 0.6
    assert overlap(shingles(text), shingles("天气很好。" * 6)) == 0


@given(st.text(max_size=60), st.text(max_size=60))
def test_likeness_is_symmetric_and_between_none_and_all(first: str, second: str) -> None:
    left, right = shingles(first), shingles(second)

    assert overlap(left, right) == overlap(right, left)
    assert 0 <= overlap(left, right) <= 1
    assert overlap(left, left) == (1 if left else 0)


@pytest.mark.parametrize("text", [story, voice])
def test_pairs_are_all_pairs_most_alike_first(text: object) -> None:
    people = list(bundled().values())[:6]

    found = pairs(people, text)  # type: ignore[arg-type]  # one of the two functions above

    assert len(found) == 15
    assert [pair.similarity for pair in found] == sorted((pair.similarity for pair in found), reverse=True)
