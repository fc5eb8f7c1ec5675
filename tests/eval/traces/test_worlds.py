"""The inner world in short: only what a node changed, and the whole again from the one before."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import to_json

from emoharbor.eval.traces.worlds import SAME, short_world, whole_world
from emoharbor.profiles.bounds import starting_world
from emoharbor.profiles.loader import load_people
from emoharbor.state.inner_world import InnerWorld, Thought

START = starting_world(load_people(["P040"])["P040"])
THOUGHT = Thought(
    monologue="Again.", view_of_supporter="Kind.", continue_reason="", intention="elaborate", gist="Nothing new.",
    wants_to_continue=True,
)  # fmt: skip
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "turn": st.integers(0, 30),
        "distress": st.floats(0, 10),
        "felt_understood": st.sampled_from([None, -3, 2]),
        "thought": st.sampled_from([None, THOUGHT]),
        "emotions": st.just(START.emotions[:1]),
    },
)


def stored(value: object) -> Any:
    return json.loads(to_json(value, exclude_none=True))


@given(changes=st.lists(CHANGES, max_size=6))
def test_worlds_that_follow_each_other_are_read_as_they_were(changes: list[dict[str, Any]]) -> None:
    worlds = [START]
    for change in changes:
        worlds.append(worlds[-1].model_copy(update=change))

    before: InnerWorld | None = None
    read: Any = None
    for world in worlds:
        read = whole_world(stored(short_world(world, before)), read)
        assert read == stored(world)
        before = world


def test_a_world_left_as_it_was_is_a_sign() -> None:
    assert short_world(START, START) == SAME


def test_only_what_changed_is_written() -> None:
    after = START.model_copy(update={"distress": 1.0, "thought": None})
    assert set(stored(short_world(after, START))["=but"]) <= {"distress", "thought"}


def test_a_world_after_none_is_written_in_full() -> None:
    assert short_world(START, None) is START
