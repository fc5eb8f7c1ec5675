"""The audit of one episode: every check, in the order of the turns."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from emoharbor.eval.audit.case import Case
from emoharbor.eval.audit.finding import KINDS, Finding, Kind
from emoharbor.eval.audit.inward import instant_warmth, moves, over_disclosure, swing
from emoharbor.eval.audit.limits import AuditLimits
from emoharbor.eval.audit.spoken import drift, leak, repeat, turned_down
from emoharbor.eval.audit.style import style
from emoharbor.eval.audit.yardstick import yardstick_of
from emoharbor.eval.record import EpisodeRecord
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.base import Frozen
from emoharbor.state.event import EventKind
from emoharbor.state.outcome import Outcome

Check = Callable[[Case], Iterator[Finding]]
CHECKS: tuple[Check, ...] = (turned_down, drift, leak, repeat, over_disclosure, instant_warmth, style, swing)
"""All checks; each is a pure function of an episode and its profile."""


class Moves(Frozen):
    """How far one level was to move, in one episode."""

    count: int = 0
    """Moves proposed: those that change something."""
    clamped: int = 0
    """Those that the person's limits cut."""
    size: float = 0
    """Sum of the sizes proposed."""
    risen: float = 0
    """Sum of the rises proposed; falls count as nothing."""


Point = tuple[int, float, float]
"""Turn, distress, trust."""


class EventMark(Frozen):
    """When something happened."""

    turn: int
    kind: EventKind


class EpisodeAudit(Frozen):
    """What one episode says about the simulated person."""

    episode: str
    profile: str
    supporter: str
    repeat: int
    outcome: Outcome
    reason: str
    messages: int
    """Messages of the person."""
    replies: int
    distress: Moves
    trust: Moves
    releases: int
    """Turns in which a fact was to be released; `withheld` of them were cut."""
    withheld: int
    first_told: int | None
    """The turn in which the first guarded fact was told."""
    path: tuple[Point, ...]
    """Distress and trust after each turn's feel, the start first."""
    events: tuple[EventMark, ...] = ()
    """What happened on the way, while the person was there."""
    findings: tuple[Finding, ...]

    @cached_property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of fault there are."""
        return frozenset(finding.kind for finding in self.findings)

    @property
    def clamped(self) -> int:
        """Moves of distress and trust that the limits cut."""
        return self.distress.clamped + self.trust.clamped

    @property
    def moves(self) -> int:
        """Moves of distress and trust that were proposed."""
        return self.distress.count + self.trust.count


def audit_episode(
    record: EpisodeRecord,
    profile: PartialProfile,
    limits: AuditLimits | None = None,
    more: Iterable[Finding] = (),
) -> EpisodeAudit:
    """Hold one finished episode against its profile.

    Args:
        record: the episode; it has an outcome.
        profile: the person. Parts may be missing: what needs them finds nothing.
        limits: from when on something is a fault.
        more: findings made elsewhere, by a model.
    """
    case = Case(record, yardstick_of(profile), limits or AuditLimits())
    found = [*(finding for check in CHECKS for finding in check(case)), *more]
    last = case.last_world
    releases = [shift for shift in case.shifts if shift.field == "released"]
    return EpisodeAudit(
        episode=record.episode,
        profile=record.profile,
        supporter=record.supporter,
        repeat=record.repeat,
        outcome=Outcome.INFRASTRUCTURE if record.outcome is None else record.outcome,
        reason=record.outcome_reason,
        messages=len(case.said),
        replies=sum(turn.supporter is not None for turn in record.turns),
        distress=_moves(case, "distress"),
        trust=_moves(case, "trust"),
        releases=len(releases),
        withheld=sum(shift.limited for shift in releases),
        first_told=min((item.turn for item in last.disclosed), default=None) if last else None,
        path=tuple((turn, world.distress, world.trust) for turn, world in sorted(case.worlds.items())),
        events=tuple(EventMark(turn=item.turn, kind=item.kind) for item in record.events if item.turn in case.worlds),
        findings=tuple(sorted(found, key=lambda finding: (finding.turn, _ORDER[finding.kind]))),
    )


def is_audited(record: EpisodeRecord) -> bool:
    """Tell whether an episode is finished and the person said something, or tried to."""
    tried = any(turn.user is not None for turn in record.turns) or record.outcome is Outcome.USER_INVALID
    return tried and record.outcome not in (None, Outcome.INFRASTRUCTURE)


_ORDER: Mapping[Kind, int] = {kind: at for at, kind in enumerate(KINDS)}


def _moves(case: Case, field: str) -> Moves:
    found = [(shift, proposed - before) for shift, before, proposed in moves(case, field) if proposed != before]
    return Moves(
        count=len(found),
        clamped=sum(shift.limited for shift, _ in found),
        size=round(sum(abs(move) for _, move in found), 6),
        risen=round(sum(max(0.0, move) for _, move in found), 6),
    )
