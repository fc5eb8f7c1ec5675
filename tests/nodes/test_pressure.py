"""Events in the middle of a dialogue: whom they meet, who learns of them, and that the state alone decides."""

from functools import cache

import pytest
from helpers.faulty import offline_cast
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from emoharbor.eval.config import make_config
from emoharbor.eval.record import EpisodeRecord
from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import build_episode, step_limit
from emoharbor.nodes.cast import Cast, Part
from emoharbor.nodes.contract import Request
from emoharbor.nodes.pressure import GivenEvent, Pressure, events_of, happened
from emoharbor.nodes.views import state_for
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import PartialProfile, Profile
from emoharbor.state.base import Role
from emoharbor.state.episode import Channels, EpisodeState
from emoharbor.state.errors import ConfigError
from emoharbor.state.event import EVENT_KINDS, Event
from emoharbor.state.updates import SupporterUpdate

TEXT = "The landlord has just rung the bell."
GIVEN = Pressure(events=(GivenEvent(turn=2, kind="bad_news", text=TEXT), GivenEvent(turn=4, kind="misunderstanding")))
ROLES: tuple[Role, ...] = ("feel", "think", "speak", "fused")


@cache
def somebody() -> Profile:
    return load_people("P010")["P010"]


def begun(person: Profile, pressure: Pressure, supporter: str = "generic", **more: int) -> EpisodeState:
    context = EpisodeContext(supporter=supporter, max_turns=6, pressure=pressure, **more)
    return first_state(person, context)


async def played(start: EpisodeState, person: Profile, turns: list[EpisodeState] | None = None) -> EpisodeState:
    async def keep(state: Channels) -> None:
        if turns is not None:
            turns.append(EpisodeState.from_channels(state))

    graph = build_episode(offline_cast(), {person.id: person}.__getitem__, on_turn=keep)
    end = await graph.ainvoke(start.channels(), {"recursion_limit": step_limit(start.max_turns)})
    return EpisodeState.from_channels(end)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), repeat=st.integers(0, 3), draw=st.integers(0, 4), turns=st.integers(8, 20))
def test_draws_are_as_many_as_asked_for_at_turns_of_their_own(seed: int, repeat: int, draw: int, turns: int) -> None:
    pressure = Pressure(draw=draw, earliest=2)
    found = events_of(pressure, somebody(), seed=seed, repeat=repeat, max_turns=turns)
    at = [event.turn for event in found]
    assert len(found) == draw
    assert at == sorted(set(at))
    assert all(2 <= turn <= turns - 3 for turn in at)
    assert found == events_of(pressure, somebody(), seed=seed, repeat=repeat, max_turns=turns)


def test_draws_differ_between_people_and_repeats_and_not_between_supporters(person: Profile) -> None:
    pressure = Pressure(draw=1, earliest=1, latest=5)
    same = {begun(person, pressure, supporter).events for supporter in ("one", "two", "three")}
    others = {begun(person, pressure, seed=1, repeat=repeat).events for repeat in range(8)}
    assert len(same) == 1
    assert len(others) > 1


def test_a_person_without_a_situation_meets_only_wordings_that_need_none() -> None:
    part = PartialProfile(id="part")
    for seed in range(30):
        for event in events_of(Pressure(draw=2), part, seed=seed, repeat=0, max_turns=15):
            assert "{" not in event.text


@pytest.mark.parametrize(
    ("pressure", "says"),
    [
        ({"events": [{"turn": 9, "kind": "bad_news"}]}, "turn 9"),
        ({"draw": 9}, "are free"),
        ({"events": [{"turn": 2, "kind": "bad_news"}, {"turn": 2, "kind": "interruption"}]}, "one turn"),
        ({"events": [{"turn": 0, "kind": "bad_news"}]}, "greater than or equal to 1"),
        ({"kinds": []}, "at least 1"),
    ],
)
def test_a_config_with_events_that_do_not_fit_is_refused(pressure: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        make_config({"run": {"max_turns": 6, "pressure": pressure}, "supporters": [{"name": "one", "use": "offline"}]})


@pytest.mark.parametrize("role", ROLES)
def test_the_persons_roles_know_what_has_happened_and_not_what_will(role: Role, person: Profile) -> None:
    state = begun(person, GIVEN).model_copy(update={"turn": 3}).channels()
    seen = state_for(role, state, thinks=True)
    assert [event.turn for event in seen["events"]] == [2]
    assert "turn 2" in happened(seen)
    assert TEXT in happened(seen)
    assert len(state["events"]) == 2


def test_the_judge_knows_of_no_event(person: Profile) -> None:
    state = begun(person, GIVEN).model_copy(update={"turn": 5}).channels()
    for with_log in (True, False):
        assert "events" not in state_for("judge", state, thinks=True, with_log=with_log)


async def test_the_supporter_learns_only_what_is_said(person: Profile) -> None:
    requests: list[Request] = []

    async def listen(request: Request) -> SupporterUpdate:
        requests.append(request)
        return SupporterUpdate(message=f"I hear you, {request.turn}.")

    cast = offline_cast()
    heard = Cast(cast.user, None, {"generic": Part("supporter", "listener", {}, "0", None, listen)})
    graph = build_episode(heard, {person.id: person}.__getitem__)
    await graph.ainvoke(begun(person, GIVEN).channels(), {"recursion_limit": step_limit(6)})

    assert len(requests) > 3
    assert not any(TEXT in str(request) for request in requests)


async def test_an_event_moves_distress_and_is_given_as_a_cause(person: Profile) -> None:
    calm = await played(begun(person, Pressure()), person)
    struck = await played(begun(person, GIVEN), person)
    level = {world.turn: world.distress for world in calm.worlds}
    shift = next(shift for shift in struck.shifts if shift.field == "distress" and shift.turn == 2)
    assert next(world.distress for world in struck.worlds if world.turn == 2) > level[2]
    assert TEXT in shift.cause
    assert struck.messages[:4] == calm.messages[:4]


@pytest.mark.parametrize("kind", EVENT_KINDS)
async def test_the_offline_person_says_something_else_after_each_kind_of_event(kind: str, person: Profile) -> None:
    event = GivenEvent.model_validate({"turn": 2, "kind": kind})
    calm = await played(begun(person, Pressure(), "attuned"), person)
    struck = await played(begun(person, Pressure(events=(event,)), "attuned"), person)
    assert struck.messages[4].text != calm.messages[4].text


async def test_from_any_turn_the_rest_is_the_same_after_a_round_trip_through_json(person: Profile) -> None:
    saved: list[EpisodeState] = []
    whole = await played(begun(person, GIVEN, "attuned"), person, saved)
    assert len(saved) >= 5
    for state in saved:
        again = EpisodeState.model_validate_json(state.model_dump_json())
        assert await played(again, person) == whole


async def test_the_record_names_the_events_that_came_to_pass(person: Profile) -> None:
    end = await played(begun(person, GIVEN), person)
    assert [event.kind for event in EpisodeRecord.of(end).events] == ["bad_news", "misunderstanding"]
    assert EpisodeRecord.of(begun(person, GIVEN)).events == ()


def test_an_event_has_a_turn_after_the_opening() -> None:
    with pytest.raises(ValidationError):
        Event(turn=0, kind="bad_news", text="too early")
