"""The rows of a leaderboard: what is said of each supporter, and of two neighbours."""

from pydantic import Field

from emoharbor.eval.statistics.groups import GroupCheck
from emoharbor.eval.statistics.method import How, Limits
from emoharbor.eval.statistics.personal import PersonalEffect
from emoharbor.eval.statistics.scores import Failures
from emoharbor.state.base import Frozen


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


class ReportedMeans(Frozen):
    """Simulator-reported means of one supporter over completed episodes: read from the inner world, not rated."""

    n: int
    """Completed episodes."""
    distress_change: float | None
    """From after the opening to the end, on 0 to 10; below 0 is better."""
    distress_change_ci: Limits | None = None
    trust_end: float | None
    facts: float | None
    """Share of the guarded facts that were told, 0 to 1."""
    needs: float | None
    """Share of the needs that were met, 0 to 1."""


class Share(Frozen):
    """A share with its interval, 0 to 1."""

    share: float | None
    ci: Limits | None
    n: int


class SupporterRow(Frozen):
    """One supporter. Means are over people, each the mean of their repeats; None is missing, never 0."""

    name: str
    n: int
    """Episodes behind `overall`."""
    people: int = 0
    """People behind `overall`."""
    overall: float | None
    """0 to 100."""
    overall_ci: Limits | None = None
    general: float | None
    general_ci: Limits | None = None
    tailored: float | None
    tailored_ci: Limits | None = None
    gap: float | None
    """General minus tailored."""
    gap_ci: Limits | None = None
    personal_effect: float | None = None
    """Of the main control that was rated; `personal` of the board has them all."""
    personal_effect_ci: Limits | None = None
    rank: int | None = None
    """By overall; None without one. Equal means share a rank."""
    rank_ci: tuple[int, int] | None = None
    """The best and worst rank that the corrected tests of pairs leave open."""
    rank_changes: bool = False
    """Whether the rank differs between failures counted as lowest and left out."""
    overall_if: dict[Failures, float | None] = Field(default_factory=dict)
    """The mean under each treatment of what has no score."""
    rank_if: dict[Failures, int | None] = Field(default_factory=dict)
    groups: dict[str, float | None] = Field(default_factory=dict)
    """Means of a rubric's groups beside general and tailored."""
    dimensions: dict[str, float | None]
    """Mean of each dimension."""
    ns: dict[str, int] = Field(default_factory=dict)
    """Episodes behind each mean; fewer than `n` where too many dimensions were null."""
    dimensions_n: dict[str, int] = Field(default_factory=dict)
    """Episodes behind each dimension; fewer than `n` where the judge gave it null."""
    reported: ReportedMeans | None = None
    validity: dict[str, Share] = Field(default_factory=dict)
    """How sound the simulated user was with this supporter, where it was audited."""
    counts: Counts
    outcomes: dict[str, int]
    """Episodes by outcome, the most frequent first; `none` for those begun without one yet."""


class Neighbours(Frozen):
    """Two supporters next to each other in rank."""

    first: str
    """The one with the higher mean."""
    second: str
    people: int
    """Those that both have a score for."""
    difference: float | None
    difference_ci: Limits | None
    p: float | None
    """Of the permutation test; None without people in common."""
    p_holm: float | None
    """Corrected over all pairs of the table."""
    alike: bool
    """Whether they cannot be told apart."""


class SliceCell(Frozen):
    """One supporter with some of the people."""

    name: str
    n: int
    people: int
    overall: float | None
    overall_ci: Limits | None
    general: float | None
    tailored: float | None
    gap: float | None


class Slice(Frozen):
    """Some of the people, and what each supporter does for them."""

    by: str
    name: str
    people: int
    supporters: tuple[SliceCell, ...]


class Leaderboard(Frozen):
    """All supporters, best first; those without a mean last, by name."""

    failures: Failures
    rubric: str | None
    supporters: tuple[SupporterRow, ...]
    runs: tuple[str, ...] = ()
    people: int = 0
    """People behind the table."""
    judge: str | None = None
    """Whose ratings these are; None for each run's own judge."""
    neighbours: tuple[Neighbours, ...] = ()
    """Best first."""
    personal: tuple[PersonalEffect, ...] = ()
    """Every control that was rated."""
    slices: tuple[Slice, ...] = ()
    groups: GroupCheck | None = None
    how: How = How()
    notes: tuple[str, ...] = ()
    """What a reader has to know, as how joined runs differ."""
