"""Every row of the shared files becomes a person or is refused with a reason; what a source lacks stays missing."""

import json
from collections.abc import Mapping
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.profiles.importers import rows
from emoharbor.profiles.importers.fields import BadRowError
from emoharbor.profiles.importers.rows import Refused, Row, csv_rows, json_lines
from emoharbor.profiles.importers.table import IMPORTERS, Imported, import_people
from emoharbor.profiles.loader import bundled, load_partial
from emoharbor.profiles.schema import PartialProfile, Sheet
from emoharbor.profiles.writer import to_yaml
from emoharbor.state.errors import ProfileError
from emoharbor.state.text import clean, contains, shares_a_run
from emoharbor.state.yamlfile import parse_yaml

DATA = Path(__file__).parents[3] / "shared" / "data"
SAGE, CARDS = DATA / "sage" / "profiles.jsonl", DATA / "esc_eval" / "cards.json"
PERSONAS = DATA / "esc_judge" / "personas.jsonl"
DIALOGUES, FAILED = DATA / "esconv" / "sample.json", DATA / "esconv" / "failed_as_published.json"
SHARED = [("sage", SAGE, 100), ("esc-eval", CARDS, 40), ("esc-judge", PERSONAS, 20), ("esconv", DIALOGUES, 200),
          ("esconv", FAILED, 50)]  # fmt: skip


def shared(form: str, path: Path) -> Imported:
    if not path.is_file():
        pytest.skip("../shared/data is not beside this checkout")
    return import_people(path, form)


def sheet_of(profile: PartialProfile) -> Sheet:
    assert profile.sheet is not None
    return profile.sheet


@pytest.mark.parametrize(("form", "path", "count"), SHARED, ids=[f"{form} {path.stem}" for form, path, _ in SHARED])
def test_every_row_of_a_shared_file_becomes_a_person_that_survives_its_file(
    form: str, path: Path, count: int, tmp_path: Path
) -> None:
    found = shared(form, path)

    assert (len(found.people), found.refused) == (count, ())
    for person in found.people:
        file = tmp_path / f"{person.id}.yaml"
        file.write_text(to_yaml(person), encoding="utf-8")
        assert load_partial(file)[0] == person


@pytest.mark.parametrize(("form", "path", "count"), SHARED, ids=[f"{form} {path.stem}" for form, path, _ in SHARED])
def test_an_imported_person_has_only_what_the_source_says(form: str, path: Path, count: int) -> None:
    del count
    for person in shared(form, path).people:
        assert (person.situation, person.person, person.telling) == (None, None, None)
        assert person.provenance is not None
        assert set(person.provenance.from_data) == {
            name for name, value in sheet_of(person).model_dump().items() if value
        }


def test_the_hidden_need_of_a_sage_person_is_where_the_user_side_does_not_look() -> None:
    people = shared("sage", SAGE).people
    raw = {row["id"]: row for row in map(json.loads, SAGE.read_text(encoding="utf-8").splitlines())}

    for person in people:
        sheet, row = sheet_of(person), raw[person.id]
        shown = "\n".join(text or "" for text in (sheet.persona, sheet.manner, sheet.story, sheet.opening, person.note))
        assert contains(row["scene"], row["task"])
        assert sheet.hidden is not None
        assert contains(sheet.hidden, row["task"])
        assert not shares_a_run(shown, row["task"])
        assert not any(contains(shown, word) for word in ("隐藏主题", "NPC", "emotion"))


def test_most_of_a_sage_story_is_kept() -> None:
    people = shared("sage", SAGE).people
    raw = {row["id"]: row for row in map(json.loads, SAGE.read_text(encoding="utf-8").splitlines())}

    for person in people:
        story = sheet_of(person).story
        assert story is not None
        assert len(story) > len(raw[person.id]["scene"]) / 2


