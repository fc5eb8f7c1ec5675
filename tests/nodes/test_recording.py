"""Recordings: what they hold, what is refused, and how the two nodes find their lines."""

import asyncio
import json
from pathlib import Path

import pytest
from helpers.recordings import ANSWERED, SHORT, dialogue
from langchain_core.messages import AnyMessage
from pydantic import ValidationError

from emoharbor.nodes.contract import Request, Runtime
from emoharbor.nodes.recorded import recorded_speak
from emoharbor.nodes.recording import Recording, load_recording
from emoharbor.nodes.supporters.recorded import recorded_supporter
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.dialogue import supporter_message, user_message
from emoharbor.state.episode import Channels
from emoharbor.state.errors import CastError, SupporterFault
from emoharbor.state.seeds import derive_seed


def talk(*lines: str) -> list[AnyMessage]:
    return [(supporter_message if at % 2 else user_message)(at // 2, text) for at, text in enumerate(lines)]


def test_a_recording_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(Recording([SHORT, ANSWERED]).text(), encoding="utf-8")

    assert load_recording(path).dialogues == (SHORT, ANSWERED)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "r.jsonl:1: broken JSON"),
        ('{"profile": {"id": "a"}, "turns": []}', "r.jsonl:1: turns"),
        ('{"profile": {"id": "a"}, "turns": [{"user": "x"}, {"user": "y"}]}', "only the last turn may lack an answer"),
        ('{"profile": {"id": "a"}, "turns": [{"user": "x"}], "ratings": {"empathy": 6}}', "outside the scale"),
        ('{"profile": {"id": "a"}, "turns": [{"user": "x"}], "scale": [5, 1]}', "from 5 to 1; low has to be below"),
        ("\n", "holds no dialogue"),
    ],
)  # fmt: skip
def test_a_broken_recording_is_refused_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(CastError, match=says):
        load_recording(path)


def test_dialogues_that_cannot_be_told_apart_are_refused() -> None:
    with pytest.raises(CastError, match="talks with 'recorded' twice"):
        Recording([SHORT, SHORT])
    with pytest.raises(CastError, match="goes on differently at turn 0"):
        Recording([SHORT, dialogue("ann", "Hi.", "Hello.", supporter="other")])
    with pytest.raises(CastError, match="goes on differently at turn 1"):
        Recording([SHORT, dialogue("ann", "I lost my job.", "That is hard.", "No.", supporter="other")])


async def test_the_speaker_says_what_was_said_after_just_these_answers() -> None:
    other = dialogue("ann", "I lost my job.", "Cheer up!", "Leave me be.", supporter="blunt")
    speak = recorded_speak(Recording([SHORT, other]))
    after = Channels(profile_id="ann", turn=1, messages=talk("I lost my job.", "Cheer up!"))

    update = await speak(after, Runtime(SHORT.profile, 0, 3))

    assert update.message == "Leave me be."
    assert update.ends == "over"


async def test_a_recorded_person_answers_nobody_else() -> None:
    speak = recorded_speak(Recording([SHORT]))
    after = Channels(profile_id="ann", turn=1, messages=talk("I lost my job.", "Never said."))

    with pytest.raises(CastError, match="answers only what they were really told"):
        await speak(after, Runtime(PartialProfile(id="ann"), 0, 3))


async def test_the_supporter_finds_its_line_by_the_seed_and_never_learns_who_it_is() -> None:
    first = dialogue("eve", "Hello.", "Hi, I'm here.", "Thanks.", "Of course.")
    second = dialogue("kim", "Hello.", "What brings you?", "Rain.", "Tell me.")
    supporter = recorded_supporter(answers=Recording([first, second]).answers("recorded", 7))

    said = [
        await supporter(Request(tuple(talk("Hello.")), "t", 0, derive_seed(7, who, 0, "recorded", "supporter", 0)))
        for who in ("eve", "kim")
    ]

    assert [item.message for item in said] == ["Hi, I'm here.", "What brings you?"]
    with pytest.raises(SupporterFault, match="no answer at turn 0"):
        await supporter(Request(tuple(talk("Hello.")), "t", 0, 1))


def test_feedback_outside_the_scale_is_refused() -> None:
    with pytest.raises(ValidationError, match="outside the scale"):
        dialogue("a", "x", "y", "z", stars=(9,))


def test_a_file_can_be_named_in_a_config(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(SHORT.model_dump(mode="json")), encoding="utf-8")
    start = Channels(profile_id="ann", turn=0, messages=[])

    assert asyncio.run(_first(path, start)) == "I lost my job."


async def _first(path: Path, start: Channels) -> str:
    return (await recorded_speak(str(path))(start, Runtime(SHORT.profile, 0, 3))).message
