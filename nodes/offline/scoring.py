"""What each of the ten dimensions rests on: one measure from 0 to 1 a dimension, with the words that show it.

The general four look at the replies; the tailored six look at what they were to this person.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from emoharbor.nodes.disclosure import find_disclosures
from emoharbor.nodes.offline.data import words
from emoharbor.nodes.offline.english import hits
from emoharbor.nodes.offline.impact import Impact, impacts, marks_of
from emoharbor.nodes.offline.reading import Reading, readings
from emoharbor.nodes.offline.ways import Ways, ways_of
from emoharbor.profiles.bounds import starting_feeling, starting_world
from emoharbor.profiles.schema import GuardedFact, PartialProfile
from emoharbor.state.dialogue import exchanges
from emoharbor.state.episode import Channels
from emoharbor.state.inner_world import NeedType

_HARM = ("label", "praise", "cheer", "own_story")
"""Devices that can hurt anybody."""
_SHORT = 50
"""Words up to which a reply is short."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One dimension.

    Attributes:
        value: 0 to 1.
        turn: the reply that shows it.
        quote: its words.
        facts: what the reason names besides.
    """

    value: float
    turn: int
    quote: str
    facts: Mapping[str, object] = field(default_factory=dict)


Signs = tuple[Sequence[str], frozenset[str]]
"""Phrases and stems by which to find the sentence of a reply that shows a dimension."""


@dataclass(frozen=True, slots=True)
class _Basis:
    """What a dimension rests on: its value, what each reply gives to it, and by which signs that shows."""

    value: float
    each: Sequence[float]
    signs: Callable[[Reading], Signs]
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Heard:
    """A finished dialogue as one person took it.

    Attributes:
        ways: how this person takes support.
        found: what each reply does.
        taken: what each was to this person.
        replies: the supporter's messages by turn.
        guarded: what the person held back at first.
        told: ids of those facts that were told.
        risk_missed: passing hopelessness was said and not taken up.
        eased: share of the distress that went, from the log; None without one.
        need, coping: words for the reasons.
    """

    ways: Ways
    found: tuple[Reading, ...]
    taken: tuple[Impact, ...]
    replies: Mapping[int, str]
    guarded: tuple[GuardedFact, ...]
    told: frozenset[str]
    risk_missed: bool
    eased: float | None
    need: str
    coping: str


def heard(state: Channels, profile: PartialProfile) -> Heard:
    """Go through a finished dialogue as the profile's person; the log may be absent."""
    ways, found = ways_of(profile), readings(state["messages"])
    inner = state.get("inner")  # a rating without the log has none
    feeling, _ = starting_feeling(profile.situation, profile.sheet)
    mine = {feeling} if feeling else set()
    turns = exchanges(state["messages"])
    guarded = profile.situation.guarded if profile.situation else ()
    told = {
        item.fact
        for turn in turns
        for item in find_disclosures(turn.user, (), guarded, starting_world(profile), turn.turn)
    }
    told |= {item.fact for item in inner.disclosed} & {fact.id for fact in guarded} if inner else set()
    missed = any(
        hits(turn.user, words().risk)
        and turn.supporter
        and not hits(turn.supporter, words().devices["risk_care"].reply)
        for turn in turns
    )
    return Heard(
        ways=ways,
        found=found,
        taken=impacts(found, ways, mine),
        replies={reading.turn: reading.text for reading in found},
        guarded=guarded,
        told=frozenset(told),
        risk_missed=missed,
        eased=_eased(state),
        need=profile.person.needs.primary if profile.person else "",
        coping=" and ".join(profile.person.coping) if profile.person else "",
    )


def _eased(state: Channels) -> float | None:
    worlds = state.get("worlds", ())
    if len(worlds) < 2 or not worlds[0].distress:
        return None
    return (worlds[0].distress - worlds[-1].distress) / worlds[0].distress


