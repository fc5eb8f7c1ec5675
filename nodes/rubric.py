"""The rubric: the dimensions a judge rates, read from YAML, and the means of a rating."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from statistics import fmean
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from emoharbor.state.base import FilledText, Frozen
from emoharbor.state.errors import RubricError
from emoharbor.state.verdict import Rating, Scores
from emoharbor.state.yamlfile import problem, read_yaml

GENERAL, TAILORED = "general", "tailored"
"""The two groups between which the tailoring gap is taken."""
_MAY_MISS = 1
"""A mean with more missing dimensions than this is null."""


class Anchor(Frozen):
    """What one level means, in the first person."""

    score: int
    says: FilledText


class Dimension(Frozen):
    """One thing that is rated."""

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    group: str | None = None
    asks: FilledText
    """The question the person asks themself."""
    anchors: Annotated[tuple[Anchor, ...], Field(min_length=2)]


class Rubric(Frozen):
    """Every dimension, on one scale."""

    name: FilledText
    version: FilledText
    low: int
    high: int
    dimensions: Annotated[tuple[Dimension, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        ids = [item.id for item in self.dimensions]
        if len(set(ids)) < len(ids):
            msg = f"two dimensions share an id: {', '.join(ids)}"
            raise ValueError(msg)
        levels = tuple(range(self.low, self.high + 1))
        for item in self.dimensions:
            found = tuple(anchor.score for anchor in item.anchors)
            if found != levels:
                msg = f"dimension {item.id!r} has anchors for {found}; it needs one for each of {levels}, in order"
                raise ValueError(msg)
        return self

    @cached_property
    def id(self) -> str:
        """Name, version and a hash of the whole content, so that a silent change shows."""
        return f"{self.name}/{self.version}+{hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:8]}"

    def scores(self, ratings: Sequence[Rating]) -> Scores | None:
        """Return the means of a rating, or None when no dimension has a score.

        A mean that misses more than one of its dimensions is None; overall runs from 0 (all low) to 100 (all high).
        """
        overall = self._mean(ratings, None)
        if all(rating.score is None for rating in ratings):
            return None
        general, tailored = self._mean(ratings, GENERAL), self._mean(ratings, TAILORED)
        return Scores(
            overall=None if overall is None else 100 * (overall - self.low) / (self.high - self.low),
            general=general,
            tailored=tailored,
            gap=None if general is None or tailored is None else general - tailored,
        )

    def _mean(self, ratings: Sequence[Rating], group: str | None) -> float | None:
        wanted = [item.id for item in self.dimensions if group is None or item.group == group]
        by_id = {rating.dimension: rating.score for rating in ratings}
        found = [score for name in wanted if (score := by_id.get(name)) is not None]
        if not found or len(wanted) - len(found) > _MAY_MISS:
            return None
        return fmean(found)


def load_rubric(source: str = "ten") -> Rubric:
    """Read a rubric: the name of a bundled one, or the path of a YAML file.

    Raises:
        RubricError: naming the file, the line and what is wrong.
    """
    ours: Traversable = files("emoharbor.nodes").joinpath("rubrics", f"{source}.yaml")
    path: Traversable = ours if ours.is_file() else Path(source)
    file = read_yaml(path, RubricError, "a rubric with name, version, low, high and dimensions")
    try:
        return Rubric.model_validate(file.data)
    except ValidationError as error:
        raise RubricError(problem(error, Rubric, file)) from None
