"""ESConv dialogues (CC BY-NC 4.0, academic research only): a JSON array of situation, types, survey, and the dialogue.

The failed dialogues use other words for the two speakers; both are read. Intensity 1 to 5 becomes 2 to 10.
"""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from emoharbor.profiles.importers.fields import BadRowError, origin, text
from emoharbor.profiles.schema import PartialProfile, ProblemType, Sheet
from emoharbor.state.inner_world import EmotionLabel
from emoharbor.state.text import is_blank

SOURCE = "ESConv (Liu et al., ACL 2021)"
LICENCE = "CC BY-NC 4.0; academic research use only"
_SEEKERS = ("seeker", "speaker")
_PROBLEMS = {"conflict with parents": "issues with parents", **{name: name for name in get_args(ProblemType)}}
_FEELINGS = {name: name for name in get_args(EmotionLabel)}
"""Feelings that have the same name here; others (`depression`, `nervousness`) stay words of the source."""
_SCALE = 2


def read_dialogue(row: Mapping[str, Any], position: int) -> PartialProfile:
    """Return the seeker of one dialogue; `position`, from 1, names them, since the source has no ids.

    Raises:
        BadRowError: when a field is missing, or the seeker says nothing.
    """
    problem, feeling = text(row, "problem_type").casefold(), text(row, "emotion_type").casefold()
    said = tuple(_said(row))
    if not said:
        raise BadRowError("the seeker says nothing in 'dialog'")
    sheet = Sheet.model_validate(
        {
            "problem": _PROBLEMS.get(problem),
            "feeling": _FEELINGS.get(feeling),
            "intensity": _intensity(row),
            "story": text(row, "situation"),
            "opening": said[0],
            "lines": said[1:],
        }
    )
    words = (
        "" if sheet.problem else f"Problem: {problem}.",
        "" if sheet.feeling else f"Feeling: {feeling}.",
    )
    return PartialProfile(
        id=f"esconv-{position:04d}",
        sheet=sheet,
        note=" ".join(part for part in words if part),
        provenance=origin(SOURCE, LICENCE, sheet.model_dump()),
    )


def _said(row: Mapping[str, Any]) -> Iterator[str]:
    dialogue = row.get("dialog")
    if not isinstance(dialogue, list):
        raise BadRowError("field 'dialog' is missing or no list")
    for message in dialogue:
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(content, str):
            raise BadRowError("a message of 'dialog' has no 'content'")
        if message.get("speaker") in _SEEKERS and not is_blank(content):
            yield content.strip()


def _intensity(row: Mapping[str, Any]) -> int | None:
    survey = row.get("survey_score")
    seeker = survey.get("seeker") if isinstance(survey, dict) else None
    found = seeker.get("initial_emotion_intensity") if isinstance(seeker, dict) else None
    return _SCALE * int(found) if isinstance(found, str) and found in {"1", "2", "3", "4", "5"} else None
