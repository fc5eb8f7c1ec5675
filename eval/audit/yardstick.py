"""What a person's messages are held against, worked out once from the profile."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from emoharbor.eval.audit.overlap import all_pieces
from emoharbor.eval.audit.voice import Voice
from emoharbor.profiles.bounds import bounds_of
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.bounds import Bounds
from emoharbor.state.text import folded

_LEAST_LINES = 6
"""Sample lines below which nothing can be said about a manner."""


@dataclass(frozen=True, slots=True)
class Yardstick:
    """One person.

    Attributes:
        bounds: how far they can move in one turn.
        first_name: what they are called, folded; empty when nobody knows.
        lines: their own words: voice samples, what they would tell anybody, what they hold back, real messages.
        pieces: the shingles of the lines.
        about: what the profile says of them, and they would not.
        told: guarded facts with the person's own words for them.
        thresholds: the trust that each guarded fact needs.
        voice: how they write; None when too few lines of theirs are known.
    """

    bounds: Bounds
    first_name: str
    lines: tuple[str, ...]
    pieces: frozenset[str]
    about: tuple[str, ...]
    told: tuple[tuple[str, str], ...]
    thresholds: dict[str, float]
    voice: Voice | None


@lru_cache(maxsize=512)
def yardstick_of(profile: PartialProfile) -> Yardstick:
    """Return what a profile's person is held against."""
    lines, bounds = tuple(_lines(profile)), bounds_of(profile)
    name = profile.person.name.split() if profile.person else []
    telling = profile.telling.guarded if profile.telling else ()
    return Yardstick(
        bounds=bounds,
        first_name=folded(name[0]) if name else "",
        lines=lines,
        pieces=all_pieces(lines),
        about=tuple(_about(profile)),
        told=tuple((item.fact, item.says) for item in telling),
        thresholds={item.fact: item.trust for item in bounds.thresholds},
        voice=Voice.of(lines) if len(lines) >= _LEAST_LINES else None,
    )


def _lines(profile: PartialProfile) -> Iterator[str]:
    if profile.person is not None:
        voice = profile.person.voice
        yield from (*voice.touched, *voice.missed, *voice.asking, *voice.closing)
    if profile.telling is not None:
        yield from (profile.telling.opening, *profile.telling.open, *(item.says for item in profile.telling.guarded))
    if profile.sheet is not None:
        yield from profile.sheet.lines
        if profile.sheet.opening:
            yield profile.sheet.opening


def _about(profile: PartialProfile) -> Iterator[str]:
    if (person := profile.person) is not None:
        yield from (person.portrait, person.lands, person.backfires, person.needs.hidden, person.voice.description)
    if profile.situation is not None:
        yield from (fact.why_held_back for fact in profile.situation.guarded)
    if profile.sheet is not None and profile.sheet.hidden:
        yield profile.sheet.hidden
