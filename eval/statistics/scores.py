"""What one episode contributes: its kind, and the figures of its ratings. Nothing is made up for what is missing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan, nan
from statistics import fmean
from typing import Literal, Protocol

from emoharbor.state.base import Frozen
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Scores

Failures = Literal["lowest", "exclude", "worst"]
"""How what has no score enters the means. `lowest` (primary): a supporter failure counts as the lowest score on every
dimension. `exclude`: it is left out. `worst`: as `lowest`, and so does everything else that ended without a score
(invalid, unscored, a dimension the judge gave none): the least that the missing could make of a supporter."""
Kind = Literal["scored", "failed", "invalid", "unscored", "unfinished"]
MEANS = ("overall", "general", "tailored", "gap")
GROUP, DIMENSION = "group ", "dimension "
"""Stand before the names of a rubric's other groups and of its dimensions, which may be called anything."""
_KINDS: Mapping[str, Kind] = {"supporter_failure": "failed", "invalid": "invalid", "unfinished": "unfinished"}


class Scale(Frozen):
    """What the judge rated on.

    Attributes of `groups`: the group of each dimension; None for one without.
    """

    rubric: str
    low: int
    high: int
    groups: dict[str, str | None]

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """The names of an episode's figures, in order: four means, the rubric's other groups, each dimension."""
        return (*MEANS, *(f"{GROUP}{name}" for name in self.other_groups), *self.dimensions)

    @cached_property
    def dimensions(self) -> tuple[str, ...]:
        """The figures that are dimensions, in the rubric's order."""
        return tuple(f"{DIMENSION}{name}" for name in self.groups)

    @cached_property
    def other_groups(self) -> tuple[str, ...]:
        """The groups beside general and tailored, in the order of the dimensions."""
        named = [name for name in self.groups.values() if name is not None]
        return tuple(dict.fromkeys(name for name in named if name not in ("general", "tailored")))

    def members(self, group: str) -> tuple[str, ...]:
        """Return the dimensions of a group."""
        return tuple(name for name, found in self.groups.items() if found == group)

    @cached_property
    def lowest(self) -> tuple[float, ...]:
        """The figures of an episode that is the lowest on everything; nan for what the rubric does not have."""
        return self.of_dimensions(dict.fromkeys(self.groups, float(self.low)))

    def of_dimensions(self, scores: Mapping[str, float]) -> tuple[float, ...]:
        """Return the figures of an episode in which every dimension has a score."""
        general, tailored, *others = (
            self._mean(scores, self.members(group)) for group in ("general", "tailored", *self.other_groups)
        )
        overall = 100 * (fmean(scores.values()) - self.low) / (self.high - self.low)
        return (overall, general, tailored, general - tailored, *others, *(scores[name] for name in self.groups))

    @staticmethod
    def _mean(scores: Mapping[str, float], names: Sequence[str]) -> float:
        return fmean(scores[name] for name in names) if names else nan


class Score(Protocol):
    """The score of one dimension."""

    @property
    def dimension(self) -> str:
        """Which."""

    @property
    def score(self) -> int | None:
        """Within the scale; None is missing."""


class Given(Protocol):
    """What the figures read of one rating; a `Judgement` is such."""

    @property
    def judge(self) -> str:
        """Who rated."""

    @property
    def judge_id(self) -> str:
        """Hash of who rated and how."""

    @property
    def own(self) -> bool:
        """Whether it is the run's own."""

    @property
    def repeat(self) -> int:
        """For the how-manieth time."""

    @property
    def control(self) -> str | None:
        """The control it belongs to."""

    @property
    def counterfactual(self) -> str | None:
        """As whom, when not as oneself."""

    @property
    def with_log(self) -> bool:
        """Whether an inner-world log was read."""

    @property
    def ratings(self) -> Sequence[Score]:
        """Each dimension."""

    @property
    def scores(self) -> Scores | None:
        """The means; None when it could not be read."""


class Rated(Protocol):
    """What the figures read of an episode; an `EpisodeRecord` is such, and so are results read without words."""

    @property
    def profile(self) -> str:
        """Id of the person."""

    @property
    def supporter(self) -> str:
        """Name of the supporter."""

    @property
    def repeat(self) -> int:
        """Which repeat."""

    @property
    def outcome(self) -> Outcome | None:
        """How it ended."""

    @property
    def judgements(self) -> Sequence[Given]:
        """How it was rated, by whomever."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the figures keep of an episode: a run may have more of them than fit in memory.

    Attributes:
        figures: by `Scale.figures`, nan where missing; None unless scored.
    """

    profile: str
    supporter: str
    repeat: int
    kind: Kind
    outcome: str
    figures: tuple[float, ...] | None = None

    def treated(self, scale: Scale, failures: Failures) -> tuple[float, ...] | None:
        """Return the figures that a treatment makes of it; None when it stays out of the means."""
        if self.kind == "unfinished":
            return None
        if failures == "worst":
            return _worst(self, scale)
        if self.kind == "failed" and failures == "lowest":
            return scale.lowest
        return self.figures


def entry_of(record: Rated, scale: Scale | None, ratings: Sequence[Given] | None = None) -> Entry:
    """Return what is kept of an episode.

    Args:
        record: the episode.
        scale: what was rated on; None without a judge.
        ratings: the ratings to take in place of its own ones, as those of another judge.
    """
    own = [item for item in record.judgements if item.own] if ratings is None else ratings
    kind = kind_of(record.outcome, own)
    outcome = record.outcome.value if record.outcome else "none"
    figures = figures_of(own, scale) if scale is not None and kind == "scored" else None
    return Entry(record.profile, record.supporter, record.repeat, kind, outcome, figures)


def kind_of(outcome: Outcome | None, ratings: Sequence[Given]) -> Kind:
    """Return under which denominator an episode falls."""
    if outcome is None:
        return "unfinished"
    if outcome.standing != "completed":
        return _KINDS[outcome.standing]
    if not ratings:
        return "unfinished"  # the judge could not be reached: it is asked again on resume
    return "scored" if any(rating.scores for rating in ratings) else "unscored"


def figures_of(ratings: Iterable[Given], scale: Scale) -> tuple[float, ...]:
    """Return the means over ratings of one episode, in the order of `Scale.figures`; nan where none has one."""
    rows = [_figures(rating, scale) for rating in ratings]
    if len(rows) == 1:
        return rows[0]
    return tuple(_known_mean(column) for column in zip(*rows, strict=True))


def _figures(rating: Given, scale: Scale) -> tuple[float, ...]:
    means: Scores | None = rating.scores
    of_dimension = {item.dimension: item.score for item in rating.ratings}
    found: list[float | None] = [None] * (len(MEANS) + len(scale.other_groups))
    if means is not None:
        found = [getattr(means, name) for name in MEANS] + [means.groups.get(name) for name in scale.other_groups]
    found += [of_dimension.get(name) for name in scale.groups]
    return tuple(nan if value is None else float(value) for value in found)


def _known_mean(values: Iterable[float]) -> float:
    known = [value for value in values if not isnan(value)]
    return fmean(known) if known else nan


def _worst(entry: Entry, scale: Scale) -> tuple[float, ...]:
    """What has no score counts as the lowest."""
    if entry.figures is None:
        return scale.lowest
    scores = dict(zip(scale.groups, entry.figures[-len(scale.groups) :], strict=True))
    missing = {name: float(scale.low) for name, score in scores.items() if isnan(score)}
    return scale.of_dimensions({**scores, **missing}) if missing else entry.figures
