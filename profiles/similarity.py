"""How alike two people read: shared shingles, in any language."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.text import folded

_WORDS, _CHARACTERS = 2, 4
"""Length of a shingle: in words, and in characters where words are not set apart."""
_LONG = 20
"""A 'word' of so many letters and digits is a clause of a script without word spaces."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two people and how alike they are, 0 to 1."""

    first: str
    second: str
    similarity: float


def shingles(text: str, words: int = _WORDS, characters: int = _CHARACTERS) -> frozenset[str]:
    """Return the runs of words, or of characters where a script sets no words apart, that a text is made of."""
    parts = [word for part in text.split() if (word := folded(part))]
    if any(len(part) > _LONG and not part.isascii() for part in parts):
        joined = "".join(parts)
        return frozenset(joined[at : at + characters] for at in range(max(1, len(joined) - characters + 1)))
    return frozenset(" ".join(parts[at : at + words]) for at in range(len(parts) - words + 1))


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """Return Jaccard's similarity, 0 (nothing shared) to 1 (the same)."""
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if shared else 0.0


def voice(profile: PartialProfile) -> str:
    """Return all the sample lines of a person."""
    if profile.person is None:
        return ""
    found = profile.person.voice
    return "\n".join((*found.touched, *found.missed, *found.asking, *found.closing))


def story(profile: PartialProfile) -> str:
    """Return what makes up a person's story: what happened, who it is, and what they say."""
    parts: list[str] = []
    if (situation := profile.situation) is not None:
        parts += [situation.history, situation.stakes, situation.now, *situation.circumstances]
        parts += [f"{item.what} {item.why_it_failed}" for item in situation.tried]
        parts += [f"{fact.fact} {fact.why_held_back}" for fact in situation.guarded]
    if (person := profile.person) is not None:
        parts += [person.means, person.portrait, person.lands, person.backfires, person.needs.hidden]
    if (telling := profile.telling) is not None:
        parts += [telling.opening, *telling.open, *(item.says for item in telling.guarded)]
    return "\n".join(parts)


def pairs(people: Sequence[PartialProfile], text: Callable[[PartialProfile], str], words: int = _WORDS) -> list[Pair]:
    """Return every pair, most alike first, ties by id."""
    cut: Mapping[str, frozenset[str]] = {profile.id: shingles(text(profile), words) for profile in people}
    found = [Pair(a, b, overlap(cut[a], cut[b])) for a, b in combinations(sorted(cut), 2)]
    return sorted(found, key=lambda pair: (-pair.similarity, pair.first, pair.second))
