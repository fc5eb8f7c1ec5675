"""Cleaning and comparing text in any language: no word boundaries, stop words or punctuation are assumed."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_SURROGATE = re.compile("[\ud800-\udfff]")
_SHOWS = re.compile("[!-~]")
_ASCII_LEFT_OUT = dict.fromkeys(code for code in range(128) if unicodedata.category(chr(code))[0] in "ZPC")
_SHARED_BYTES = 20
"""Shared run of text, in UTF-8 bytes, from which one text counts as quoting another: 20 Latin letters, 7 Chinese."""


def clean(text: str) -> str:
    """Return `text` with each lone surrogate replaced by U+FFFD, so that it can be written as UTF-8."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


@lru_cache(maxsize=4096)  # one message is compared many times: with every later one, and with every guarded fact
def folded(text: str) -> str:
    """Return `text` in compatibility form, case-folded, with white space and punctuation left out."""
    if text.isascii():
        return text.lower().translate(_ASCII_LEFT_OUT)
    normal = unicodedata.normalize("NFKC", clean(text)).casefold()
    return "".join(char for char in normal if unicodedata.category(char)[0] not in "ZPC")


def contains(text: str, quote: str) -> bool:
    """Tell whether `quote` stands in `text`, ignoring case, white space and punctuation; an empty quote does not."""
    needle = folded(quote)
    return bool(needle) and needle in folded(text)


def is_blank(text: str) -> bool:
    """Tell whether `text` shows nothing: white space, zero-width and control characters only."""
    # what is printable and no space shows; only a text without that needs a closer look
    return not _SHOWS.search(text) and all(unicodedata.category(char)[0] in "ZC" for char in text)


def shares_a_run(text: str, other: str) -> bool:
    """Tell whether two texts share a run long enough to be a quotation (see `_SHARED_BYTES`)."""
    short, long = sorted((folded(text), folded(other)), key=len)
    if short.isascii():
        last = len(short) - _SHARED_BYTES
        return any(short[start : start + _SHARED_BYTES] in long for start in range(last + 1))
    return any(run in long for run in _runs(short))


def _runs(text: str) -> Iterator[str]:
    """Yield, from each character on, the shortest run that is long enough."""
    sizes = [len(char.encode()) for char in text]
    end, size = 0, 0
    for start in range(len(text)):
        while size < _SHARED_BYTES and end < len(text):
            size += sizes[end]
            end += 1
        if size < _SHARED_BYTES:
            return
        yield text[start:end]
        size -= sizes[start]
