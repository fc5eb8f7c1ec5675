"""ESConv dialogues (Liu et al., ACL 2021; CC BY-NC 4.0, academic research only) as a recording.

A JSON array; both forms are read: the successful dialogues (seeker, supporter) and the failed ones as published
(speaker, listener). Consecutive messages of one side are joined by line breaks.

What the supporter says before the seeker's first word is the `greeting`: it answers nothing, so it is no turn. The
roles know of it, by a note in the profile. Feedback stands with the message it was given with, and is about the
supporter's words just before it.

What the seeker goes on to write is kept from the profile: no role may know what has not been said yet.
"""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from emoharbor.nodes.recording import RecordedDialogue, RecordedTurn, Stars
from emoharbor.profiles.importers.esconv import LICENCE, SOURCE, read_dialogue
from emoharbor.profiles.importers.fields import BadRowError
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.text import is_blank

__all__ = ["LICENCE", "SOURCE", "read_esconv"]
_SIDES = {"seeker": "person", "speaker": "person", "supporter": "supporter", "listener": "supporter"}
_SCALE = (1, 5)
_SURVEY = {
    "initial_emotion_intensity": "before", "final_emotion_intensity": "after", "empathy": "empathy",
    "relevance": "relevance",
}  # fmt: skip
_ABOUT = ("experience_type", "emotion_type", "problem_type")
Block = tuple[str, str, Stars]
"""Side, its messages joined, the feedback given with them."""


def read_esconv(row: Mapping[str, Any], position: int, label: str | None) -> RecordedDialogue:
    """Return one dialogue; `position`, from 1, names it, since the source has no ids.

    Raises:
        BadRowError: when a field is missing or no text, a rating is none of 1 to 5, or the seeker says nothing.
    """
    profile = read_dialogue(row, position)
    blocks = list(_blocks(row))
    greeting: Block = blocks.pop(0) if blocks[0][0] == "supporter" else ("supporter", "", ())
    said = blocks[::2]
    answers = [text for _, text, _ in blocks[1::2]] + [None]
    turns = tuple(
        RecordedTurn(user=text, supporter=answers[number], feedback=stars if number else ())
        for number, (_, text, stars) in enumerate(said)
    )
    return RecordedDialogue(
        profile=_as_known_at_first(profile, greeting[1]),
        greeting=greeting[1],
        greeting_feedback=said[0][2],
        turns=turns,
        scale=_SCALE,
        ratings=_ratings(row),
        label=label,
        about=_about(row),
    )


def _as_known_at_first(profile: PartialProfile, greeting: str) -> PartialProfile:
    """Take out what they wrote in this very dialogue, and say how it began."""
    sheet = profile.sheet and profile.sheet.model_copy(update={"opening": None, "lines": ()})
    began = f"Before you wrote anything, the other side said: {greeting}" if greeting else ""
    note = "\n\n".join(part for part in (profile.note, began) if part)
    return profile.model_copy(update={"sheet": sheet, "note": note})


def _blocks(row: Mapping[str, Any]) -> Iterator[Block]:
    for side, group in groupby(_messages(row), key=lambda message: message[0]):
        found = list(group)
        text = "\n".join(content for _, content, _ in found if not is_blank(content))
        yield side, text, tuple(star for _, _, star in found if star is not None)


def _messages(row: Mapping[str, Any]) -> Iterator[tuple[str, str, float | None]]:
    """Yield side, words and feedback of each message that shows something, or carries feedback."""
    for number, message in enumerate(row["dialog"], start=1):
        side = _SIDES.get(str(message.get("speaker")))
        if side is None:
            raise BadRowError(
                f"message {number} has the speaker {message.get('speaker')!r}; known: {', '.join(_SIDES)}"
            )
        notes = message.get("annotation")
        given = notes.get("feedback") if isinstance(notes, dict) else None
        star = _stars(given, f"feedback of message {number}")
        if star is not None or not is_blank(message["content"]):
            yield side, message["content"].strip(), star


def _ratings(row: Mapping[str, Any]) -> dict[str, float]:
    survey = row.get("survey_score")
    seeker = survey.get("seeker") if isinstance(survey, dict) else None
    given = seeker if isinstance(seeker, dict) else {}
    found = {ours: _stars(given.get(theirs), theirs) for theirs, ours in _SURVEY.items()}
    return {name: value for name, value in found.items() if value is not None}


def _stars(value: object, place: str) -> float | None:
    if value in (None, ""):
        return None
    text = str(value).strip()
    if text not in ("1", "2", "3", "4", "5"):
        raise BadRowError(f"{place} is {value!r}, none of 1 to 5")
    return float(text)


def _about(row: Mapping[str, Any]) -> dict[str, str]:
    found = {name: str(row[name]) for name in _ABOUT if isinstance(row.get(name), str)}
    survey = row.get("survey_score")
    supporter = survey.get("supporter") if isinstance(survey, dict) else None
    if isinstance(supporter, dict) and isinstance(supporter.get("relevance"), str):
        found["supporter_relevance"] = supporter["relevance"]
    found["messages"] = str(len(row["dialog"]))
    return found
