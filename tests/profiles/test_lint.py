"""Each rule finds the fault it is for, at its line, and nothing in a sound person."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import pytest

from emoharbor.profiles.lint.finding import Finding
from emoharbor.profiles.lint.lint import EACH, TOGETHER, lint, rules
from emoharbor.profiles.lint.words import language_tables
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import Profile
from emoharbor.profiles.writer import to_yaml

GOOD = files("emoharbor.profiles").joinpath("people", "P040.yaml").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Fault:
    """A fault put into a sound file."""

    rule: str
    old: str
    new: str
    message: str
    line: str
    """What stands on the line that is named."""


FAULTS = [
    Fault("missing-field", "telling:", "telling: null\nnote: |", "the block `telling` is missing", "id: P040"),
    Fault("file-name", "id: P040", "id: P999", "id 'P999' stands in P040.yaml", "id: P999"),
    Fault(
        "length",
        "By April food had no taste;",
        "By April food had no taste;" + " and" * 300,
        "words in situation",
        "id: P040",
    ),
    Fault(
        "age-history",
        "There has been no crying.",
        "It began thirty years ago.",
        "'thirty years ago' is longer",
        "history:",
    ),
    Fault("age-history", "  children: none", "  children: grown up", "age 20 with children 'grown up'", "age: 20"),
    Fault(
        "pace", "disclosure_pace: 3", "disclosure_pace: 5", "pace 5 with a guarded style (1 to 3)", "disclosure_pace"
    ),
    Fault(
        "trait-voice",
        "She has lost four bus cards this year.",
        "She is meticulous, and never late.",
        "'meticulous' does not go with conscientiousness 8",
        "portrait:",
    ),
    Fault(
        "needs-lands",
        "A crumb she let fall",
        "Pity, and a crumb she let fall",
        "'Pity' does not answer the primary need, esteem",
        "lands:",
    ),
    Fault("risk-marked", "  risk: low", "  risk: none", "with risk none; mark the risk", "fact:"),
    Fault(
        "named-traits",
        "She has lost four bus cards this year.",
        "She is introverted.",
        "'introverted' names a trait",
        "portrait:",
    ),
    Fault(
        "rubric-words",
        "- i'm off. not because of you, relax",
        "- thanks for the empathy",
        "'empathy' is a word of the rubric",
        "thanks for the empathy",
    ),
    Fault(
        "situation-person",
        "Nothing happened all",
        "Prestes slept. Nothing happened all",
        "'Prestes' is the person's name",
        "history:",
    ),
    Fault(
        "situation-person",
        "Day off. On Sunday",
        "An extravert's day off. On Sunday",
        "'extravert' names a trait",
        "now:",
    ),
    Fault(
        "guarded-given",
        "is this free?",
        "nine times. is this free?",
        "'nine times' gives away the guarded fact recordings",
        "opening:",
    ),
    Fault(
        "guarded-given",
        "easier if morning didn't come",
        "easier to sleep on",
        "none of the tells of mornings",
        "tells:",
    ),
]


def linted(folder: Path, texts: Mapping[str, str]) -> list[Finding]:
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return lint(sorted(folder.glob("*.yaml")))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda item: f"{item.rule}: {item.new[:30]}")
def test_a_rule_finds_its_fault_and_names_the_line(fault: Fault, tmp_path: Path) -> None:
    assert fault.old in GOOD
    text = GOOD.replace(fault.old, fault.new, 1)

    found = [finding for finding in linted(tmp_path, {"P040.yaml": text}) if finding.rule == fault.rule]

    hits = [finding for finding in found if fault.message in finding.message]
    assert hits, found
    assert fault.line in text.splitlines()[hits[0].line - 1]


def test_facts_that_all_need_the_same_trust_are_found(tmp_path: Path) -> None:
    text = GOOD.replace("trust: 4", "trust: 6").replace("trust: 7.5", "trust: 6")

    assert [finding.rule for finding in linted(tmp_path, {"P040.yaml": text})] == ["guarded-trust"]


def test_a_sound_person_has_no_findings(tmp_path: Path) -> None:
    assert linted(tmp_path, {"P040.yaml": GOOD}) == []


def test_what_a_model_drafted_waits_for_a_reader(tmp_path: Path) -> None:
    text = GOOD.replace("  written: [everything else]", "  drafted: [person.portrait]")

    (found,) = linted(tmp_path, {"P040.yaml": text})

    assert (found.rule, "person.portrait was drafted by a model" in found.message) == ("drafted", True)


def test_a_copy_under_another_name_is_found_by_story_voice_line_and_name(tmp_path: Path) -> None:
    copy = GOOD.replace("id: P040", "id: P940", 1)

    found = linted(tmp_path, {"P040.yaml": GOOD, "P940.yaml": copy})

    assert {finding.rule for finding in found} == {"near-duplicates", "same-name"}
    assert {Path(finding.file).name for finding in found} == {"P940.yaml"}
    messages = " ".join(finding.message for finding in found)
    assert "the story is much like that of P040" in messages
    assert "the voice is much like that of P040" in messages
    assert "'you kept that. weird. ok.' of P040 is nearly the same line" in messages


@pytest.mark.slow
def test_a_set_of_a_hundred_is_held_against_the_population(tmp_path: Path) -> None:
    person = load_people("P040")["P040"]
    texts = {f"C{number}.yaml": to_yaml(person.model_copy(update={"id": f"C{number}"})) for number in range(100)}

    found = [item for item in linted(tmp_path, texts) if item.rule == "coverage"]

    assert "mean conscientiousness 8.0; the population has 65.3" in {finding.message for finding in found}
    assert {finding.file for finding in found} == {""}


def test_a_pronoun_without_anybody_else_gives_the_person_away(tmp_path: Path) -> None:
    person = load_people("P040")["P040"]
    alone = person.situation.model_copy(update={"history": "In spring she stopped eating."})

    found = linted(tmp_path, {"P040.yaml": to_yaml(person.model_copy(update={"situation": alone}))})

    assert [finding.message for finding in found if finding.rule == "situation-person"] == [
        "'she' seems to be the person; write 'they', since others are joined to it"
    ]


def test_a_rule_is_silenced_in_the_file_with_a_reason(tmp_path: Path) -> None:
    faulty = GOOD.replace("disclosure_pace: 3", "disclosure_pace: 5", 1)
    silence = 'lint: [{rule: pace, reason: "opens at once on the one subject of her brother"}]\n'

    (found,) = linted(tmp_path, {"P040.yaml": faulty + silence})

    assert found.reason == "opens at once on the one subject of her brother"
    assert str(found).endswith("(silenced: opens at once on the one subject of her brother)")


def test_a_silence_without_a_reason_is_no_profile(tmp_path: Path) -> None:
    (found,) = linted(tmp_path, {"P040.yaml": GOOD + "lint: [{rule: pace, reason: ok}]\n"})

    assert (found.rule, "lint.0.reason" in found.message) == ("broken", True)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("pace", "pace finds nothing here any more; remove the silence"),
        ("pase", "no rule is called 'pase'; did you mean 'pace'?"),
    ],
)
def test_a_silence_that_is_not_needed_is_found(rule: str, message: str, tmp_path: Path) -> None:
    text = GOOD + f"lint: [{{rule: {rule}, reason: a reason long enough}}]\n"

    (found,) = linted(tmp_path, {"P040.yaml": text})

    assert (found.rule, found.message) == ("silence", message)
    assert text.splitlines()[found.line - 1].startswith("lint:")


def test_a_broken_file_is_one_finding_and_the_others_are_linted(tmp_path: Path) -> None:
    found = linted(
        tmp_path, {"A.yaml": "id: A\nsheet: {agee: 3}\n", "P040.yaml": GOOD.replace("trust: 4", "trust: [", 1)}
    )

    assert [(Path(item.file).name, item.rule) for item in found] == [("A.yaml", "broken"), ("P040.yaml", "broken")]
    assert found[0].line == 2
    assert found[0].message.startswith("sheet.agee: unknown name; did you mean 'age'?")


def test_a_language_without_a_table_is_linted_by_the_rules_that_need_none(tmp_path: Path) -> None:
    text = GOOD.replace("language: en", "language: sw", 1).replace("nine times", "mara tisa", 1)

    assert "sw" not in language_tables()
    assert {finding.rule for finding in linted(tmp_path, {"P040.yaml": text})} <= {*EACH, *TOGETHER}


def test_chinese_wordings_are_found_without_word_boundaries() -> None:
    table = language_tables()["zh"]

    assert list(table.found(table.rubric, "她需要一点共情和同理心")) == ["共情", "同理心"]


def test_every_rule_says_what_it_asks_for() -> None:
    assert rules().keys() == EACH.keys() | TOGETHER.keys()
    assert all(about.endswith(".") for about in rules().values())


def test_the_table_of_faults_covers_every_rule_about_one_person() -> None:
    tried = {fault.rule for fault in FAULTS} | {"drafted", "guarded-trust"}

    assert tried == EACH.keys()


def test_profiles_with_a_silence_stay_whole() -> None:
    person = load_people("P040")["P040"]
    data = person.model_dump(mode="json") | {"lint": [{"rule": "pace", "reason": "a reason long enough"}]}

    assert Profile.model_validate(data).lint[0].rule == "pace"


WITH_ENDINGS = ["{name}'s sister", "{name}\u2019s sister", "{name}'ın kardeşi", "l'amie de {name}"]


@pytest.mark.parametrize("written", WITH_ENDINGS)
def test_a_name_with_an_ending_of_its_language_is_found_in_the_situation(written: str, tmp_path: Path) -> None:
    name = load_people("P040")["P040"].person.name.split()[0]
    old = "  history: >-\n    "
    assert old in GOOD
    path = tmp_path / "P040.yaml"
    path.write_text(GOOD.replace(old, f"{old}So said {written.format(name=name)}. ", 1), encoding="utf-8")

    found = {finding.message for finding in lint([path])}

    assert f"{name!r} is the person's name; the situation is joined to other people" in found
