"""ESC-Eval role cards: a JSON array, English or Chinese; a card has four lines: age, gender, occupation, problem."""

from collections.abc import Mapping
from typing import Any

from emoharbor.profiles.importers.fields import BadRowError, known, number, origin, text
from emoharbor.profiles.schema import PartialProfile, Sheet

SOURCE = "ESC-Eval role cards (github.com/haidequanbu/ESC-Eval)"
LICENCE = "none stated; all rights with the authors"
_LANGUAGES = {"english": "en", "chinese": "zh"}
_NAMES = {
    "age": "age", "gender": "gender", "occupation": "occupation", "problem": "problem",
    "年龄": "age", "性别": "gender", "职业": "occupation", "问题": "problem",
}  # fmt: skip


def read_card(row: Mapping[str, Any]) -> PartialProfile:
    """Return one person.

    Raises:
        BadRowError: when a field is missing, the language is unknown, or the card states no problem.
    """
    language = text(row, "language").casefold()
    if language not in _LANGUAGES:
        raise BadRowError(f"field 'language' is {language!r}; known: {', '.join(_LANGUAGES)}")
    card = _card(text(row, "base"))
    story = known(card.get("problem"))
    if story is None:
        raise BadRowError("the card states no problem")
    age = known(card.get("age"))
    sheet = Sheet(
        age=number(age), gender=known(card.get("gender")), occupation=known(card.get("occupation")), story=story
    )
    # an age in words ("young") is kept in words
    words = f"{'年龄' if _LANGUAGES[language] == 'zh' else 'Age'}: {age}" if age and sheet.age is None else ""
    return PartialProfile(
        id=f"esc-eval-{_number(row)}",
        language=_LANGUAGES[language],
        sheet=sheet,
        note=words,
        provenance=origin(SOURCE, LICENCE, sheet.model_dump()),
    )


def _card(base: str) -> dict[str, str]:
    found: dict[str, str] = {}
    last = ""
    for line in base.splitlines():
        head, colon, _ = line.replace("\N{FULLWIDTH COLON}", ":").partition(":")
        name = _NAMES.get(head.strip().casefold()) if colon else None
        if name:
            found[name], last = line[len(head) + 1 :].strip(), name
        elif last:
            found[last] += f"\n{line.strip()}"  # the problem may run over several lines
    return found


def _number(row: Mapping[str, Any]) -> int:
    found = row.get("id")
    if not isinstance(found, int) or isinstance(found, bool):
        raise BadRowError("field 'id' is missing or no whole number")
    return found
