"""A structured reply gives a value of its schema, or a reason, and never more than it says."""

import json
from typing import Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from emoharbor.nodes.models.jsontext import Misread
from emoharbor.nodes.models.reading import read
from emoharbor.state.base import Frozen, Text


class Rating(Frozen):
    score: int
    reason: Text = ""


class Loose(BaseModel):
    """A schema of somebody else's, which would let NaN through."""

    level: float
    on: bool = False
    tag: Literal["a", "b"] | None = None
    parts: list[Rating] = []


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 4}',
        '{"score": "4"}',
        '{"score": 4.0}',
        'Here is my rating:\n```json\n{"score": 4}\n```\nHope that helps!',
        '```\n{"score": 4}\n```',
        'I would say {"score": 4}.',
        'First {"score": 2}. No, on second thought: {"score": 4}',
        'About {it}: {"score": 4}',
        "{'score': 4, 'reason': 'it was kind'}",
        '{"score": 4,}',
        "{score: 4}",
        '[{"score": 4}]',
        '"{\\"score\\": 4}"',
        '{"score": 4, "reason": "she said "no" twice"}',
        '\ufeff{"score": 4}',
        '  \n{"score": 4}\n\n  ',
    ],
)
def test_what_a_reply_says_is_read(text: str) -> None:
    assert read(text, Rating).score == 4


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I'd say a strong 4 out of 5, maybe **5**.",
        "4",
        "[4]",
        '[{"score": 4}, {"score": 5}]',
        '{"score": NaN}',
        '{"score": Infinity}',
        '{"score": 1e999}',
        '{"score": 4.7}',
        '{"score": "4/5"}',
        '{"score": "4.7"}',
        '{"score": "four"}',
        '{"score": "4,5"}',
        '{"score": true}',
        '{"score": null}',
        '{"score": 4/5}',
        "{'score': 4/5}",
        '{"score": 4, "score": 5}',
        '{"score": 4, "extra": 1}',
        '{"ratings": [{"score": 4, "rea',
        '{"score": 4',
        '{"score": 4, "reason": "and then',
        '```json\n{"score": 4, "reason": "cut o',
        "null",
        '"{}"',
        "{" * 5000,
        "[" * 50_000,
    ],
)
def test_nothing_is_made_up(text: str) -> None:
    with pytest.raises(Misread):
        read(text, Rating)


@pytest.mark.parametrize("value", ["NaN", '"nan"', '"inf"', "-Infinity", "1e400", "true", '"1e2"'])
def test_no_value_that_is_no_finite_number_becomes_one(value: str) -> None:
    with pytest.raises(Misread):
        read(f'{{"level": {value}}}', Loose)


def test_a_lone_surrogate_is_cleaned() -> None:
    assert set(read('{"score": 4, "reason": "caf\\ud83d"}', Rating).reason) == set("caf\ufffd")


def test_the_reason_names_the_field_for_the_model() -> None:
    with pytest.raises(Misread, match=r"score: .*valid integer.*'four'"):
        read('{"score": "four"}', Rating)


@given(st.builds(Rating, score=st.integers(-(10**6), 10**6), reason=st.text()))
def test_every_value_survives_the_way_through_json_fences_and_prose(value: Rating) -> None:
    text = value.model_dump_json()
    assert read(text, Rating) == value
    assert read(f"Sure:\n{text}\nDone.", Rating) == value


@given(st.text() | st.text(alphabet="{}[]\":,'\\ntruefalsNaI0123456789.e-` score"))
@example('{"level": 1, "parts": [{"score": 1}, {"score": "2"}]}')
@example("```{'level': 1 'on': yes}```")
def test_any_text_gives_a_value_or_a_reason(text: str) -> None:
    try:
        value = read(text, Loose)
    except Misread:
        return
    assert isinstance(value, Loose)
    json.dumps(value.model_dump(), allow_nan=False).encode()


_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["score", "reason", "x"]), inner),
    max_leaves=12,
)


@given(_JSON)
def test_any_json_gives_a_value_or_a_reason(data: Any) -> None:
    try:
        value = read(json.dumps(data), Rating)
    except Misread:
        return
    assert type(value.score) is int
    found = data[0] if isinstance(data, list) else data
    assert float(found["score"]) == value.score
