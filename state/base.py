"""The frozen base model and the numeric ranges that the whole project shares."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from emoharbor.state.text import clean


class Frozen(BaseModel):
    """A value: no field can be set after it is made, unknown fields are refused, NaN and infinity too."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, revalidate_instances="always")


Text = Annotated[str, AfterValidator(clean)]
"""Text that can always be stored: lone surrogates are replaced on the way in."""

FilledText = Annotated[str, AfterValidator(clean), Field(min_length=1)]
"""`Text` of at least one character."""

Level = Annotated[float, Field(ge=0, le=10)]
"""A level from 0 (none) to 10 (as much as can be): distress, trust, readiness."""

Intensity = Annotated[int, Field(ge=0, le=10)]
"""How strong an emotion is, 0 to 10."""

CheckValue = Annotated[int, Field(ge=-3, le=3)]
"""One of Scherer's appraisal checks, -3 (hinders, none, violates) to 3 (helps, full, fits)."""

Understood = Literal[-3, -2, -1, 1, 2, 3]
"""Felt understanding on the six points of the Barrett-Lennard Relationship Inventory; it has no zero."""

Turn = Annotated[int, Field(ge=0)]
"""Index of a turn; the opening is turn 0."""

Role = Literal["feel", "think", "speak", "fused", "supporter", "judge"]
"""A seat in the graph. `fused` does the work of `feel`, `think` and `speak` in one call."""
