"""What of a run is listed, in which order."""

from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.store.browse import Line
from emoharbor.eval.viewer.listing import (
    ORDERS,
    SIZE,
    Wanted,
    first_said,
    in_order,
    listed,
    needles_of,
    neighbours,
    said_of,
)

SAID = {"sister": {1: 0, 2: 3}, "my sister": {2: 4}}


def saying(words: str) -> dict[int, int]:
    return SAID.get(words, {})


def _line(number: int, overall: float | None = None, **more: object) -> Line:
    key = EpisodeKey(profile=f"P{number:03}", supporter="one", repeat=0)
    fields: dict[str, Any] = {
        "attempt": 0, "turns": number, "outcome": None, "reason": "", "started": 0.0, "finished": None,
        "cost_usd": None, "general": None, "tailored": None, "gap": None, "dimensions": {}, "unscored": None,
        "faults": (),
    }  # fmt: skip
    return Line(key=key, number=number, overall=overall, **(fields | more))


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20).map(str.strip)
NUMBERS = st.none() | st.integers(-50, 100).map(lambda value: value / 2)


@given(
    st.builds(
        Wanted, q=TEXTS, outcome=TEXTS, supporter=TEXTS, person=TEXTS, dimension=TEXTS, low=NUMBERS, high=NUMBERS,
        fault=TEXTS, order=st.sampled_from([*ORDERS, "-gap"]), page=st.integers(1, 999),
    )
)  # fmt: skip
def test_an_address_says_what_was_wanted(wanted: Wanted) -> None:
    assert Wanted.parse(dict(parse_qsl(wanted.query(page=wanted.page)))) == wanted


@given(st.dictionaries(st.sampled_from(["q", "low", "high", "page", "order", "fault", "x"]), st.text(max_size=30)))
def test_any_address_can_be_read(query: dict[str, str]) -> None:
    wanted = Wanted.parse(query)
    page = listed([_line(1), _line(2, 50.0)], wanted, {}, said_of(wanted.q, saying))

    assert 1 <= page.page <= page.pages
    assert len(page.lines) <= page.found <= 2


def test_those_without_the_value_come_last_either_way() -> None:
    lines = [_line(1, 20.0), _line(2), _line(3, 10.0)]

    assert [line.number for line in in_order(lines, "overall")] == [3, 1, 2]
    assert [line.number for line in in_order(lines, "-overall")] == [1, 3, 2]


def test_every_line_stands_on_exactly_one_page() -> None:
    lines = [_line(number) for number in range(2 * SIZE + 1)]
    pages = [listed(lines, Wanted(page=number), {}, {}) for number in (1, 2, 3)]

    assert [line for page in pages for line in page.lines] == lines
    assert {page.pages for page in pages} == {3}


def test_a_kind_of_fault_an_outcome_and_a_score_narrow_the_list() -> None:
    lines = [_line(1, faults=("refusal",)), _line(2, dimensions={"empathy": 2.0}), _line(3, 90.0)]

    def found(**wanted: object) -> list[int]:
        return [line.number for line in listed(lines, Wanted(**wanted), {}, {}).lines]  # type: ignore[arg-type]  # by name

    assert found(fault="refusal") == [1]
    assert found(fault="any") == [1]
    assert found(fault="none") == [2, 3]
    assert found(outcome="under_way") == [1, 2, 3]
    assert found(dimension="empathy", high=3.0) == [2]
    assert found(low=80.0) == [3]


@pytest.mark.parametrize(
    ("search", "needles"),
    [
        ("", []),
        ("  work  sister ", ["work", "sister"]),
        ('"my sister" P010', ["my sister", "P010"]),
        ('not closed: "my sis', ["not", "closed:", "my sis"]),
        ('"" " " a"b', ["a", "b"]),
        ("one one", ["one"]),
        ("1 2 3 4 5 6 7 8 9", list("123456789")),
    ],
)
def test_a_search_is_words_and_quoted_phrases(search: str, needles: list[str]) -> None:
    assert needles_of(search) == needles


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("sister", [1, 2]),
        ('"my sister"', [2]),
        ("P001 sister", [1]),  # one stands in the name, the other was said
        ("one sister", [1, 2]),
        ("sister brother", []),
        ("P003", [3]),
    ],
)
def test_each_word_of_a_search_stands_in_what_is_known_or_was_said(search: str, found: list[int]) -> None:
    lines = [_line(number) for number in (1, 2, 3)]

    page = listed(lines, Wanted(q=search), {}, said_of(search, saying))

    assert [line.number for line in page.lines] == found


def test_an_episode_opens_where_the_first_of_the_words_was_said() -> None:
    line = _line(2)

    assert first_said(line, said_of('P002 "my sister" sister', saying)) == 4
    assert first_said(line, said_of("sister", saying)) == 3
    assert first_said(line, said_of("P002", saying)) is None
    assert first_said(line, said_of("", saying)) is None


def test_neighbours_are_those_of_the_list() -> None:
    lines = [_line(1), _line(2), _line(3)]

    assert neighbours(lines, lines[0].key) == (None, lines[1])
    assert neighbours(lines, lines[1].key) == (lines[0], lines[2])
    assert neighbours(lines, "another") == (None, None)
