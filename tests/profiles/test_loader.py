"""A broken profile file is refused in one line that names the file, the line and the fix."""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import pytest

from emoharbor.profiles.loader import bundled, load_partial, load_people, load_profile
from emoharbor.profiles.published import HEADER
from emoharbor.state.errors import ProfileError
from emoharbor.state.yamlfile import MAX_BYTES

GOOD = (
    files("emoharbor.profiles").joinpath("people", "P040.yaml").read_text(encoding="utf-8").removeprefix(HEADER + "\n")
)


@dataclass(frozen=True)
class Broken:
    """A fault put into a good file, and the line that must be said."""

    says: str
    old: str
    new: str
    message: str


BROKEN = [
    Broken("broken YAML", "language: en", "language: [en", r"P040.yaml:\d+: broken YAML: "),
    Broken("an unknown field", "language: en", "langauge: en", r"P040.yaml:2: langauge: "),
    Broken("a key that stands twice", "language: en", "language: en\nlanguage: en", r":3: broken YAML: key 'language'"),
    Broken("a day no month has", "language: en", "language: 2024-02-30", r":2: broken YAML: this cannot be read"),
    Broken("a value off the scale", "  volatility: 3", "  volatility: 9", r"person.volatility: Input should be less"),
    Broken("an emotion off the list", "feeling: sadness", "feeling: blue", r":\d+: situation.feeling: Input should be"),
    Broken("an id unfit for file names", "id: P040", "id: ../P040", r":1: id: String should match pattern"),
    Broken("a low risk without advice", "  risk_note: >-", "  x_note: >-", r":\d+: situation"),
    Broken("two facts with one id", "- id: mornings", "- id: recordings", r"guarded facts share an id"),
    Broken("a fact nobody tells", "- fact: mornings", "- fact: evenings", r"must tell each guarded fact once"),
]


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.says)
def test_a_fault_is_named_with_file_line_and_place(case: Broken, tmp_path: Path) -> None:
    assert case.old in GOOD
    path = tmp_path / "P040.yaml"
    path.write_text(GOOD.replace(case.old, case.new, 1), encoding="utf-8")

    with pytest.raises(ProfileError, match=case.message) as caught:
        load_profile(path)

    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"\xff\xfe\x00", "1: not UTF-8; save the file as UTF-8"),
        (b"", "holds no mapping; it should be a person with id, situation and person"),
        (b"- a list", "holds no mapping"),
        (b"x" * (MAX_BYTES + 1), "at most 1000000"),
    ],
)
def test_a_file_that_is_no_profile_at_all(raw: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "P1.yaml"
    path.write_bytes(raw)

    with pytest.raises(ProfileError, match=message):
        load_profile(path)


def test_the_same_id_in_two_files_names_both(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(GOOD, encoding="utf-8")

    with pytest.raises(ProfileError, match=r"b\.yaml: profile id 'P040' is already used by .*a\.yaml"):
        load_people(str(tmp_path))


def test_people_are_found_by_set_id_and_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD.replace("id: P040", "id: mine"), encoding="utf-8")

    assert list(load_people(["P062", "P010", str(path)])) == ["P062", "P010", "mine"]
    assert load_people("all").keys() == bundled().keys()


def test_a_folder_is_read_whole_whatever_the_ending(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD.replace("id: P040", "id: a"), encoding="utf-8")
    (tmp_path / "b.yml").write_text(GOOD.replace("id: P040", "id: b"), encoding="utf-8")

    assert list(load_people(str(tmp_path))) == ["a", "b"]


def test_a_folder_without_profiles_is_named(tmp_path: Path) -> None:
    (tmp_path / "readme.txt").write_text("nobody here", encoding="utf-8")

    with pytest.raises(ProfileError, match=r"the folder .* holds no people: no file in it ends in \.yaml or \.yml"):
        load_people(str(tmp_path))


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("P999", r"no profile, set or path is called 'P999'; known: sets .*core; people P001 to P100; files"),
        ("cor", r"'cor'; did you mean 'core'\?"),
        ("nobody.yaml", r"'nobody.yaml'; there is no such file or folder"),
        ("P010.guardd", r"'P010.guardd'; no preset is called 'guardd'; presets to put behind: .guarded, "),
        (["P040", "P040"], r"'P040' is asked for twice; name each person once"),
        (["all", "P040"], r"'P040' is asked for twice, by 'all' and 'P040'; name each person once"),
        ([], "no profile is asked for"),
    ],
)
def test_what_does_not_exist_is_said_with_what_does(wanted: str | list[str], message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        load_people(wanted)


def test_a_text_read_again_gives_the_same_frozen_person_and_a_changed_one_does_not(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD, encoding="utf-8")
    first, again = load_profile(path), load_profile(path)
    path.write_text(GOOD.replace("id: P040", "id: mine", 1), encoding="utf-8")

    assert first is again
    assert load_profile(path).id == "mine"


def test_a_person_known_in_part_loads_as_such_and_not_as_a_whole_one(tmp_path: Path) -> None:
    path = tmp_path / "part.yaml"
    path.write_text("id: part\nsheet: {name: Ana, story: She moved.}\n", encoding="utf-8")

    profile, file = load_partial(path)

    assert profile.sheet is not None
    assert (profile.sheet.name, profile.person) == ("Ana", None)
    assert file.at(("sheet", "story")).endswith("part.yaml:2")
    with pytest.raises(ProfileError, match=r"part.yaml:1: situation: Field required"):
        load_profile(path)


def test_the_core_set_is_twenty_bundled_people() -> None:
    core = load_people("core")

    assert len(core) == 20
    assert core.keys() <= bundled().keys()