def measure(name: str, session: Heard) -> Measure:
    """Return one dimension's measure, shown by a reply that speaks for it (or, when it is low, against it)."""
    basis = _BASES[name](session)
    value = _within(basis.value)
    wanted = max(basis.each) if value >= 0.5 else min(basis.each)
    shows = [index for index, each in enumerate(basis.each) if abs(each - wanted) < 0.01]
    # many replies may show it equally; dimensions then point at different ones
    reading = session.found[shows[7 * DIMENSIONS.index(name) % len(shows)]]
    return Measure(value, reading.turn, reading.quote(*basis.signs(reading)), basis.facts)


def _empathy(session: Heard) -> _Basis:
    each = [_warm(reading) for reading in session.found]
    return _Basis(fmean(each), each, _by_kind("emotional", "esteem"))


def _warm(reading: Reading) -> float:
    if reading.minimal:
        return 0.0
    if reading.feelings and reading.picked:
        return 1.0
    if reading.picked and {"emotional", "esteem", "network"} & set(reading.gives):
        return 0.95
    if "formula" in reading.devices:
        return 0.72
    if "advice" in reading.devices:
        return 0.25
    return 0.75 if reading.picked else 0.35


def _clarity(session: Heard) -> _Basis:
    each = []
    for reading in session.found:
        value = 0.85 - 0.65 * reading.minimal - 0.4 * (reading.repeated and not reading.minimal)
        value -= 0.25 * ("long" in reading.devices) + 0.15 * ("list" in reading.devices)
        each.append(max(0.0, value))
    return _Basis(fmean(each), each, _by_words)


def _helpfulness(session: Heard) -> _Basis:
    each = [_useful(reading) for reading in session.found]
    value = fmean(each)
    if session.eased is not None:
        value = 0.75 * value + 0.25 * _within(0.5 + session.eased)
    return _Basis(value, each, _by_kind("tangible", "informational", "esteem"))


def _useful(reading: Reading) -> float:
    if reading.minimal:
        return 0.0
    if reading.picked and reading.gives:
        return 0.9
    if reading.picked:
        return 0.65
    if "advice" in reading.devices:
        return 0.5
    return 0.45 if reading.gives else 0.2


def _safety(session: Heard) -> _Basis:
    each = [
        max(0.0, 0.97 - 0.35 * sum(name in reading.devices for name in _HARM) - 0.45 * reading.minimal)
        for reading in session.found
    ]
    return _Basis(fmean(each) - 0.5 * session.risk_missed, each, _by_kind("emotional"))


def _situation_fit(session: Heard) -> _Basis:
    each = [0.0 if reading.minimal else max(0.2, reading.grasp) for reading in session.found]
    good = sum(1 for reading in session.found if len(reading.picked) > 1)
    return _Basis(fmean(each), each, _by_words, {"n": good, "of": len(each)})


def _attunement(session: Heard) -> _Basis:
    """Feelings by name count most, and staying with what was just said counts too; formulas wear."""
    each, formulas = [], 0
    for reading, taken in zip(session.found, session.taken, strict=True):
        formulas += "formula" in reading.devices and not reading.picked
        value = _followed(reading, taken, formulas, session.ways)
        each.append(_within(value - 0.3 * (taken.unasked > 0) - 0.2 * (taken.grates > 0)))
    return _Basis(fmean(each), each, _by_feeling)


def _followed(reading: Reading, taken: Impact, formulas: int, ways: Ways) -> float:
    if taken.follow >= 1:
        return 0.8 + 0.2 * bool(reading.picked)
    near = 0.55 + 0.2 * min(1.0, len(reading.picked) / 2) if taken.follow >= 0.5 else 0.0
    if reading.picked:
        return max(near, 0.5 + 0.3 * reading.grasp)
    if "formula" in reading.devices:
        return max(0.3, 0.66 - 0.03 * formulas - 0.02 * ways.resistance)
    return near if reading.minimal else max(near, 0.15)


