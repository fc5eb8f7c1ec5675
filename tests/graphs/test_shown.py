"""What the trace of a node shows of the state, and when it can be told from the node before."""

import json
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from pydantic_core import to_json

from emoharbor.graphs.shown import follows, shown, shown_after
from emoharbor.profiles.bounds import starting_world
from emoharbor.profiles.loader import load_people
from emoharbor.state.episode import Channels, by_id
from emoharbor.state.event import Event
from emoharbor.state.outcome import Outcome

WORLD = starting_world(load_people(["P040"])["P040"])
SAID: list[AnyMessage] = [HumanMessage("Hi.", id="u0"), AIMessage("Hello.", id="a0"), HumanMessage("Well.", id="u1")]
NEWS = Event(turn=2, kind="bad_news", text="A letter comes.")
STATE: Channels = {"profile_id": "P040", "turn": 1, "last": "feel", "outcome": None, "inner": WORLD, "messages": SAID}

UPDATES = st.fixed_dictionaries(
    {},
    optional={
        "turn": st.integers(0, 3),
        "last": st.sampled_from(["feel", "speak", None]),
        "outcome": st.sampled_from([Outcome.TURN_CAP, None]),
        "inner": st.sampled_from([WORLD, WORLD.model_copy(update={"distress": 2.0})]),
        "messages": st.lists(st.builds(AIMessage, st.text(), id=st.sampled_from(["a0", "a1", "a2"])), max_size=3),
        "supporter": st.text(),
    },
)


def stored(value: object) -> Any:
    return json.loads(to_json(value, exclude_none=True, serialize_unknown=True))


def then(state: Channels, update: dict[str, Any]) -> Channels:
    """Return the state after an update, as LangGraph makes it."""
    return cast("Channels", {**state, **update, "messages": by_id(state["messages"], update.get("messages", []))})


@given(updates=st.lists(UPDATES, max_size=6), events=st.sampled_from([(), (NEWS,)]))
@example(updates=[{"outcome": Outcome.TURN_CAP}, {"outcome": None}], events=())
@example(updates=[{"turn": 2}, {"turn": 3}], events=(NEWS,))
@example(updates=[{"messages": [AIMessage("Not that.", id="a0")]}], events=())
def test_what_follows_is_told_from_what_was_shown_before_and_the_update(
    updates: list[dict[str, Any]], events: tuple[Event, ...]
) -> None:
    before: Channels = {**STATE, "events": events}
    for update in updates:
        now = then(before, update)
        if follows(now, before, update):
            assert shown_after(stored(shown(before)), stored(update)) == stored(shown(now))
        before = now


@pytest.mark.parametrize(
    "update",
    [
        {"last": "think", "inner": WORLD.model_copy(update={"distress": 2.0})},
        {"last": "speak", "messages": [HumanMessage("And?", id="u2")]},
        {"last": "supporter", "turn": 2, "messages": [AIMessage("Yes.", id="a1")]},
        {"last": "think", "outcome": Outcome.TURN_CAP},
    ],
    ids=["an inner world", "a message", "a new turn", "an end"],
)
def test_what_a_node_leaves_is_what_the_next_is_shown(update: dict[str, Any]) -> None:
    assert follows(then(STATE, update), STATE, update)


@pytest.mark.parametrize(
    ("update", "found"),
    [
        ({"last": "think"}, {"inner": WORLD.model_copy(update={"distress": 2.0})}),
        ({"last": "think"}, {"messages": SAID[:2]}),
        ({"turn": 2}, {"turn": 2, "events": (NEWS,)}),
        ({"outcome": None}, {"turn": 2}),
    ],
    ids=["an edited inner world", "a message taken out", "an event of this turn", "a turn that nobody told of"],
)
def test_what_came_from_elsewhere_does_not_follow(update: dict[str, Any], found: dict[str, Any]) -> None:
    assert not follows(cast("Channels", {**then(STATE, update), **found}), STATE, update)
