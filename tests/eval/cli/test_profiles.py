"""`emoharbor profiles` as a user gives it."""

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from emoharbor.profiles.loader import bundled
from emoharbor.profiles.published import schema_text

Command = Callable[..., Any]
PERSON = files("emoharbor.profiles").joinpath("people", "P040.yaml").read_text(encoding="utf-8")


def test_a_table_becomes_files_that_can_be_shown_and_linted(emoharbor: Command, folder: Path) -> None:
    folder.joinpath("people.csv").write_text("id,name,age,story\na1,Ana,31,The shop closed.\n", encoding="utf-8")

    brought = emoharbor("profiles", "import", "people.csv", "--format", "csv", "-o", "mine")
    shown = emoharbor("profiles", "show", "mine/a1.yaml")
    linted = emoharbor("profiles", "lint", "mine")

    assert (brought.code, brought.out) == (0, "")
    assert "1 person written to mine, 0 rows left out" in brought.err
    assert "a run needs whole people" in brought.err
    assert "The shop closed." in shown.out
    assert linted.code == 1
    assert "a1.yaml:1: missing-field: the block `situation` is missing" in linted.out


def test_a_bad_row_is_named_and_the_good_ones_are_kept(emoharbor: Command, folder: Path) -> None:
    folder.joinpath("people.csv").write_text("id,age\na1,31\na2,old\n", encoding="utf-8")

    ended = emoharbor("profiles", "import", "people.csv", "--format", "csv", "-o", "mine")

    assert ended.code == 1
    assert "people.csv:3: left out: sheet.age: " in ended.err
    assert [path.name for path in folder.joinpath("mine").iterdir()] == ["a1.yaml"]


def test_people_that_are_there_are_not_written_over_unasked(emoharbor: Command, folder: Path) -> None:
    folder.joinpath("people.jsonl").write_text('{"id": "a"}\n', encoding="utf-8")
    import_it = ("profiles", "import", "people.jsonl", "--format", "jsonl", "-o", "mine")
    emoharbor(*import_it)
    folder.joinpath("mine", "a.yaml").write_text("id: a\nnote: mended\n", encoding="utf-8")

    again = emoharbor(*import_it)

    assert again.code == 2
    assert "exists (1 in all); name another folder, or add --replace" in again.err
    assert "mended" in folder.joinpath("mine", "a.yaml").read_text(encoding="utf-8")
    assert emoharbor(*import_it, "--replace").code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["import", "x.csv", "--format", "csv", "-o", "mine"], "x.csv: cannot be read: No such file"),
        (["import", "x.csv", "--format", "xls", "-o", "mine"], "no format is called 'xls'; known: sage, esc-eval"),
        (["lint", "."], "'.' holds no people"),
        (["lint", "P999"], "no profile, set or path is called 'P999'"),
        (["show", "core"], "'core' holds 20 people; name one of them"),
    ],
)
def test_a_mistake_is_one_line(arguments: list[str], message: str, emoharbor: Command) -> None:
    ended = emoharbor("profiles", *arguments)

    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert ended.err.count("\n") == 1


def test_drafting_needs_the_key_it_names(emoharbor: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    folder.joinpath("people.jsonl").write_text('{"id": "a"}\n', encoding="utf-8")

    ended = emoharbor(
        "profiles", "import", "people.jsonl", "--format", "jsonl", "-o", "mine", "--draft-with", "some-model"
    )

    assert ended.code == 2
    assert "OPENAI_API_KEY" in ended.err
    assert not folder.joinpath("mine").exists()


def test_lint_in_json_keeps_silenced_findings_with_their_reason(emoharbor: Command, folder: Path) -> None:
    silence = 'lint: [{rule: pace, reason: "a good reason"}]\n'
    faulty = PERSON.replace("disclosure_pace: 3", "disclosure_pace: 5") + silence
    folder.joinpath("P040.yaml").write_text(faulty, encoding="utf-8")

    ended = emoharbor("profiles", "lint", "P040.yaml", "--json")

    assert ended.code == 0
    (found,) = json.loads(ended.out)
    assert (found["rule"], found["reason"]) == ("pace", "a good reason")
    assert emoharbor("profiles", "lint", "P040.yaml").out == ""
    assert "(silenced: a good reason)" in emoharbor("profiles", "lint", "P040.yaml", "--silenced").out


def test_stats_as_tables_data_and_figure(emoharbor: Command, folder: Path) -> None:
    shown = emoharbor("profiles", "stats", "core", "--svg", "core.svg")
    data = json.loads(emoharbor("profiles", "stats", "core", "--json").out)

    assert "20 people" in shown.out
    assert data["people"] == 20
    assert sum(data["counts"]["primary need"].values()) == 20
    assert len(data["likeness"]["voices"]["nearest"]) == 5
    drawn = ElementTree.fromstring(folder.joinpath("core.svg").read_text(encoding="utf-8"))  # noqa: S314 - our own file
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}rect"))) > 50


def test_the_schema_is_printed_as_published(emoharbor: Command) -> None:
    assert emoharbor("profiles", "schema").out == schema_text()


def test_the_list_of_everybody_is_everybody(emoharbor: Command) -> None:
    assert [item["id"] for item in json.loads(emoharbor("profiles", "list", "--json").out)] == list(bundled())


def test_the_rules_are_listed(emoharbor: Command) -> None:
    assert "guarded-given: A guarded fact is told in its own words" in emoharbor("profiles", "lint", "--rules").out
