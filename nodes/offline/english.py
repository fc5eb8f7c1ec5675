"""Taking English text apart: words, content words, sentences, phrases. The only such code outside the data files."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from emoharbor.nodes.offline.data import words
from emoharbor.state.inner_world import EmotionLabel
from emoharbor.state.text import folded

_WORD = re.compile(r"\d[\d.,:]*\d|[^\W_]+(?:['-][^\W_]+)*")
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?;…]+[\"\u201d\u2019)]*(?=\s|$)|$)", re.MULTILINE)
_QUOTE_CHARS = 110
"""Longest quotation, so that a monologue stays readable."""


def plain(text: str) -> str:
    """Return `text` in lower case with straight apostrophes, each run of space one space."""
    return " ".join(text.replace("\u2019", "'").lower().split())


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[str, ...]:
    """Return the words of a text, in order, in lower case; numbers count as words."""
    return tuple(_WORD.findall(plain(text)))


@lru_cache(maxsize=4096)
def content(text: str) -> frozenset[str]:
    """Return the stems of the words that say something about one person's circumstances."""
    return frozenset(stem(word) for word in tokens(text) if carries(word))


def carries(word: str) -> bool:
    """Tell whether a word (lower case) is a content word."""
    bare = word.removesuffix("'s")
    return word not in stop_words() and bare not in stop_words() and (len(bare) > 2 or bare.isdigit())


def stem(word: str) -> str:
    """Return a word without its commonest endings: enough to match `plate` with `plates` and `sorted` with `sort`."""
    word = word.removesuffix("'s")
    for ending in ("ing", "ed", "ly", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word.removesuffix(ending)
            break
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word.removesuffix("e")


@cache
def stop_words() -> frozenset[str]:
    """Return the words that fit anybody."""
    return frozenset(words().stop.split())


@lru_cache(maxsize=4096)
def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text as they stand in it."""
    return tuple(found for match in _SENTENCE.findall(text) if (found := match.strip()) and tokens(found))


def hits(text: str, phrases: Iterable[str]) -> int:
    """Count how many of the phrases (lower case) stand in `text`, at the start of a word."""
    padded = _padded(text)
    return sum(1 for phrase in phrases if f" {phrase}" in padded)


@lru_cache(maxsize=4096)
def flat(text: str) -> str:
    """Return `folded(text)`, remembered: the same lines are compared again every turn."""
    return folded(text)


@lru_cache(maxsize=4096)
def _padded(text: str) -> str:
    return f" {' '.join(tokens(text))} "


@lru_cache(maxsize=4096)
def named_feelings(text: str) -> frozenset[EmotionLabel]:
    """Return the feelings that a text names, as whole words."""
    padded = _padded(text)
    return frozenset(label for label, names in words().feelings.items() if any(f" {name} " in padded for name in names))


def inner(quote: str) -> str:
    """Return a quotation fit to stand inside quotation marks of ours."""
    bare = quote.strip().rstrip(".;,")
    if bare.startswith("“") and bare.endswith("”") and bare.count("“") == 1:
        return bare[1:-1]
    return bare.translate(str.maketrans('“”"', "\u2018\u2019'"))


def shortened(text: str, limit: int = _QUOTE_CHARS) -> str:
    """Return the beginning of a sentence, cut at a word so that it is still a verbatim quotation."""
    text = text.strip()
    if len(text) <= limit:
        return text
    return text[:limit].rsplit(" ", 1)[0].rstrip(",;:- ")
