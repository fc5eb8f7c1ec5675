"""Hard-seeker presets: what they change, what they leave, and how they are named."""

import pytest

from emoharbor.profiles.bounds import bounds_of, starting_trust
from emoharbor.profiles.loader import bundled, load_people
from emoharbor.profiles.presets import overlaid, parted, presets
from emoharbor.profiles.schema import Profile
from emoharbor.state.errors import ProfileError


@pytest.mark.parametrize("name", presets())
def test_every_preset_fits_everybody(name: str) -> None:
    for profile in bundled().values():
        made = overlaid(profile, [name])
        assert Profile.model_validate(made.model_dump()) == made
        assert made.id == f"{profile.id}.{name}"


def test_a_guarded_person_trusts_less_and_tells_later() -> None:
    for profile in bundled().values():
        made = overlaid(profile, ["guarded"])
        assert starting_trust(made) <= starting_trust(profile)
        pairs = zip(profile.situation.guarded, made.situation.guarded, strict=True)
        assert all(before.trust <= after.trust <= 10 for before, after in pairs)
        assert made.person.disclosure_pace == 1


def test_a_resistant_person_gains_trust_slower_and_a_volatile_one_moves_further() -> None:
    person = bundled()["P010"]
    assert bounds_of(overlaid(person, ["resistant"])).trust_gain < bounds_of(person).trust_gain
    assert bounds_of(overlaid(person, ["volatile"])).distress_step > bounds_of(person).distress_step


def test_story_life_and_voice_stay_as_they_are() -> None:
    person = bundled()["P010"]
    made = overlaid(person, presets())
    assert made.telling == person.telling
    assert (made.person.voice, made.person.portrait) == (person.person.voice, person.person.portrait)
    assert made.situation.model_copy(update={"guarded": ()}) == person.situation.model_copy(update={"guarded": ()})


def test_presets_stand_behind_a_set_an_id_or_a_path() -> None:
    people = load_people(["P010", "P010.resistant.volatile", "core.guarded"])
    assert list(people)[:2] == ["P010", "P010.resistant.volatile"]
    assert {name.rpartition(".")[2] for name in list(people)[2:]} == {"guarded"}
    assert people["P010.resistant.volatile"].person.volatility == 5


def test_a_name_that_is_no_preset_stays_part_of_the_name() -> None:
    assert parted("people/my.yaml") == ("people/my.yaml", ())
    assert parted("core.guarded.resistant") == ("core", ("guarded", "resistant"))
    assert parted("guarded") == ("guarded", ())


@pytest.mark.parametrize(
    ("name", "says"), [("P010.gaurded", "presets to put behind: .guarded"), ("P010.guarded.guarded", "named twice")]
)
def test_a_wrong_name_is_one_clear_line(name: str, says: str) -> None:
    with pytest.raises(ProfileError, match=says):
        load_people(name)
