"""A judgement: one rating of one finished episode by one judge."""

from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from emoharbor.state.base import FilledText, Frozen, Text, Turn

Control = Literal["person", "profile", "replay"]
"""A control for personalisation: rated by the same situation with another's person, by another whole profile, or from
another's inner world replayed over the recorded dialogue."""
_TEN = (
    "empathy", "clarity", "helpfulness", "safety", "situation_fit", "attunement", "need_fit", "personality_fit",
    "coping_fit", "discovery",
)  # fmt: skip
"""The dimensions of the bundled rubric."""


def place_of(dimension: str) -> int:
    """Sort key of a dimension: as the bundled rubric has them, for a judge is asked in shuffled order; others after."""
    return _TEN.index(dimension) if dimension in _TEN else len(_TEN)


class Evidence(Frozen):
    """Words of the dialogue that a rating rests on."""

    turn: Turn
    quote: FilledText


class Rating(Frozen):
    """The score of one dimension. A missing score is missing, with its reason."""

    dimension: FilledText
    group: str | None
    score: int | None
    """Within the rubric's scale, or None."""
    reason: Text
    """The rationale, written before the score; for a missing score, why it is missing."""
    evidence: tuple[Evidence, ...] = ()
    evidence_ok: bool | None = None
    """Whether every quote stands in the turn it names; None when there is no evidence to check."""
    certainty: Annotated[int, Field(ge=0, le=100)] | None = None
    """How sure the judge says it is, in per cent."""


class Scores(Frozen):
    """Means of one judgement. None where more than one dimension of the group is missing."""

    overall: float | None
    """0 to 100: (mean - low) / (high - low)."""
    general: float | None
    tailored: float | None
    gap: float | None
    """General minus tailored; None without those two groups."""
    groups: dict[str, float | None] = Field(default_factory=dict)
    """The mean of each group of the rubric, on its scale."""


class Stance(Frozen):
    """How an episode is rated: by whom, as whom, knowing what, for the how-manieth time.

    Together these fields tell apart all judgements of one episode.
    """

    judge_id: str = ""
    """Hash of the judge's implementation, model, prompt and rubric; empty where nobody worked it out."""
    own: bool = False
    """Whether it is the run's own rating: by its judge, as oneself, as the run itself rates. Primary figures rest on
    these alone."""
    repeat: Annotated[int, Field(ge=0)] = 0
    control: Control | None = None
    counterfactual: str | None = None
    """Id of the person it was rated as, when that is another one."""
    with_log: bool = True
    """Whether the judge read an inner-world log."""


class Judgement(Stance):
    """One rating of one finished episode by one judge."""

    judge: FilledText
    """Name of the judge: implementation and model."""
    rubric: FilledText
    """Name and version of the rubric."""
    order: tuple[str, ...] = ()
    """The shuffled order in which the dimensions were asked."""
    ratings: tuple[Rating, ...] = ()
    scores: Scores | None = None
    unscored: Text | None = None
    """Why there is no score at all, with the raw text kept in `raw`."""
    raw: Text = ""
    """The judge's whole last reply."""

    @model_validator(mode="after")
    def _scored_or_not(self) -> Self:
        if (self.scores is None) == (self.unscored is None):
            msg = "a judgement has either scores or a reason for being unscored"
            raise ValueError(msg)
        return self


def primary(judgements: Iterable[Judgement]) -> tuple[Judgement, ...]:
    """Return the run's own ratings of an episode, one a repeat; empty while it is not judged."""
    return tuple(judgement for judgement in judgements if judgement.own)


def order(judgement: Judgement) -> tuple[object, ...]:
    """Sort key of an episode's judgements: the run's own first, then judge by judge, as oneself before as others."""
    return (
        not judgement.own, judgement.judge, judgement.judge_id, judgement.control or "",
        judgement.counterfactual or "", not judgement.with_log, judgement.repeat,
    )  # fmt: skip