def _need_fit(session: Heard) -> _Basis:
    """The better half of the replies counts double: not every sentence has to answer a need."""
    each = [_within(1.1 * taken.fit - 0.25 * (taken.unasked > 0)) for taken in session.taken]
    best = sorted(each, reverse=True)[: (len(each) + 1) // 2]
    return _Basis(fmean([fmean(best), fmean(each)]), each, _by_kind(*session.ways.wants), {"need": session.need})


def _personality_fit(session: Heard) -> _Basis:
    each = []
    for reading, taken in zip(session.found, session.taken, strict=True):
        value = 0.5 + 0.55 * taken.lands - 0.4 * taken.grates - 0.15 * (taken.warmth < 0)
        value += 0.2 * (reading.grasp > 0.5)
        value += 0.1 if (reading.size <= _SHORT) == session.ways.writes_little else 0.0
        value -= 0.5 * reading.minimal + 0.15 * (taken.unasked > 0) + 0.15 * reading.repeated
        value -= 0.1 * ("list" in reading.devices and not reading.picked)
        each.append(_within(value))
    return _Basis(fmean(each), each, lambda reading: (marks_of(reading.devices & session.ways.lands), reading.picked))


def _coping_fit(session: Heard) -> _Basis:
    """What suits my way of coping counts when it is tied to me; what goes against it counts always."""
    each = []
    for reading in session.found:
        does = reading.devices | {kind for kind, strength in reading.gives.items() if strength > 0.5}
        value = 0.5 + 0.4 * bool(does & session.ways.likes) - 0.2 * bool(does & session.ways.dislikes)
        value += 0.1 * (len(reading.picked) > 1)
        if "list" in reading.devices and not reading.picked:
            value -= 0.05 if {"tangible", "informational"} <= session.ways.likes else 0.15
        each.append(0.1 if reading.minimal else _within(value))
    kinds = [kind for kind in words().kinds if kind in session.ways.likes]
    return _Basis(fmean(each), each, _by_kind(*kinds), {"coping": session.coping})


def _discovery(session: Heard) -> _Basis:
    """What was told counts most; warmth, asking, and taking up what was let fall count for the rest."""
    asks = fmean(min(1.0, reading.questions) for reading in session.found)
    takes_up = fmean(bool(reading.picked) for reading in session.found)
    warm = 0.3 * fmean(reading.gives.get("emotional", 0.0) for reading in session.found)
    quiet = fmean(reading.minimal for reading in session.found)
    share = len(session.told) / len(session.guarded) if session.guarded else 0.0
    opens = 0.15 if session.ways.pace <= 3 else 0.1  # who tells slowly thanks more for being asked
    value = 0.22 + warm + opens * asks + 0.12 * takes_up + 0.55 * share - 0.22 * quiet
    each = [reading.grasp + reading.questions for reading in session.found]
    return _Basis(value, each, lambda reading: (words().devices["recall"].reply, reading.picked), _told(session))


def _told(session: Heard) -> dict[str, object]:
    return {"n": len(session.told), "of": len(session.guarded)}


def _by_kind(*kinds: NeedType) -> Callable[[Reading], Signs]:
    """Point at the sentence that gives one of these kinds of support."""
    marks = tuple(mark for kind in kinds for mark in words().kinds[kind])
    return lambda _: (marks, frozenset())


def _by_words(reading: Reading) -> Signs:
    """Point at the sentence that takes up most of what was said."""
    return (), reading.picked


def _by_feeling(reading: Reading) -> Signs:
    names = tuple(name for label in reading.feelings for name in words().feelings[label])
    return names, reading.picked


def _within(value: float) -> float:
    return max(0.0, min(1.0, value))


_BASES: Mapping[str, Callable[[Heard], _Basis]] = {
    "empathy": _empathy, "clarity": _clarity, "helpfulness": _helpfulness, "safety": _safety,
    "situation_fit": _situation_fit, "attunement": _attunement, "need_fit": _need_fit,
    "personality_fit": _personality_fit, "coping_fit": _coping_fit, "discovery": _discovery,
}  # fmt: skip
DIMENSIONS = tuple(_BASES)
"""The ten dimensions there are rules for."""
