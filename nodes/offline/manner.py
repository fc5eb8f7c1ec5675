"""How a person writes, seen from their own lines, so that lines of ours can be put the same way."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from emoharbor.profiles.schema import PartialProfile, Person, Telling

_LONGER = {
    "won't": "will not", "can't": "cannot", "n't": " not", "'re": " are", "'ve": " have", "'ll": " will", "'m": " am",
    "i'd rather": "I would rather", "nobody's": "nobody has", "i'd": "I would", "it's": "it is", "that's": "that is",
    "there's": "there is", "what's": "what is", "let's": "let us", "everything's": "everything is",
    "who'd": "who would", "you'd": "you would", "we're": "we are",
}  # fmt: skip
_ENDS = (".", "!", "?", "…", "”", '"')


@dataclass(frozen=True, slots=True)
class Manner:
    """One person's way of writing.

    Attributes:
        lower: all lower case.
        stops: the last sentence ends with a full stop.
        contracts: says "don't" and "I'm".
        little: writes short messages.
    """

    lower: bool = False
    stops: bool = True
    contracts: bool = True
    little: bool = True

    def put(self, line: str) -> str:
        """Return one of our lines the way this person would write it."""
        text = line if self.contracts else _in_full(line)
        return text.lower() if self.lower else text

    def join(self, parts: Sequence[str]) -> str:
        """Return one message of several parts."""
        *before, last = [part.strip() for part in parts if part.strip()]
        text = " ".join([*(part if part.endswith(_ENDS) else f"{part}." for part in before), last])
        if self.stops:
            return text if text.endswith(_ENDS) else f"{text}."
        return text[:-1] if text.endswith(".") and not text.endswith("..") else text


def manner_of(profile: PartialProfile) -> Manner:
    """Return how the profile's person writes; one whose lines are unknown writes plainly."""
    return _manner(profile.person, profile.telling)


@lru_cache(maxsize=512)
def _manner(person: Person | None, telling: Telling | None) -> Manner:
    lines = _own_lines(person, telling)
    if not lines:
        return Manner()
    text = "\n".join(lines)
    return Manner(
        lower=text == text.lower(),
        stops=sum(line.endswith(_ENDS) for line in lines) * 2 > len(lines),
        contracts=bool(re.search(r"\w['\u2019](?:m|re|ve|ll|d|t)\b", text)),
        little=person is None or person.voice.style in ("plain", "guarded", "fragmented"),
    )


def _own_lines(person: Person | None, telling: Telling | None) -> list[str]:
    lines: list[str] = []
    if person is not None:
        voice = person.voice
        lines += [*voice.touched, *voice.missed, *voice.asking, *voice.closing]
    if telling is not None:
        # what is guarded has the same manner, and `speak` may not see it yet
        lines += [telling.opening, *telling.open]
    return lines


def _in_full(line: str) -> str:
    for short, long in sorted(_LONGER.items(), key=lambda item: -len(item[0])):
        line = re.sub(re.escape(short), partial(_cased, long), line, flags=re.IGNORECASE)
    return line


def _cased(long: str, found: re.Match[str]) -> str:
    return long[0].upper() + long[1:] if found.group()[0].isupper() else long
