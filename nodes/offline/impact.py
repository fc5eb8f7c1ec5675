"""What one reply means to one person: the same reading weighs differently for each profile."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from emoharbor.nodes.offline.data import words
from emoharbor.nodes.offline.reading import Reading
from emoharbor.nodes.offline.ways import Ways
from emoharbor.state.inner_world import EmotionLabel

Cause = Literal[
    "backfire", "unasked", "silence", "worn", "recall", "lands", "fit", "loose", "follow", "grasp", "warm", "flat"
]  # fmt: skip
"""What did most in a reply."""

_EXPECTED = 0.45
"""A reply has to do this much to leave the person where they are."""
_BAD = frozenset(
    {"formula", "echo", "list", "advice", "label", "own_story", "referral", "praise", "probing", "cheer", "long"}
)
"""Devices that can backfire; the others can only land."""
_SHOWN_BY = {"risk_heard": "risk_care"}


@dataclass(frozen=True, slots=True)
class Impact:
    """One reply as one person takes it. Parts are 0 or more; `total` runs from -2 to 2.

    Attributes:
        grasp: my circumstances, 0 to 1.
        follow: my feeling, 0 to 1.
        fit: the kind of support I want, 0 to 1.
        warmth: friendly formulas; falls below 0 once they are worn.
        lands: what gets through to me of all people.
        unasked: advice that I did not want.
        grates: what puts me off of all people.
        silence: next to nothing was said.
        cause: what did most.
        marks, stems: words by which to find the sentence that did it.
    """

    grasp: float
    follow: float
    fit: float
    warmth: float
    lands: float
    unasked: float
    grates: float
    silence: float
    cause: Cause
    marks: tuple[str, ...]
    stems: frozenset[str]

    @property
    def total(self) -> float:
        """All of it together."""
        good = 0.9 * self.grasp + 0.5 * self.follow + self.fit + self.warmth + self.lands
        return max(-2.0, min(2.0, good - self.unasked - self.grates - self.silence - _EXPECTED))


def impacts(found: Sequence[Reading], ways: Ways, mine: Iterable[EmotionLabel]) -> tuple[Impact, ...]:
    """Weigh every reply of a dialogue for one person, each in the light of those before it."""
    return tuple(impact(found[: index + 1], ways, mine) for index in range(len(found)))


def impact(found: Sequence[Reading], ways: Ways, mine: Iterable[EmotionLabel]) -> Impact:
    """Weigh the last of the readings.

    Args:
        found: all readings so far; formulas, tips and silence wear with those before.
        ways: how this person takes support.
        mine: what they feel.
    """
    reading, earlier = found[-1], found[:-1]
    bad = reading.devices & ways.backfires & _BAD
    good = (reading.devices & (ways.lands | {"risk_heard"})) - _BAD
    if reading.picked and len(reading.picked) > 1:
        bad -= {"formula"}  # no formula any more when it speaks of me
    parts = {
        "grasp": reading.grasp,
        "follow": follow(reading, mine),
        "fit": fit(found, ways),
        "warmth": _warmth(reading, earlier, ways),
        "lands": min(0.9, sum(0.9 if name == "risk_heard" else 0.5 for name in good)),
        "unasked": _unasked(reading, ways),
        "grates": min(1.2, 0.7 * len(bad)),
        "silence": _silence(reading, earlier),
    }
    cause = _cause(parts, reading)
    marks = _kind_marks(reading, ways) if cause in ("fit", "loose") else marks_of(bad or good)
    return Impact(**parts, cause=cause, marks=marks, stems=reading.recalled if cause == "recall" else frozenset())


def follow(reading: Reading, mine: Iterable[EmotionLabel]) -> float:
    """Return how far a reply names what is felt: 1 by its name, 0.5 by a neighbour's, 0.3 as feelings in general."""
    felt = frozenset(mine)
    if reading.feelings & felt:
        return 1.0
    if any(reading.feelings & set(words().near.get(label, ())) for label in felt):
        return 0.5
    return 0.3 if "formula" in reading.devices else 0.0


def fit(found: Sequence[Reading], ways: Ways) -> float:
    """Return how far the last reply gives what is wanted, 0 to 1; what could be for anybody counts less each time."""
    reading = found[-1]
    if not ways.wants:
        return 0.0
    best = max((weight * reading.gives.get(kind, 0.0) for kind, weight in ways.wants.items()), default=0.0)
    if reading.picked:
        return best
    loose = sum(1 for item in found[:-1] if not item.picked and not item.minimal)
    return best * max(0.4, 1 - 0.07 * loose)


def _warmth(reading: Reading, earlier: Sequence[Reading], ways: Ways) -> float:
    """Friendly formulas please two or three times, then less, then not at all; sooner for those who push back."""
    if "formula" not in reading.devices or reading.grasp > 0.5:
        return 0.0
    heard = sum(1 for item in earlier if "formula" in item.devices and item.grasp <= 0.5)
    worn = heard + 0.4 * (ways.resistance - 3) + (1.0 if "formula" in ways.backfires else 0.0)
    return max(-0.35, min(0.8, 0.8 - 0.22 * worn))


def _unasked(reading: Reading, ways: Ways) -> float:
    if "advice" not in reading.devices or not ways.wants_to_be_heard:
        return 0.0
    return 0.6 * (1 - 0.5 * reading.grasp) * (1.3 if "list" in reading.devices else 1.0)


def _silence(reading: Reading, earlier: Sequence[Reading]) -> float:
    if reading.repeated and not reading.minimal:
        return 0.4
    if not reading.minimal:
        return 0.0
    return min(1.2, 0.3 + 0.15 * sum(1 for item in earlier if item.minimal))


def _cause(parts: dict[str, float], reading: Reading) -> Cause:
    against: tuple[tuple[Cause, str], ...] = (("backfire", "grates"), ("unasked", "unasked"), ("silence", "silence"))
    for cause, name in against:
        if parts[name] > 0:
            return cause
    if parts["warmth"] < 0:
        return "worn"
    if "recall" in reading.devices and parts["lands"] > 0:
        return "recall"
    ranked: tuple[tuple[Cause, float], ...] = (
        ("lands", 1.6 * parts["lands"]), ("fit" if reading.picked else "loose", parts["fit"]),
        ("follow", 0.9 * parts["follow"] if parts["follow"] >= 0.5 else 0.0),
        ("recall", 0.85 if "recall" in reading.devices else 0.0), ("grasp", 0.8 * parts["grasp"]),
        ("warm", parts["warmth"]),
    )  # fmt: skip
    cause, strength = max(ranked, key=lambda item: item[1])
    return cause if strength >= 0.15 else "flat"


def _kind_marks(reading: Reading, ways: Ways) -> tuple[str, ...]:
    """Return the words that show the most wanted of the kinds of support in a reply."""
    given = [kind for kind in sorted(ways.wants, key=lambda kind: -ways.wants[kind]) if reading.gives.get(kind, 0) > 0]
    return words().kinds[given[0]] if given else ()


def marks_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return the words by which devices show in a reply."""
    return tuple(phrase for name in sorted(names) for phrase in words().devices[_SHOWN_BY.get(name, name)].reply)
