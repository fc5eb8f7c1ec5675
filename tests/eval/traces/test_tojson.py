"""JSON of whatever comes, the same as pydantic's."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from pydantic import BaseModel, computed_field, field_serializer, model_serializer
from pydantic_core import to_json

from emoharbor.eval.traces.tojson import any_json, json_row, plain_json
from emoharbor.profiles.bounds import starting_world
from emoharbor.profiles.loader import load_people
from emoharbor.state.base import Frozen
from emoharbor.state.inner_world import Thought

WORLD = starting_world(load_people(["P040"])["P040"])
THOUGHT = Thought(
    monologue="Again.", view_of_supporter="Kind.", continue_reason="", intention="elaborate", gist="Nothing new.",
    wants_to_continue=True,
)  # fmt: skip


class Colour(StrEnum):
    RED = "red"


@dataclass
class Found:
    name: str
    _score: float = 1.0


class Pair(NamedTuple):
    one: int
    other: str


class Open(BaseModel):
    name: str | None = None
    world: Any = None


class Doubled(Frozen):
    number: int

    @computed_field
    def twice(self) -> int:
        return 2 * self.number


class Loud(Frozen):
    word: str

    @field_serializer("word")
    def shout(self, word: str) -> str:
        return word.upper()


class AsList(Frozen):
    number: int

    @model_serializer
    def listed(self) -> list[int]:
        return [self.number]


def pydantics(value: object) -> Any:
    return json.loads(to_json(value, exclude_none=True, serialize_unknown=True, inf_nan_mode="null"))


LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.uuids(),
    st.binary().map(lambda b: b.hex().encode()),
    st.datetimes(timezones=st.sampled_from([UTC])), st.dates(), st.timedeltas(), st.decimals(allow_nan=False),
    st.sampled_from([
        Colour.RED, WORLD, THOUGHT, WORLD.model_copy(update={"thought": THOUGHT}), Found("a"), Pair(1, "b"),
        Open(world=WORLD), Doubled(number=2), Loud(word="no"), AsList(number=3), AIMessage("Hello.", id="a0"), object,
    ]),
)  # fmt: skip
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text() | st.integers(), inner, max_size=4),
    ),
    max_leaves=12,
)


@given(value=VALUES)
def test_whatever_comes_is_written_as_pydantic_writes_it(value: Any) -> None:
    assert json.loads(plain_json(value)) == pydantics(value)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Doubled(number=2), {"number": 2, "twice": 4}),
        (Loud(word="no"), {"word": "NO"}),
        (AsList(number=3), [3]),
        ([float("nan"), float("inf")], [None, None]),
        (2**80, 2**80),
        ({1: "one"}, {"1": "one"}),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00Z"),
        (Decimal("1.50"), "1.50"),
        (UUID(int=7), "00000000-0000-0000-0000-000000000007"),
    ],
)
def test_what_is_not_plain_is_written_too(value: Any, written: Any) -> None:
    assert json.loads(plain_json(value)) == written


def test_a_lone_surrogate_is_refused_or_printed() -> None:
    with pytest.raises(ValueError, match="surrogates"):
        plain_json("\ud800")

    assert json.loads(any_json("\ud800")) == {"unreadable": "'\\ud800'"}


def test_a_circle_ends() -> None:
    around: list[Any] = []
    around.append(around)

    assert json.loads(plain_json({"around": around}))


def test_of_a_row_only_what_has_no_json_is_lost() -> None:
    row = json.loads(json_row({"name": "feel"}, b'{"given": 1}', {"said": "\ud800", "then": 1}))

    assert row[:2] == [{"name": "feel"}, {"given": 1}]
    assert set(row[2]) == {"unreadable"}
