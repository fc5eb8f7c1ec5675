"""Reading what is to be changed in an inner world."""

from pathlib import Path

import pytest

from emoharbor.eval.people.edits import edited, parse_edits
from emoharbor.profiles.bounds import starting_world
from emoharbor.profiles.schema import Profile
from emoharbor.state.edits import edits_between
from emoharbor.state.errors import ConfigError


@pytest.mark.parametrize(
    ("options", "means"),
    [
        (["trust=6"], {"trust": 6}),
        (["trust=6.5", "distress=2"], {"trust": 6.5, "distress": 2}),
        (["emotions=hope:5, fear:2"], {"emotions": {"hope": 5, "fear": 2}}),
        (["needs.n1=met", "needs.n2=touched"], {"needs": {"n1": "met", "n2": "touched"}}),
        (["released=f1,f2"], {"released": ["f1", "f2"]}),
        ([], {}),
    ],
)
def test_options_are_read(options: list[str], means: object) -> None:
    assert parse_edits(options) == means


def test_a_file_holds_the_same(tmp_path: Path) -> None:
    path = tmp_path / "world.json"
    path.write_text('{"trust": 6, "emotions": [{"label": "hope", "intensity": 5}]}', encoding="utf-8")

    assert parse_edits([str(path)]) == {"trust": 6, "emotions": [{"label": "hope", "intensity": 5}]}


@pytest.mark.parametrize("option", ["trust", "trust=much", "emotions=hope", "no/such/file.json"])
def test_what_is_no_edit_is_one_clear_line(option: str) -> None:
    with pytest.raises(ConfigError, match="--set"):
        parse_edits([option])


def test_a_field_of_the_record_cannot_be_edited(person: Profile) -> None:
    with pytest.raises(ConfigError, match="no such field to edit"):
        edited(starting_world(person), {"thought": {}})


def test_each_changed_field_is_one_shift(person: Profile) -> None:
    before = starting_world(person)
    need = before.needs[0].id
    after = edited(before, {"trust": 10, "needs": {need: "met"}})

    shifts = edits_between(before, after, 3)

    assert [(shift.field, shift.applied) for shift in shifts] == [("trust", 10), ("need", f"{need}:met")]
    assert {(shift.role, shift.turn, shift.cause) for shift in shifts} == {("editor", 3, "edited")}
    assert edits_between(before, before, 3) == ()
