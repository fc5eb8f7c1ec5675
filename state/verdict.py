"""A judgement: one rating of one finished episode by one judge."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from emoharbor.state.base import FilledText, Frozen, Text, Turn


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
    """Means of one judgement. None where more than one dimension of the group is missing (DESIGN section 6)."""

    overall: float | None
    """0 to 100: (mean - low) / (high - low)."""
    general: float | None
    tailored: float | None
    gap: float | None
    """General minus tailored; None without those two groups."""


class Judgement(Frozen):
    """One rating of one finished episode by one judge."""

    judge: FilledText
    """Name of the judge: implementation and model."""
    repeat: Annotated[int, Field(ge=0)] = 0
    counterfactual: str | None = None
    """Id of the person it was rated as, when that is another one."""
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
