"""Who rates in somebody's stead: never oneself, always the same, opposite, and able to have lived the situation."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emoharbor.profiles.bounds import starting_world
from emoharbor.profiles.donors import (
    AGES,
    FAR,
    LOOSENED,
    Distance,
    contradictions,
    distance,
    donor_for,
    partners,
    recombined,
)
from emoharbor.profiles.loader import bundled
from emoharbor.profiles.schema import Person, Profile
from emoharbor.state.errors import ProfileError

PEOPLE = bundled()
IDS = sorted(PEOPLE)
some = st.lists(st.sampled_from(IDS), min_size=2, max_size=9, unique=True)
Change = Callable[[Person], Person]


@given(some)
@settings(max_examples=40, deadline=None)
def test_a_donor_is_somebody_else_and_the_same_in_any_order(ids: list[str]) -> None:
    one = PEOPLE[ids[0]]
    pool = [PEOPLE[name] for name in ids]

    found = donor_for(one, pool)

    assert found.id != one.id
    assert found == donor_for(one, reversed(pool))
    assert found.distance == distance(one.person, PEOPLE[found.id].person)
    assert found.loosened == contradictions(one.person, PEOPLE[found.id].person)


@given(some)
@settings(max_examples=40, deadline=None)
def test_nobody_who_fits_better_is_as_opposite_as_the_donor(ids: list[str]) -> None:
    one = PEOPLE[ids[0]]
    found = donor_for(one, [PEOPLE[name] for name in ids])
    for name in ids[1:]:
        apart = distance(one.person, PEOPLE[name].person).total
        if not contradictions(one.person, PEOPLE[name].person) and apart >= FAR:
            assert not found.loosened
            assert found.distance.total >= apart


@given(some)
@settings(max_examples=40, deadline=None)
def test_partners_exchange_the_seat_and_at_most_one_stays_alone(ids: list[str]) -> None:
    found = partners([PEOPLE[name] for name in ids])

    assert all(found[donor.id].id == name and donor.id != name for name, donor in found.items())
    assert len(found) == len(ids) - len(ids) % 2
    assert {name: donor.id for name, donor in found.items()} == {
        name: donor.id for name, donor in partners([PEOPLE[name] for name in reversed(ids)]).items()
    }


@given(st.sampled_from(IDS), st.sampled_from(IDS))
@settings(max_examples=60, deadline=None)
def test_distance_is_symmetric_from_nothing_to_one(one: str, other: str) -> None:
    first, second = PEOPLE[one].person, PEOPLE[other].person

    assert distance(first, second) == distance(second, first)
    assert all(0 <= part <= 1 for part in distance(first, second).model_dump().values())
    assert contradictions(first, second) == contradictions(second, first)
    assert distance(first, first) == Distance(personality=0, needs=0, coping=0, voice=0)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"age": 32 + AGES + 1}, "age"),
        ({"region": "Europe"}, "region"),
        ({"relationship": "married"}, "partnership"),
        ({"relationship": "widowed"}, "partnership"),
        ({"children": "newborn"}, "parenthood"),
        ({"occupation_group": "farming"}, "work"),
        ({"age": 32 + AGES, "gender": "man", "country": "Nepal"}, None),
    ],
)
def test_a_rule_for_each_fact_that_would_contradict_the_situation(changes: dict[str, object], rule: str | None) -> None:
    one = PEOPLE["P001"].person  # 32, South Asia, single, no children, a student

    assert contradictions(one, one.model_copy(update=changes)) == ((rule,) if rule else ())


def test_a_child_is_the_last_thing_to_be_given_up() -> None:
    one = PEOPLE["P001"]
    apart = {"needs": one.person.needs.model_copy(update={"primary": "tangible", "secondary": "informational"})}
    coping = {"coping": ("distancing",), "voice": one.person.voice.model_copy(update={"style": "verbose"})}
    elsewhere = _copy(one, "A", **apart, **coping, region="Europe", occupation_group="farming")
    parent = _copy(one, "B", **apart, **coping, children="newborn")

    assert donor_for(one, [parent, elsewhere]).id == "A"
    assert donor_for(one, [parent]).loosened == (LOOSENED[-1],)


def test_alone_there_is_nobody_to_rate_in_ones_stead() -> None:
    with pytest.raises(ProfileError, match="P001: there is nobody else"):
        donor_for(PEOPLE["P001"], [PEOPLE["P001"]])
    assert partners([PEOPLE["P001"]]) == {}


def test_every_bundled_person_has_an_opposite_donor() -> None:
    found = [donor_for(PEOPLE[name], PEOPLE.values()) for name in IDS[::5]]

    assert all(donor.distance.total >= FAR for donor in found)
    assert not any({"partnership", "parenthood"} & set(donor.loosened) for donor in found)


def test_a_recombined_person_has_one_ones_situation_and_the_others_person() -> None:
    one, other = PEOPLE["P001"], PEOPLE["P073"]
    both = recombined(one, other)

    assert (both.id, both.situation, both.person, both.telling) == ("P001~P073", one.situation, other.person, None)
    assert starting_world(both).distress == starting_world(one).distress


def _copy(profile: Profile, name: str, **changes: object) -> Profile:
    return profile.model_copy(update={"id": name, "person": profile.person.model_copy(update=changes)})
