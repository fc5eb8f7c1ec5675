"""Tables by groups of people."""

from helpers.rated import FAST, sample, scored

from emoharbor.eval.statistics.slices import WAYS, groups_of, slices
from emoharbor.profiles.loader import bundled
from emoharbor.profiles.schema import PartialProfile, Sheet

PEOPLE = dict(list(bundled().items())[:6])
RENAMED = dict(zip([f"P{index:03}" for index in range(6)], PEOPLE.values(), strict=True))


def test_everybody_is_in_a_group_by_every_way_and_nobody_unknown_is() -> None:
    for way in WAYS:
        assert all(groups_of(person, way) for person in PEOPLE.values())
        assert groups_of(PartialProfile(id="x"), way) == ()


def test_an_imported_sheet_tells_its_problem() -> None:
    assert groups_of(PartialProfile(id="x", sheet=Sheet(problem="money")), "problem") == ("money",)


def test_a_group_has_the_means_of_its_people_only_and_says_how_many() -> None:
    found = slices(sample(scored({"a": [1, 2, 3, 4, 5, 5]})), RENAMED, "trait", "lowest", FAST)

    high = next(item for item in found if item.name == "openness, high")
    members = [index for index, person in enumerate(RENAMED.values()) if person.person.traits.openness >= 50]
    scores = [[0, 25, 50, 75, 100, 100][index] for index in members]
    assert (high.people, high.supporters[0].overall) == (len(members), sum(scores) / len(scores))
    assert sum(item.people for item in found if item.name.startswith("openness")) == 6


def test_people_that_are_not_known_are_in_no_group() -> None:
    assert slices(sample(scored({"a": [1, 2]})), {}, "need", "lowest", FAST) == []
