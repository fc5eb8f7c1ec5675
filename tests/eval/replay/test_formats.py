"""Reading recorded dialogues: ESConv in both forms, and our own JSON lines."""

import json
from pathlib import Path
from typing import Any

import pytest

from emoharbor.eval.replay.formats import read_replay
from emoharbor.nodes.recording import RecordedDialogue
from emoharbor.state.errors import ConfigError


def message(speaker: str, content: str, feedback: str | None = None) -> dict[str, Any]:
    return {"speaker": speaker, "content": content, "annotation": {"feedback": feedback} if feedback else {}}


def row(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "experience_type": "Current Experience", "emotion_type": "depression", "problem_type": "job crisis",
        "situation": "I lost my job.",
        "survey_score": {"seeker": {"initial_emotion_intensity": "4", "empathy": "5", "relevance": "4",
                                    "final_emotion_intensity": "2"}, "supporter": {"relevance": "5"}},
        "dialog": list(messages), **more,
    }  # fmt: skip


def read(tmp_path: Path, *rows: dict[str, Any], name: str = "talks") -> tuple[tuple[RecordedDialogue, ...], list[str]]:
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    found, refused = read_replay([path], "esconv")
    return found.recording.dialogues, refused


def test_consecutive_messages_are_joined_and_feedback_stays_with_the_message_it_came_with(tmp_path: Path) -> None:
    (found,), _ = read(tmp_path, row(
        message("seeker", "Hi"), message("seeker", "I lost my job. \n"), message("supporter", "Oh no."),
        message("supporter", "When?"), message("seeker", "Monday.", "4"), message("seeker", "It hurts."),
        message("supporter", "I see."),
    ))  # fmt: skip

    assert [(turn.user, turn.supporter, turn.feedback) for turn in found.turns] == [
        ("Hi\nI lost my job.", "Oh no.\nWhen?", ()), ("Monday.\nIt hurts.", "I see.", (4.0,)),
    ]  # fmt: skip
    assert found.ratings == {"before": 4, "after": 2, "empathy": 5, "relevance": 4}


def test_a_supporter_who_begins_has_greeted_and_the_roles_are_told(tmp_path: Path) -> None:
    (found,), _ = read(tmp_path, row(
        message("listener", "Hello, how are you?"), message("speaker", "Not well.", "3"), message("listener", "Why?"),
        message("speaker", "Bye."),
    ))  # fmt: skip

    assert (found.greeting, found.greeting_feedback) == ("Hello, how are you?", (3.0,))
    assert [(turn.user, turn.supporter, turn.feedback) for turn in found.turns] == [
        ("Not well.", "Why?", ()), ("Bye.", None, ()),
    ]  # fmt: skip
    assert found.profile.note == (
        "Feeling: depression.\n\nBefore you wrote anything, the other side said: Hello, how are you?"
    )


def test_the_profile_knows_nothing_of_what_the_person_will_write(tmp_path: Path) -> None:
    (found,), _ = read(tmp_path, row(message("seeker", "Hi"), message("supporter", "Yes?"), message("seeker", "Rain.")))

    sheet = found.profile.sheet
    assert sheet is not None
    assert (sheet.opening, sheet.lines, sheet.intensity, sheet.problem) == (None, (), 8, "job crisis")


def test_a_row_that_cannot_be_played_is_left_out_with_its_reason(tmp_path: Path) -> None:
    good = row(message("seeker", "Hi"), message("supporter", "Yes?"))
    found, refused = read(
        tmp_path, good, row(message("robot", "Beep"), message("seeker", "Hi")), row(message("seeker", "Hi", "6"))
    )

    assert [item.id for item in found] == ["esconv-0001"]
    assert "talks.json:2: left out: message 1 has the speaker 'robot'" in refused[0]
    assert "talks.json:3: left out: feedback of message 1 is '6', none of 1 to 5" in refused[1]


def test_several_files_label_their_dialogues_and_count_on(tmp_path: Path) -> None:
    good = row(message("seeker", "Hi"), message("supporter", "Yes?"))
    for name in ("well", "badly"):
        (tmp_path / f"{name}.json").write_text(json.dumps([good]), encoding="utf-8")

    found, _ = read_replay([tmp_path / "well.json", tmp_path / "badly.json"], "esconv")

    assert [(item.id, item.label) for item in found.recording.dialogues] == [
        ("esconv-0001", "well"), ("esconv-0002", "badly"),
    ]  # fmt: skip


def test_a_line_of_our_own_needs_turns_only(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text('{"turns": [{"user": "Hi", "supporter": "Yes?"}]}\n{"turns": 3}\n', encoding="utf-8")

    found, refused = read_replay([path], "jsonl")

    assert [item.id for item in found.recording.dialogues] == ["dialogue-0001"]
    assert refused == [f"{path}:2: left out: turns: Input should be a valid list"]


def test_two_dialogues_of_one_person_are_named_with_their_lines(tmp_path: Path) -> None:
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    line = '{"profile": {"id": "ann"}, "turns": [{"user": "Hello."}]}\n'
    one.write_text("\n" + line, encoding="utf-8")
    other.write_text(line, encoding="utf-8")

    with pytest.raises(ConfigError, match=r"ann talks with 'recorded' twice \(.*one\.jsonl:2 and .*other\.jsonl:1\)"):
        read_replay([one, other], "jsonl")


@pytest.mark.parametrize(
    ("text", "form", "says"),
    [("", "jsonl", "holds no dialogue"), ("{}", "esconv", "no JSON array"), ("[]", "opera", "known: esconv, jsonl")],
)
def test_a_file_of_nothing_is_refused_in_one_line(tmp_path: Path, text: str, form: str, says: str) -> None:
    path = tmp_path / "file"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(ConfigError, match=says):
        read_replay([path], form)