def test_known_values_of_the_sources() -> None:
    sage = sheet_of(shared("sage", SAGE).people[0])
    card = next(person for person in shared("esc-eval", CARDS).people if person.id == "esc-eval-32348")
    chinese = next(person for person in shared("esc-eval", CARDS).people if person.id == "esc-eval-10921")
    persona = sheet_of(shared("esc-judge", PERSONAS).people[0])
    talk = shared("esconv", DIALOGUES).people[0]

    assert (sage.name, sage.age, sage.gender, sage.occupation) == ("王小云", 23, "女性", "时尚博主")
    assert sheet_of(card).model_dump(include={"age", "gender", "occupation"}) == {
        "age": None, "gender": None, "occupation": "university student",
    }  # fmt: skip
    assert (card.language, card.note) == ("en", "Age: young")
    assert (chinese.language, sheet_of(chinese).occupation, sheet_of(chinese).gender) == ("zh", "高中生", None)
    assert (persona.age, persona.gender, persona.name) == (37, "male", None)
    assert (sheet_of(talk).problem, sheet_of(talk).feeling, sheet_of(talk).intensity) == ("job crisis", "anxiety", 10)
    assert sheet_of(talk).opening == "Hello"


def test_a_feeling_that_is_not_on_our_list_stays_a_word_of_the_source() -> None:
    people = shared("esconv", DIALOGUES).people

    told = [person for person in people if person.note]

    assert told
    assert all((sheet_of(person).feeling is None) == bool(person.note) for person in people)


def test_our_own_people_come_back_as_they_went(tmp_path: Path) -> None:
    people = tuple(bundled().values())
    path = tmp_path / "people.jsonl"
    path.write_text("".join(f"{person.model_dump_json()}\n" for person in people), encoding="utf-8")

    assert import_people(path, "jsonl") == Imported(people, ())


def test_our_own_file_of_one_person_is_that_person() -> None:
    person = bundled()["P040"]
    path = Path(str(files("emoharbor.profiles").joinpath("people", "P040.yaml")))

    assert import_people(path, "yaml") == Imported((person,), ())


