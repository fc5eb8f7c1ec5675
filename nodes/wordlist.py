"""The words of `hygiene.yaml`, and finding them in a text of any language."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files

from pydantic import TypeAdapter

from emoharbor.state.errors import ConfigError
from emoharbor.state.text import clean
from emoharbor.state.yamlfile import read_yaml

_TABLE = TypeAdapter(dict[str, dict[str, tuple[str, ...]]])
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff]")
"""Scripts in which a word is not set apart by spaces, or carries endings: Thai, Lao, Burmese, Khmer, CJK, Hangul."""
_ASCII_SPACES = {code: " " for code in range(128) if unicodedata.category(chr(code))[0] in "ZPCS"}
_GAP = re.compile(rf"(?<={_UNSPACED.pattern})\s+(?={_UNSPACED.pattern})")


@dataclass(frozen=True)
class WordList:
    """The words of one kind, of all languages: the person may answer in any.

    Attributes:
        words: as they stand in the file.
    """

    words: tuple[str, ...]

    def found(self, text: str) -> list[str]:
        """Return the different words that stand in a text, in its order; of several at one place the longest."""
        if is_unspaced(text):
            return list(dict.fromkeys(self._finder.findall(f" {plain(text)} ")))
        spoken = plain(text).split()
        sizes, phrases = self._phrases
        if sizes.keys().isdisjoint(spoken):
            return []  # most texts, known at a glance
        found: dict[str, None] = {}
        at = 0
        while at < len(spoken):
            for size in sizes.get(spoken[at], ()):
                if (phrase := " ".join(spoken[at : at + size])) in phrases:
                    found[phrase] = None
                    at += size - 1
                    break
            at += 1
        return list(found)

    @cached_property
    def _phrases(self) -> tuple[dict[str, list[int]], frozenset[str]]:
        """The words of spaced scripts, to be looked up and not searched: by first word how many may follow; and all."""
        phrases = frozenset(plain(word) for word in self.words if not unspaced(word))
        sizes: dict[str, list[int]] = {}
        for phrase in phrases:
            first, *rest = phrase.split()
            sizes.setdefault(first, []).append(1 + len(rest))
        return {first: sorted(set(found), reverse=True) for first, found in sizes.items()}, phrases

    @cached_property
    def _finder(self) -> re.Pattern[str]:
        inside = [re.escape(plain(word).replace(" ", "")) for word in self.words if unspaced(word)]
        whole = [re.escape(plain(word)) for word in self.words if not unspaced(word)]
        return re.compile("|".join([*_longest_first(inside), rf"(?<= )(?:{'|'.join(_longest_first(whole))})(?= )"]))

    @cached_property
    def pattern(self) -> str:
        """A regular expression of the words as they are written, longest first."""
        return "|".join(r"\s+".join(map(re.escape, word.split())) for word in _longest_first(self.words))


def unspaced(word: str) -> bool:
    """Tell whether a word is of a script that sets no spaces between words."""
    return _UNSPACED.search(word) is not None


def is_unspaced(text: str) -> bool:
    """Tell whether a text holds signs of a script in which words are not set apart by spaces."""
    return not text.isascii() and _UNSPACED.search(text) is not None


@cache
def words(kind: str) -> WordList:
    """Return the words of a kind."""
    file = read_yaml(files("emoharbor.nodes").joinpath("hygiene.yaml"), ConfigError, "words by language")
    table = _TABLE.validate_python(file.data)
    return WordList(tuple(dict.fromkeys(word for language in table.values() for word in language.get(kind, ()))))


@lru_cache(maxsize=256)  # one message is held against several lists
def plain(text: str) -> str:
    """Return a text in small letters with single spaces, punctuation as a space; no white space between CJK signs."""
    if text.isascii():
        return " ".join(text.lower().replace("'", "").translate(_ASCII_SPACES).split())
    normal = unicodedata.normalize("NFKC", clean(text)).casefold().replace("'", "").replace("\u2019", "")
    joined = _GAP.sub("", normal)
    kept = "".join(char if unicodedata.category(char)[0] not in "ZPCS" else " " for char in joined)
    return " ".join(kept.split())


def _longest_first(found: Iterable[str]) -> list[str]:
    return sorted(found, key=len, reverse=True)
