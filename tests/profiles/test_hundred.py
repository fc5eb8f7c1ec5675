"""The set as a whole: how many, how alike, and how it compares with the plan and with the population."""

import csv
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import pytest

from emoharbor.profiles.core import choose, distance
from emoharbor.profiles.lint.lint import lint
from emoharbor.profiles.loader import bundled, load_people, profile_files
from emoharbor.profiles.population import population
from emoharbor.profiles.published import HEADER
from emoharbor.profiles.schema import CANARY
from emoharbor.profiles.similarity import Pair, pairs, story, voice
from emoharbor.profiles.stats import LABELS, NUMBERS, TRAITS, correlation, correlations, counts, spread

PEOPLE = list(bundled().values())
PLAN = Path(__file__).parents[3] / "shared" / "data" / "profile_plan.csv"
COLUMNS = {
    "problem": "problem_type", "feeling": "starting_emotion", "primary need": "primary_need",
    "secondary need": "secondary_need", "style": "expression_style", "gender": "gender", "region": "region",
    "country": "country", "education": "education", "occupation": "occupation_group", "relationship": "relationship",
    "children": "children", "risk": "risk_level", "attachment anxiety": "attachment_anxiety",
    "attachment avoidance": "attachment_avoidance",
}  # fmt: skip
TRAIT_COLUMNS = dict(zip(TRAITS, "OCEAN", strict=True))
NUMBER_COLUMNS = {
    **TRAIT_COLUMNS, "age": "age", "intensity": "starting_intensity", "disclosure pace": "disclosure_pace",
    "resistance": "resistance", "volatility": "volatility",
}  # fmt: skip
whole = pytest.mark.skipif(len(PEOPLE) < 100, reason="the hundred people are not all written yet")


@pytest.fixture
def plan() -> list[dict[str, str]]:
    if not PLAN.is_file():
        pytest.skip("../shared/data is not beside this checkout")
    with PLAN.open(encoding="utf-8") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    return [rows[profile.id] for profile in PEOPLE]


def test_there_are_a_hundred_people_each_with_header_and_canary() -> None:
    assert [profile.id for profile in PEOPLE] == [f"P{number:03d}" for number in range(1, 101)]
    assert {profile.provenance.canary if profile.provenance else None for profile in PEOPLE} == {CANARY}
    assert {profile.provenance.licence if profile.provenance else None for profile in PEOPLE} == {"CC-BY-4.0"}
    for file in profile_files("all"):
        assert file.read_text(encoding="utf-8").splitlines()[0] == HEADER


@pytest.mark.slow
def test_every_bundled_person_passes_lint_and_each_silence_has_its_reason() -> None:
    found = lint(profile_files("all"))

    assert [str(finding) for finding in found if not finding.reason] == []


def test_no_two_people_sound_alike() -> None:
    """The bounds that docs/people.md states: likeness of two-word runs, 0 to 1."""
    stories, voices = pairs(PEOPLE, story), pairs(PEOPLE, voice)

    assert mean(stories) < 0.035
    assert stories[0].similarity < 0.08
    assert mean(voices) < 0.02
    assert voices[0].similarity < 0.12


def mean(found: list[Pair]) -> float:
    return sum(pair.similarity for pair in found) / len(found)


def test_the_set_has_the_plans_marginals_and_correlations(plan: list[dict[str, str]]) -> None:
    for name, column in COLUMNS.items():
        planned = [row[column] for row in plan]
        assert counts(PEOPLE, LABELS[name]) == dict(
            sorted(((value, planned.count(value)) for value in set(planned)), key=lambda item: (-item[1], item[0]))
        ), name
    for name, column in NUMBER_COLUMNS.items():
        assert spread([NUMBERS[name](profile) for profile in PEOPLE]) == spread([float(row[column]) for row in plan])
    found = correlations(PEOPLE)
    for first, second in combinations(TRAITS, 2):
        values = ([float(row[TRAIT_COLUMNS[name]]) for row in plan] for name in (first, second))
        assert found[first, second] == pytest.approx(correlation(*values))


@whole
def test_the_traits_are_those_of_the_population() -> None:
    target = population()

    for name, measure in TRAITS.items():
        assert spread([measure(profile) for profile in PEOPLE]).mean == pytest.approx(target.means[name], abs=3)
    for (first, second), found in correlations(PEOPLE).items():
        assert found == pytest.approx(target.correlations[f"{first} {second}"], abs=0.1)


@whole
@pytest.mark.slow
def test_the_core_set_is_what_its_method_chooses() -> None:
    assert list(load_people("core")) == choose(PEOPLE)


def test_the_core_set_stands_nearer_to_all_than_the_first_twenty() -> None:
    core = list(load_people("core"))

    assert distance(PEOPLE, core).total < distance(PEOPLE, [profile.id for profile in PEOPLE[:20]]).total


def test_choosing_does_not_depend_on_the_order_and_each_person_is_chosen_once() -> None:
    some = PEOPLE[:12]

    chosen = choose(some, 4)

    assert chosen == choose(some[::-1], 4)
    assert len(set(chosen)) == 4
    assert set(choose(some, 99)) == {profile.id for profile in some}


def test_exchanging_leaves_no_single_exchange_that_would_help() -> None:
    some = PEOPLE[:10]
    ids = [profile.id for profile in some]
    chosen = choose(some, 3)
    reached = distance(some, chosen).total

    for at in range(3):
        for other in set(ids) - set(chosen):
            assert distance(some, [*chosen[:at], other, *chosen[at + 1 :]]).total >= reached - 1e-9


def test_the_sets_file_ships_with_the_package() -> None:
    assert files("emoharbor.profiles").joinpath("sets.yaml").is_file()
