"""How somebody writes, counted from their own lines by marks that every script has."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from statistics import median
from typing import Self

from emoharbor.state.text import folded

_STOPS = (
    ".",
    "!",
    "?",
    "…",
    "\u3002",
    "\uff01",
    "\uff1f",
    "\u061f",
    "\u0964",
    '"',
    "”",
    "»",
    "」",
    "』",
    ")",
    "\uff09",
)
_LIST = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s|^\s*#{1,6}\s|\*\*\S|\n\s*\n[^\n]*\n\s*\n", re.MULTILINE)
_CONTRACTED = re.compile(r"(?<=[^\W\d_])['\u2019](?=[^\W\d_])")
_WORD = re.compile(r"[^\W\d_]+")
_ASCII_LETTERS = re.compile(r"[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Voice:
    """How a person writes.

    Attributes:
        lines: how many lines of theirs are known.
        size: letters of the middle one.
        shown: how many of them show each mark.
        scripts: the scripts they are written in.
    """

    lines: int
    size: float
    shown: Mapping[str, int]
    scripts: frozenset[str]

    @classmethod
    def of(cls, lines: Sequence[str]) -> Self:
        """Count the marks of some lines."""
        return cls(
            lines=len(lines),
            size=median(size_of(line) for line in lines),
            shown={name: sum(test(line) for line in lines) for name, test in MARKS.items()},
            scripts=frozenset(script for line in lines for script in scripts_of(line)),
        )


def size_of(text: str) -> int:
    """Return the letters and digits of a text, at least 1."""
    return max(1, len(folded(text)))


def scripts_of(text: str) -> frozenset[str]:
    """Return the scripts in which a tenth of a text's letters and more are written."""
    latin = len(_ASCII_LETTERS.findall(text))
    others = [] if text.isascii() else [char for char in text if char.isalpha() and not char.isascii()]
    counts = {"LATIN": latin} if latin else {}
    for char in others:
        script = _script(char)
        counts[script] = counts.get(script, 0) + 1
    return frozenset(script for script, count in counts.items() if count * 10 >= latin + len(others))


def _open_end(text: str) -> bool:
    return not text.rstrip().endswith(_STOPS)


def _small(text: str) -> bool:
    """The first letter is small, in a script that has capitals."""
    return next((char.islower() for char in text if char.isalpha()), False)


def _shouts(text: str) -> bool:
    """Two words in a row, or one of six letters, stand in capitals."""
    words = _WORD.findall(text)
    loud = [word.isupper() and len(word) > 1 for word in words]
    return any(both == (True, True) for both in pairwise(loud)) or any(
        is_loud and len(word) > 5 for is_loud, word in zip(loud, words, strict=True)
    )


def _exclaims(text: str) -> bool:
    return "!" in text or "\uff01" in text


def _pictures(text: str) -> bool:
    return not text.isascii() and any(ord(char) > 0x25FF and unicodedata.category(char) == "So" for char in text)


def _lists(text: str) -> bool:
    return bool(_LIST.search(text))


def _trails(text: str) -> bool:
    return "..." in text or "…" in text


def _contracts(text: str) -> bool:
    return bool(_CONTRACTED.search(text))


@lru_cache(maxsize=4096)
def _script(char: str) -> str:
    return unicodedata.name(char, "?").split(" ", 1)[0].split("-", 1)[0]


MARKS: Mapping[str, Callable[[str], bool]] = {
    "no stop": _open_end, "small letters": _small, "shouting": _shouts, "exclamation": _exclaims,
    "pictures": _pictures, "lists": _lists, "trailing off": _trails, "contractions": _contracts,
}  # fmt: skip
"""What a message may show."""
TOLD: Mapping[str, str] = {
    "no stop": "end without a stop", "small letters": "begin with a small letter", "shouting": "shout in capitals",
    "exclamation": "exclaim", "pictures": "hold emoji", "lists": "are laid out in lists or paragraphs",
    "trailing off": "trail off", "contractions": "contract words",
}  # fmt: skip
"""Each mark, as a sentence says it of messages."""
