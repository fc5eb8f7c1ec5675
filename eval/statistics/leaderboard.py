"""The first leaderboard: plain means and counts of each supporter, from episode records. Pure functions."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, Protocol, TypeVar

from emoharbor.state.base import Frozen
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Judgement

T = TypeVar("T")
Failures = Literal["lowest", "exclude"]
"""How the means treat supporter failures: as the lowest score on every dimension (primary), or left out."""


class Scale(Frozen):
    """What the judge rated on.

    Attributes of `groups`: the group of each dimension; None for one without.
    """

    rubric: str
    low: int
    high: int
    groups: dict[str, str | None]


class Counts(Frozen):
    """The denominators of one supporter. planned = scored + failed + invalid + unfinished + unscored."""

    planned: int
    scored: int
    """Completed, with a readable judgement."""
    failed: int
    """Ended by a supporter failure."""
    invalid: int
    """The simulated user failed; never scored."""
    unfinished: int
    """Not begun, under way, broken off, or waiting for its judge."""
    unscored: int
    """Completed, but the judgement could not be read."""


class SupporterRow(Frozen):
    """One supporter. Fields that are None in all rows are filled by later statistics."""

    name: str
    n: int
    """Episodes the means rest on."""
    overall: float | None
    """0 to 100."""
    overall_ci: tuple[float, float] | None = None
    general: float | None
    tailored: float | None
    gap: float | None
    """General minus tailored."""
    personal_effect: float | None = None
    rank: int | None = None
    """By overall; None without one. Equal means share a rank."""
    rank_ci: tuple[int, int] | None = None
    rank_changes: bool = False
    """Whether the rank differs when supporter failures are treated the other way."""
    dimensions: dict[str, float | None]
    """Mean of each dimension."""
    counts: Counts
    outcomes: dict[str, int]
    """Episodes by outcome, the most frequent first; `none` for those begun without one yet."""


class Leaderboard(Frozen):
    """All supporters, best first; those without a mean last, by name."""

    failures: Failures
    rubric: str | None
    supporters: tuple[SupporterRow, ...]


class Rated(Protocol):
    """What the figures read of an episode; an `EpisodeRecord` is one."""

    @property
    def supporter(self) -> str:
        """Name of the supporter."""

    @property
    def outcome(self) -> Outcome | None:
        """How it ended."""

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """How it was rated."""


@dataclass(frozen=True, slots=True)
class _Marks:
    """The scores one episode contributes."""

    overall: float | None
    general: float | None
    tailored: float | None
    gap: float | None
    dimensions: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Entry:
    """What is kept of an episode: a run may have more of them than fit in memory."""

    kind: str
    outcome: str
    marks: _Marks | None


def leaderboard(
    records: Iterable[Rated],
    scale: Scale | None,
    planned: Mapping[str, int],
    failures: Failures = "lowest",
) -> Leaderboard:
    """Return plain means by supporter.

    Args:
        records: the episodes, each once.
        scale: what was rated on; None for a run without a judge.
        planned: episodes planned for each supporter; those without a record count as unfinished.
        failures: how supporter failures enter the means.
    """
    entries: dict[str, list[_Entry]] = {name: [] for name in planned}
    for record in records:
        entries.setdefault(record.supporter, []).append(_entry(record))
    other: Failures = "exclude" if failures == "lowest" else "lowest"
    rows = [_row(name, found, scale, planned.get(name, len(found)), failures) for name, found in entries.items()]
    ranks = _ranks({row.name: row.overall for row in rows})
    contrast = _ranks({name: _mean(_all_marks(found, scale, other), _overall) for name, found in entries.items()})
    ranked = [
        row.model_copy(update={"rank": ranks[row.name], "rank_changes": ranks[row.name] != contrast[row.name]})
        for row in rows
    ]
    ranked.sort(key=lambda row: (row.rank is None, row.rank or 0, row.name))
    return Leaderboard(failures=failures, rubric=scale.rubric if scale else None, supporters=tuple(ranked))


def _entry(record: Rated) -> _Entry:
    # ratings as another person are a control, not a score
    own = [judgement for judgement in record.judgements if judgement.counterfactual is None]
    kind = _kind(record.outcome, own)
    outcome = record.outcome.value if record.outcome else "none"
    return _Entry(kind, outcome, _marks(own) if kind == "scored" else None)


def _kind(outcome: Outcome | None, ratings: Sequence[Judgement]) -> str:
    if outcome is None:
        return "unfinished"
    if outcome.standing != "completed":
        return {"supporter_failure": "failed", "invalid": "invalid", "unfinished": "unfinished"}[outcome.standing]
    if not ratings:
        return "unfinished"  # the judge could not be reached: it is asked again on resume
    return "scored" if any(rating.scores for rating in ratings) else "unscored"


def _row(name: str, entries: Sequence[_Entry], scale: Scale | None, planned: int, failures: Failures) -> SupporterRow:
    marks = _all_marks(entries, scale, failures)
    outcomes = Counter(entry.outcome for entry in entries)
    return SupporterRow(
        name=name,
        n=len(marks),
        overall=_mean(marks, _overall),
        general=_mean(marks, lambda mark: mark.general),
        tailored=_mean(marks, lambda mark: mark.tailored),
        gap=_mean(marks, lambda mark: mark.gap),
        dimensions={item: _mean(marks, _of_dimension(item)) for item in (scale.groups if scale else ())},
        counts=_counts(entries, planned),
        outcomes=dict(sorted(outcomes.items(), key=lambda item: (-item[1], item[0]))),
    )


def _counts(entries: Sequence[_Entry], planned: int) -> Counts:
    kinds = Counter(entry.kind for entry in entries)
    return Counts(
        planned=planned,
        scored=kinds["scored"],
        failed=kinds["failed"],
        invalid=kinds["invalid"],
        unfinished=kinds["unfinished"] + max(0, planned - len(entries)),
        unscored=kinds["unscored"],
    )


def _all_marks(entries: Iterable[_Entry], scale: Scale | None, failures: Failures) -> list[_Marks]:
    found: list[_Marks] = []
    for entry in entries:
        if entry.marks is not None:
            found.append(entry.marks)
        elif entry.kind == "failed" and failures == "lowest" and scale is not None:
            found.append(_lowest(scale))
    return found


def _marks(ratings: Sequence[Judgement]) -> _Marks:
    """The mean of an episode's ratings; an episode counts once, however often it was rated."""
    scores = [rating.scores for rating in ratings if rating.scores is not None]
    by_dimension: dict[str, list[int]] = defaultdict(list)
    for rating in ratings:
        for item in rating.ratings:
            if item.score is not None:
                by_dimension[item.dimension].append(item.score)
    return _Marks(
        overall=_mean(scores, lambda score: score.overall),
        general=_mean(scores, lambda score: score.general),
        tailored=_mean(scores, lambda score: score.tailored),
        gap=_mean(scores, lambda score: score.gap),
        dimensions={name: fmean(values) for name, values in by_dimension.items()},
    )


def _lowest(scale: Scale) -> _Marks:
    """To fail to answer a person is to fail that person."""
    low = float(scale.low)
    groups = set(scale.groups.values())
    general, tailored = ("general" in groups), ("tailored" in groups)
    return _Marks(
        overall=0.0,
        general=low if general else None,
        tailored=low if tailored else None,
        gap=0.0 if general and tailored else None,
        dimensions=dict.fromkeys(scale.groups, low),
    )


def _of_dimension(name: str) -> Callable[[_Marks], float | None]:
    return lambda mark: mark.dimensions.get(name)


def _overall(mark: _Marks) -> float | None:
    return mark.overall


def _mean(items: Iterable[T], of: Callable[[T], float | None]) -> float | None:
    values = [value for item in items if (value := of(item)) is not None]
    return fmean(values) if values else None


def _ranks(means: Mapping[str, float | None]) -> dict[str, int | None]:
    """Rank from 1; equal means share a rank."""
    known = [mean for mean in means.values() if mean is not None]
    return {name: None if mean is None else 1 + sum(other > mean for other in known) for name, mean in means.items()}
