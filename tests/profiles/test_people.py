"""The bundled people: frozen, whole, and what follows from them in numbers."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.profiles.bounds import bounds_of, starting_trust, starting_world
from emoharbor.profiles.loader import bundled, load_people
from emoharbor.profiles.schema import PartialProfile, Profile
from emoharbor.profiles.stats import prose_words
from emoharbor.profiles.views import with_facts
from emoharbor.state.text import contains

PEOPLE = bundled()
PLAN = Path(__file__).parents[3] / "shared" / "data" / "profile_plan.csv"


@pytest.fixture(params=list(PEOPLE.values()), ids=list(PEOPLE))
def someone(request: pytest.FixtureRequest) -> Profile:
    found: Profile = request.param
    return found


def test_a_person_cannot_be_changed_at_any_depth(someone: Profile) -> None:
    with pytest.raises(ValueError, match="frozen"):
        someone.person.traits.openness = 1  # type: ignore[misc]  # the fault under test
    assert isinstance(someone.situation.guarded, tuple)
    assert hash(someone.person.needs) == hash(someone.person.needs)


def test_a_person_in_json_is_the_same_person_when_loaded(someone: Profile) -> None:
    assert Profile.model_validate_json(someone.model_dump_json()) == someone


def test_a_person_has_about_nine_hundred_to_eleven_hundred_words(someone: Profile) -> None:
    assert 900 <= prose_words(someone) <= 1150


def test_a_guarded_fact_is_recognised_where_it_is_told_and_nowhere_else(someone: Profile) -> None:
    telling, voice = someone.telling, someone.person.voice
    assert telling is not None
    told = {item.fact: item.says for item in telling.guarded}
    harmless = (telling.opening, *telling.open, *voice.touched, *voice.missed, *voice.asking, *voice.closing)
    for fact in someone.situation.guarded:
        assert any(contains(told[fact.id], tell) for tell in fact.tells)
        for text in (*harmless, *(says for name, says in told.items() if name != fact.id)):
            assert not any(contains(text, tell) for tell in fact.tells), text


def test_the_situation_does_not_name_the_person(someone: Profile) -> None:
    assert someone.person.name.split()[0] not in someone.situation.model_dump_json()


def test_the_two_blocks_of_different_people_make_a_person(someone: Profile) -> None:
    other = next(profile for profile in PEOPLE.values() if profile.id != someone.id)

    joined = Profile(id=f"{someone.id}~{other.id}", situation=someone.situation, person=other.person)

    world = starting_world(joined)
    assert world.distress == someone.situation.intensity
    assert world.trust == starting_trust(other)


def test_every_value_that_the_plan_fixes_equals_the_plan(someone: Profile) -> None:
    if not PLAN.is_file():
        pytest.skip("../shared/data is not beside this checkout")
    with PLAN.open(encoding="utf-8") as file:
        row = next(row for row in csv.DictReader(file) if row["id"] == someone.id)
    person, situation, traits = someone.person, someone.situation, someone.person.traits
    found = {
        "age": person.age, "gender": person.gender, "education": person.education, "country": person.country,
        "country_of_origin": person.country_of_origin, "region": person.region,
        "occupation_group": person.occupation_group, "relationship": person.relationship, "children": person.children,
        "O": traits.openness, "C": traits.conscientiousness, "E": traits.extraversion, "A": traits.agreeableness,
        "N": traits.neuroticism, "attachment_anxiety": person.attachment.anxiety,
        "attachment_avoidance": person.attachment.avoidance, "primary_need": person.needs.primary,
        "secondary_need": person.needs.secondary, "coping_1": person.coping[0], "coping_2": person.coping[1],
        "expression_style": person.voice.style, "disclosure_pace": person.disclosure_pace,
        "resistance": person.resistance, "volatility": person.volatility, "problem_type": situation.problem,
        "problem_angle": situation.angle, "starting_emotion": situation.feeling,
        "starting_intensity": situation.intensity, "risk_level": situation.risk,
    }  # fmt: skip

    assert {name: str(value) for name, value in found.items()} == {name: row[name] for name in found}


def test_half_of_the_first_twelve_want_comfort_or_esteem_and_half_a_way_forward() -> None:
    first = ["P010", "P013", "P015", "P028", "P035", "P040", "P042", "P047", "P058", "P060", "P062", "P097"]
    needs = [PEOPLE[name].person.needs.primary for name in first]

    assert sum(need in ("emotional", "esteem") for need in needs) == 6
    assert sum(need in ("informational", "tangible") for need in needs) == 6


@given(st.data())
def test_a_view_holds_the_named_facts_and_no_word_of_the_others(data: st.DataObject) -> None:
    profile = load_people("P040")["P040"]
    kept = data.draw(st.frozensets(st.sampled_from([fact.id for fact in profile.situation.guarded])))

    seen = with_facts(profile, kept)

    text = seen.model_dump_json()
    assert {fact.id for fact in seen.situation.guarded} == kept
    for fact in profile.situation.guarded:
        assert (fact.fact in text) == (fact.id in kept)


def test_an_unknown_person_starts_in_the_middle_and_nothing_is_invented() -> None:
    stranger = PartialProfile(id="unknown")

    world, limits = starting_world(stranger), bounds_of(stranger)

    assert (world.emotions, world.needs, limits.thresholds) == ((), (), ())
    assert world.trust == 2.8


def test_limits_follow_the_person() -> None:
    steady, moody = (bounds_of(PEOPLE[name]) for name in ("P010", "P058"))

    assert PEOPLE["P010"].person.volatility < PEOPLE["P058"].person.volatility
    assert steady.distress_step < moody.distress_step
    assert steady.trust_gain > moody.trust_gain
