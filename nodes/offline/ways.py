"""What the offline roles take from a profile, worked out once a person."""

from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from emoharbor.nodes.offline.data import words
from emoharbor.nodes.offline.english import tokens
from emoharbor.profiles.schema import PartialProfile, Person
from emoharbor.state.inner_world import NeedType

_PRIMARY, _SECONDARY = 1.0, 0.75
_MIDDLE = 3


@dataclass(frozen=True, slots=True)
class Ways:
    """How one person takes support.

    Attributes:
        wants: kinds of support wanted, with their weight; empty when nothing is known.
        primary: the first of them.
        lands: devices that get through to this person.
        backfires: devices that put them off.
        likes: devices and kinds that suit their coping.
        dislikes: those that do not.
        resistance: 1 to 5.
        clings: attachment anxiety from 0 (low) to 2 (high): losses weigh more, leaving is harder.
        keeps_away: attachment avoidance, likewise: nearness is taken in more slowly.
        writes_little: prefers short messages.
        pace: of disclosure, 1 to 5.
    """

    wants: MappingProxyType[NeedType, float]
    primary: NeedType | None
    lands: frozenset[str]
    backfires: frozenset[str]
    likes: frozenset[str]
    dislikes: frozenset[str]
    resistance: int
    clings: int
    keeps_away: int
    writes_little: bool
    pace: int

    @property
    def wants_to_be_heard(self) -> bool:
        """Whether advice comes unasked."""
        return self.primary in ("emotional", "esteem", "network")


def ways_of(profile: PartialProfile) -> Ways:
    """Return the ways of a profile's person; one of whom nothing is known is in the middle of everything."""
    return _ways(profile.person)


@lru_cache(maxsize=512)
def _ways(person: Person | None) -> Ways:
    if person is None:
        empty: frozenset[str] = frozenset()
        return Ways(
            MappingProxyType({}), None, empty, empty, empty, empty, _MIDDLE, 1, 1, writes_little=True, pace=_MIDDLE
        )
    tastes = [words().coping[style] for style in person.coping]
    likes = frozenset(name for taste in tastes for name in taste.likes)
    needs = person.needs
    levels = ("low", "mid", "high")
    return Ways(
        wants=MappingProxyType({needs.secondary: _SECONDARY, needs.primary: _PRIMARY}),
        primary=needs.primary,
        lands=_spoken_of(person.lands),
        backfires=_spoken_of(person.backfires),
        likes=likes,
        dislikes=frozenset(name for taste in tastes for name in taste.dislikes) - likes,
        resistance=person.resistance,
        clings=levels.index(person.attachment.anxiety),
        keeps_away=levels.index(person.attachment.avoidance),
        writes_little=person.voice.style in ("plain", "guarded", "fragmented"),
        pace=person.disclosure_pace,
    )


def _spoken_of(text: str) -> frozenset[str]:
    """Return the devices that a free text of the profile speaks of."""
    padded = f" {' '.join(tokens(text))} "
    return frozenset(
        name
        for name, device in words().devices.items()
        if any(f" {' '.join(tokens(phrase))} " in padded for phrase in device.profile)
    )
