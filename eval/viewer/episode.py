"""An episode as its page shows it: each turn with what it changed, what is held back, the verdict in order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from emoharbor.eval.record import EpisodeRecord, TurnRecord
from emoharbor.eval.reports.person import person_name
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.episode import Fault
from emoharbor.state.inner_world import Disclosure, InnerWorld
from emoharbor.state.outcome import Outcome
from emoharbor.state.shift import Shift
from emoharbor.state.text import contains
from emoharbor.state.verdict import Judgement, Rating, place_of

_GROUPS: Mapping[str | None, str] = {
    "general": "General: would do anyone good",
    "tailored": "Tailored: meant for this person",
}
ENDS: Mapping[Outcome, str] = {
    Outcome.USER_SATISFIED: "got what they came for and said goodbye",
    Outcome.USER_LEFT: "gave up and left",
    Outcome.TURN_CAP: "the turn limit was reached",
    Outcome.STALE: "the talk went in circles",
    Outcome.USER_INVALID: "the simulated person fell out of role; kept, never scored",
    Outcome.SUPPORTER_REFUSED: "the supporter refused to answer",
    Outcome.SUPPORTER_EMPTY: "the supporter gave an empty answer",
    Outcome.SUPPORTER_TRUNCATED: "the supporter's answer was cut off",
    Outcome.SUPPORTER_ERROR: "the supporter failed",
    Outcome.INFRASTRUCTURE: "an endpoint or a node failed, or the run was stopped; it runs again on resume",
}


@dataclass(frozen=True, slots=True)
class Secret:
    """A guarded fact at one turn.

    Attributes:
        id: of the fact.
        fact: what it is; the id when the person's file is gone.
        trust: from which it may be told; None when the file is gone.
        told: when and in which words it was said, if it was by this turn.
        released: whether the person had made up their mind to say it by this turn.
    """

    id: str
    fact: str
    trust: float | None
    told: Disclosure | None
    released: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """Something at a turn that deserves a look: a fault, a limited change, an event, a finding of the audit."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class TurnView:
    """One turn.

    Attributes:
        number: of the turn.
        user, supporter: what was said; None where nothing was.
        world: the inner world from which the person spoke.
        distress, trust: how they changed since the turn before; None at the first.
        told: what was told in this turn.
        secrets: all guarded facts as they stand.
        marks: faults and the like.
    """

    number: int
    user: str | None
    supporter: str | None
    world: InnerWorld | None
    distress: float | None
    trust: float | None
    told: Sequence[Disclosure]
    secrets: Sequence[Secret]
    marks: Sequence[Mark]


@dataclass(frozen=True, slots=True)
class Group:
    """The ratings of one group of dimensions."""

    id: str | None
    title: str
    mean: float | None
    ratings: Sequence[Rating]


def turn_views(record: EpisodeRecord, profile: PartialProfile) -> list[TurnView]:
    """Return the turns of an episode."""
    views: list[TurnView] = []
    before: InnerWorld | None = None
    for number, turn in enumerate(record.turns):
        views.append(_turn_view(number, turn, before, record, profile))
        before = turn.inner_world or before
    return views


def _turn_view(
    number: int, turn: TurnRecord, before: InnerWorld | None, record: EpisodeRecord, profile: PartialProfile
) -> TurnView:
    world = turn.inner_world
    return TurnView(
        number=number,
        user=turn.user,
        supporter=turn.supporter,
        world=world,
        distress=world.distress - before.distress if world and before else None,
        trust=world.trust - before.trust if world and before else None,
        told=[item for item in world.disclosed if item.turn == number] if world else (),
        secrets=secrets(profile, world) if world else (),
        marks=list(_marks(number, record)),
    )


def secrets(profile: PartialProfile, world: InnerWorld) -> list[Secret]:
    """Return every guarded fact as it stands in an inner world."""
    told = {item.fact: item for item in world.disclosed}
    guarded = profile.situation.guarded if profile.situation else ()
    known = [Secret(item.id, item.fact, item.trust, told.get(item.id), item.id in world.released) for item in guarded]
    ids = {item.id for item in known}
    return known + [Secret(name, name, None, item, released=True) for name, item in told.items() if name not in ids]


def _marks(number: int, record: EpisodeRecord) -> Iterator[Mark]:
    for fault in record.faults:
        if fault.turn == number:
            yield Mark("fault", fault_text(fault))
    for event in getattr(record, "events", ()):
        if event.turn == number:
            yield Mark("event", f"{event.kind.replace('_', ' ')}: {event.text}")
    for shift in record.shifts:
        if shift.turn == number and shift.limited and shift.field in ("distress", "trust"):
            yield Mark("limit", _limit_text(shift))


def fault_text(fault: Fault) -> str:
    """Return one line about a fault."""
    return f"{fault.role}: {fault.kind.replace('_', ' ')}{f' ({fault.detail})' if fault.detail else ''}"


def _limit_text(shift: Shift) -> str:
    return f"{shift.field} proposed {shift.proposed}, let through {shift.applied}"


def groups(judgement: Judgement) -> list[Group]:
    """Return the ratings by group: general, tailored, then others as they come."""
    ratings = sorted(judgement.ratings, key=lambda rating: place_of(rating.dimension))
    names = sorted(dict.fromkeys(rating.group for rating in ratings), key=_place)
    return [
        Group(
            name, _GROUPS.get(name, name or "Ratings"), _mean(judgement, name), [r for r in ratings if r.group == name]
        )
        for name in names
    ]


def _place(group: str | None) -> int:
    return list(_GROUPS).index(group) if group in _GROUPS else len(_GROUPS)


def _mean(judgement: Judgement, group: str | None) -> float | None:
    if judgement.scores is None or group not in ("general", "tailored"):
        return None
    return judgement.scores.general if group == "general" else judgement.scores.tailored


def new_quotes(rating: Rating) -> list[int]:
    """Return which quotes are not already part of the reason."""
    return [place for place, item in enumerate(rating.evidence) if not contains(rating.reason, item.quote)]


def name_of(profile: PartialProfile) -> str:
    """Return the person's first name, or the id."""
    return person_name(profile)
