"""What texts share, in any language: runs of bytes for quotations, shingles for wordings."""

from collections.abc import Callable, Iterable
from functools import lru_cache

from emoharbor.nodes.wordlist import is_unspaced
from emoharbor.profiles.similarity import shingles
from emoharbor.state.text import folded

LEAST = 4
"""Shingles from which a text says enough to be compared: five Latin words, seven signs of an unspaced script."""
_CHARACTERS = 4
"""Signs of a shingle in a script that sets no words apart."""


@lru_cache(maxsize=4096)  # each message is compared with many others
def pieces(text: str) -> frozenset[str]:
    """Return the shingles of a text: runs of two words, or of four signs in a script that sets no words apart."""
    if not is_unspaced(text):
        return shingles(text)
    whole = folded(text)
    return frozenset(whole[at : at + _CHARACTERS] for at in range(len(whole) - _CHARACTERS + 1))


def share_in(text: str, other: str) -> float:
    """Return the share of a text's shingles that stand in another, 0 to 1; 0 for a text too short to be compared."""
    mine = pieces(text)
    return len(mine & pieces(other)) / len(mine) if len(mine) >= LEAST else 0.0


def all_pieces(texts: Iterable[str]) -> frozenset[str]:
    """Return the shingles of several texts."""
    return frozenset[str]().union(*(pieces(text) for text in texts))


@lru_cache(maxsize=4096)
def chunks_of(text: str, size: int) -> tuple[bytes, ...]:
    """Return a folded text in chunks of half a run: each run of `size` bytes in it holds at least one of them whole."""
    whole, step = folded(text).encode(), size // 2
    return tuple(whole[at : at + step] for at in range(0, len(whole) - step + 1, step))


def shared_run(text: str, private: Iterable[str], public: Callable[[], Iterable[str]], size: int) -> str:
    """Return a run of at least `size` bytes that a text shares with a private one, as it stands in the text; or empty.

    Args:
        text: a message.
        private: what it should not quote.
        public: gives what it may quote: words that stand here too are no give-away.
        size: length of a run in UTF-8 bytes, as `folded` leaves them.
    """
    mine = folded(text).encode()
    found = [(source, chunk) for source in private for chunk in chunks_of(source, size) if chunk in mine]
    if not found:
        return ""
    known = [folded(item).encode() for item in public()]
    for source, chunk in found:
        run = _grown(mine, folded(source).encode(), chunk)
        if len(run) >= size and not any(chunk in item for item in known):
            return _as_written(text, run)
    return ""


def _grown(mine: bytes, theirs: bytes, chunk: bytes) -> bytes:
    """Return the longest run around a chunk that both hold."""
    here, there = mine.find(chunk), theirs.find(chunk)
    first, last = 0, len(chunk)
    while first < min(here, there) and mine[here - first - 1] == theirs[there - first - 1]:
        first += 1
    while here + last < len(mine) and there + last < len(theirs) and mine[here + last] == theirs[there + last]:
        last += 1
    return mine[here - first : here + last]


def _as_written(text: str, run: bytes) -> str:
    """Return the part of a text that a folded run comes from."""
    places = [at for at, char in enumerate(text) for _ in folded(char).encode()]
    start = b"".join(folded(char).encode() for char in text).find(run)
    return text[places[start] : places[start + len(run) - 1] + 1] if start >= 0 else text
