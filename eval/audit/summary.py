"""The whole audit of a run: rates, clamps, how the talks ended, whether people are as their profiles say, findings."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import numpy as np

from emoharbor.eval.audit.episode import EpisodeAudit
from emoharbor.eval.audit.finding import Finding, Kind
from emoharbor.eval.audit.limits import AuditLimits
from emoharbor.eval.audit.rates import Rate, rate_of
from emoharbor.eval.audit.run import RunValidity, validities
from emoharbor.eval.audit.trajectory import Trajectory, trajectories
from emoharbor.eval.statistics.correlation import Correlation, correlation
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.base import Frozen


class Clamps(Frozen):
    """How often the person's limits cut what was proposed."""

    distress: Rate
    trust: Rate
    releases: Rate
    """Turns in which a fact was to be told that was not let through."""


class Ending(Frozen):
    """How talks ended with one supporter."""

    supporter: str
    outcome: str
    episodes: int
    share: float
    replies: float
    """Mean number of replies before the end."""
    reason: str
    """The reason given most often."""


class PersonRow(Frozen):
    """One person over all their episodes. Moves are in the person's own largest steps."""

    profile: str
    episodes: int
    sound: int
    kinds: dict[Kind, int]
    """Episodes with each kind of finding."""
    resistance: int | None
    volatility: int | None
    pace: int | None
    warming: float | None
    """Rise of trust by each reply, as proposed: mean, in points; a fall counts as none."""
    moving: float | None
    """Size of the moves of distress, as proposed: mean, in points."""
    first_told: float | None
    """Mean turn of the first fact that was told, over the episodes in which one was."""


class Conformity(Frozen):
    """Whether people differ in the way their profiles say, over the people of the run."""

    says: str
    """What the profile says."""
    does: str
    """What the person did."""
    expected: str
    """`+` or `-`."""
    found: Correlation


class EpisodeFindings(Frozen):
    """The findings of one episode."""

    episode: str
    findings: tuple[Finding, ...]


class RunAudit(Frozen):
    """The audit of a run."""

    run: str
    limits: AuditLimits
    validity: RunValidity
    clamps: dict[str, Clamps]
    endings: tuple[Ending, ...]
    conformity: tuple[Conformity, ...]
    trajectories: tuple[Trajectory, ...]
    people: tuple[PersonRow, ...]
    episodes: tuple[EpisodeFindings, ...]
    """Those with findings."""
    unknown: tuple[str, ...] = ()
    """People whose profile is no longer there: only what needs no profile was checked."""
    model: str | None = None
    """Who looked for contradictions."""
    unread: int = 0
    """Episodes that the model gave no usable answer on."""


def summarise(  # noqa: PLR0913 - what a run is audited with, all but two keyword-only
    run: str,
    audits: tuple[EpisodeAudit, ...],
    *,
    people: Mapping[str, PartialProfile],
    supporters: Sequence[str],
    limits: AuditLimits,
    model: str | None = None,
    unread: int = 0,
) -> RunAudit:
    """Put the audits of a run together."""
    rows = tuple(_rows(audits, people))
    groups = {"all": list(audits)} | {name: [a for a in audits if a.supporter == name] for name in supporters}
    return RunAudit(
        run=run,
        limits=limits,
        validity=validities(audits, list(supporters), by_model=model is not None),
        clamps={name: _clamps(found) for name, found in groups.items()},
        endings=tuple(ending for name in supporters for ending in _endings(name, groups[name])),
        conformity=tuple(_conformity(rows)),
        trajectories=trajectories(audits, supporters),
        people=rows,
        episodes=tuple(EpisodeFindings(episode=a.episode, findings=a.findings) for a in audits if a.findings),
        unknown=tuple(name for name, person in people.items() if person.person is None and person.sheet is None),
        model=model,
        unread=unread,
    )


def _clamps(audits: Iterable[EpisodeAudit]) -> Clamps:
    known = list(audits)
    return Clamps(
        distress=rate_of((a.profile, a.distress.clamped, a.distress.count) for a in known),
        trust=rate_of((a.profile, a.trust.clamped, a.trust.count) for a in known),
        releases=rate_of((a.profile, a.withheld, a.releases) for a in known),
    )


def _endings(supporter: str, audits: Sequence[EpisodeAudit]) -> Iterable[Ending]:
    counts = Counter(audit.outcome for audit in audits)
    for outcome, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        ended = [audit for audit in audits if audit.outcome is outcome]
        reasons = Counter(audit.reason for audit in ended)
        yield Ending(
            supporter=supporter, outcome=outcome.value, episodes=count, share=count / len(audits),
            replies=fmean(audit.replies for audit in ended),
            reason=max(sorted(reasons), key=reasons.__getitem__),
        )  # fmt: skip


def _rows(audits: Iterable[EpisodeAudit], people: Mapping[str, PartialProfile]) -> Iterable[PersonRow]:
    by_person: dict[str, list[EpisodeAudit]] = {}
    for audit in audits:
        by_person.setdefault(audit.profile, []).append(audit)
    for name, theirs in by_person.items():
        person = people[name].person if name in people else None
        replies = sum(audit.replies for audit in theirs if audit.trust.count)
        moves = sum(audit.distress.count for audit in theirs)
        told = [audit.first_told for audit in theirs if audit.first_told is not None]
        yield PersonRow(
            profile=name,
            episodes=len(theirs),
            sound=sum(not audit.findings for audit in theirs),
            kinds=dict(sorted(Counter(kind for audit in theirs for kind in audit.kinds).items())),
            resistance=person.resistance if person else None,
            volatility=person.volatility if person else None,
            pace=person.disclosure_pace if person else None,
            warming=sum(audit.trust.risen for audit in theirs) / replies if replies else None,
            moving=sum(audit.distress.size for audit in theirs) / moves if moves else None,
            first_told=fmean(told) if told else None,
        )


_TRAITS = (
    ("resistance", "warming", "rise of trust by a reply", "-"),
    ("volatility", "moving", "size of moves of distress", "+"),
    ("pace", "first_told", "turn of the first thing told", "-"),
)  # fmt: skip


def _conformity(rows: Sequence[PersonRow]) -> Iterable[Conformity]:
    for says, does, words, expected in _TRAITS:
        pairs = [(getattr(row, says), getattr(row, does)) for row in rows]
        known = np.array([pair for pair in pairs if None not in pair], dtype=float).reshape(-1, 2)
        found = correlation(known[:, 0], known[:, 1])
        yield Conformity(says="disclosure pace" if says == "pace" else says, does=words, expected=expected, found=found)