def test_a_table_is_read_by_its_mapping(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(
        "Nr,Alter,Beruf,Problem,x\nA1,31,Bäckerin,Der Ofen ist kalt.,1\nA2,,,Umzug,2\n", encoding="utf-8-sig"
    )

    found = import_people(path, "csv", {"id": "Nr", "age": "Alter", "occupation": "Beruf", "story": "Problem"})

    assert [person.id for person in found.people] == ["A1", "A2"]
    assert sheet_of(found.people[0]) == Sheet(age=31, occupation="Bäckerin", story="Der Ofen ist kalt.")
    assert sheet_of(found.people[1]) == Sheet(story="Umzug")


def test_a_table_without_a_mapping_has_our_names(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("name,age\nAna,40\n", encoding="utf-8")

    (person,) = import_people(path, "csv").people

    assert (person.id, sheet_of(person).name) == ("row-0001", "Ana")


ODD: list[tuple[str, bytes, int, str]] = [
    ("jsonl", b'{"id": "a"}\n{"id": \xff}\n{"id": "b"}\n', 2, "not UTF-8"),
    ("jsonl", b'{"id": "a"}\n{"id": \n{"id": "b"}\n', 2, "no JSON: Expecting value at character"),
    ("jsonl", b'{"id": "a"}\n[1]\n{"id": "b"}\n', 2, "holds list, not an object with fields"),
    ("jsonl", b'{"id": "a"}\n{"id": "a"}\n{"id": "b"}\n', 2, "id 'a' stands twice"),
    ("jsonl", b'{"id": "a"}\n{"id": "../x"}\n{"id": "b"}\n', 2, "id: String should match pattern"),
    ("jsonl", b'{"id": "a"}\n{"id": "c", "noet": ""}\n{"id": "b"}\n', 2, "noet: unknown name; did you mean 'note'?"),
    ("jsonl", b'{"id": "a"}\n' + b"[" * 90_000 + b'\n{"id": "b"}\n', 2, "no JSON"),
    ("jsonl", b'{"id": "a"}\n{"note": "' + b"x" * rows.MAX_ROW_BYTES + b'"}\n{"id": "b"}\n', 2, "a row has at most"),
    ("csv", b"id,name,age\na,Ana,3\nc,Bo,3,4\nb,Ci,5\n", 3, "4 cells where the first line names 3"),
    ("csv", b"id,name,age\na,Ana,3\nc,Bo,old\nb,Ci,5\n", 3, "sheet.age: Input should be a valid integer"),
    ("csv", b"id,name,age\na,Ana,3\nc,,\nb,Ci,5\n", 3, "none of the columns that the mapping names is filled"),
]


@pytest.mark.parametrize(("form", "raw", "line", "reason"), ODD, ids=[reason[:40] for *_, reason in ODD])
def test_a_bad_row_is_refused_alone_with_line_and_reason(
    form: str, raw: bytes, line: int, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "rows"
    path.write_bytes(raw)

    found = import_people(path, form)

    assert [person.id for person in found.people] == ["a", "b"]
    (refused,) = found.refused
    assert refused.line == line
    assert reason in refused.reason
    assert "\n" not in refused.reason


@pytest.mark.parametrize(
    ("form", "raw", "message"),
    [
        ("esconv", b"\xff[]", "line 1: not UTF-8; save the file as UTF-8"),
        ("esconv", b"{}", "no JSON array"),
        ("esconv", b"[\n{", "line 2: no JSON"),
        ("esconv", b"[" + b"1" * 5000 + b"]", "no JSON: a number has too many digits"),
        ("csv", b"a,b\n\xff\n", "line 2: not UTF-8"),
        ("csv", b"", "the file is empty"),
        ("yaml", b"id: a\nnote: [", "rows: line:3: broken YAML"),
        ("yaml", b"id: \xff", "line 1: not UTF-8"),
        ("word", b"", "no format is called 'word'; known: sage, "),
    ],
)
def test_a_file_that_cannot_be_read_at_all(form: str, raw: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(raw)

    with pytest.raises(ProfileError) as caught:
        import_people(path, form)

    assert message in str(caught.value)


def test_a_file_larger_than_the_limit_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"x" * 11)
    monkeypatch.setattr(rows, "MAX_FILE_BYTES", 10)

    with pytest.raises(ProfileError, match="11 bytes; at most 10 are read; split the file"):
        import_people(path, "jsonl")


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"agee": "Alter"}, "no field is called 'agee'; did you mean 'age'?"),
        ({"age": 3}, "age: write the name of a column"),
    ],
)
def test_a_bad_mapping_is_named(mapping: Mapping[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("Alter\n3\n", encoding="utf-8")

    with pytest.raises(ProfileError, match=message.replace("?", r"\?")):
        import_people(path, "csv", mapping)


FIELDS: dict[str, dict[str, Any]] = {
    "sage": {
        "id": "s1",
        "player": "* 姓名：云",
        "scene": "她搬家了。\n### 隐藏主题",
        "task": "想被倾听",
        "first_talk": "你好",
    },
    "esc-eval": {"id": 7, "base": "Age: 3\nProblem: rain", "language": "english"},
    "esc-judge": {
        "pid": "j1",
        "final_persona": "a",
        "role": "b",
        "life_events": "c",
        "behavioral_traits": "d",
        "challenge": "e",
    },
    "esconv": {
        "problem_type": "job crisis",
        "emotion_type": "fear",
        "situation": "s",
        "dialog": [{"speaker": "seeker", "content": "hi"}],
    },
}
LACKING = [(form, field) for form, row in FIELDS.items() for field in row]


@pytest.mark.parametrize(("form", "field"), LACKING)
def test_a_row_that_lacks_a_field_names_it(form: str, field: str) -> None:
    importer = IMPORTERS[form]
    assert importer.convert(FIELDS[form], 1, {}).sheet is not None

    with pytest.raises(BadRowError, match=field):
        importer.convert({name: value for name, value in FIELDS[form].items() if name != field}, 1, {})


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_any_bytes_are_rows_or_refusals_line_by_line(lines: list[bytes]) -> None:
    raw = b"\n".join(lines)

    found = list(json_lines(raw))

    filled = [line for line in raw.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()]
    assert len(found) == len(filled)
    assert all(isinstance(item, Row | Refused) for item in found)


@given(st.text(max_size=80))
def test_any_text_is_a_table_or_refused(text: str) -> None:
    raw = text.encode("utf-8", "surrogatepass")
    with suppress(ProfileError):  # no line of names
        assert all(isinstance(item, Row | Refused) for item in csv_rows(raw))


@given(st.text(min_size=1, max_size=200))
def test_any_text_survives_a_written_file(text: str) -> None:
    person = PartialProfile(id="x", sheet=Sheet(story=clean(text)))

    file = parse_yaml(to_yaml(person), Path("x.yaml"), ProfileError, "a person")

    assert PartialProfile.model_validate(file.data) == person
