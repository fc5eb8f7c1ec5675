"""The rubric: the dimensions a judge rates, read from YAML, and the means of a rating."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
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
    """In order, at least at both ends of the scale; a long scale need not have one at every level."""


class Rubric(Frozen):
    """Every dimension, on one scale. Any number of dimensions, in any groups or none."""

    name: FilledText
    version: FilledText
    low: int
    high: int
    dimensions: Annotated[tuple[Dimension, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        ids = [item.id for item in self.dimensions]
        if twice := [name for name, count in Counter(ids).items() if count > 1]:
            msg = f"two dimensions share an id: {', '.join(twice)}"
            raise ValueError(msg)
        if self.low >= self.high:
            msg = f"the scale runs from {self.low} to {self.high}; low has to be below high"
            raise ValueError(msg)
        for item in self.dimensions:
            found = [anchor.score for anchor in item.anchors]
            if found != sorted(set(found)) or (found[0], found[-1]) != (self.low, self.high):
                msg = (
                    f"dimension {item.id!r} has anchors for {found}; they run upwards from {self.low} to {self.high}, "
                    "with one at both ends at least"
                )
                raise ValueError(msg)
        return self

    @cached_property
    def id(self) -> str:
        """Name, version and a hash of the whole content, so that a silent change shows."""
        return f"{self.name}/{self.version}+{hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:8]}"

    def only(self, dimension: str) -> "Rubric":
        """Return this rubric with one dimension left."""
        kept = tuple(item for item in self.dimensions if item.id == dimension)
        return Rubric(name=self.name, version=self.version, low=self.low, high=self.high, dimensions=kept)

    @property
    def is_sparse(self) -> bool:
        """Whether a level of the scale has no anchor of its own."""
        return any(len(item.anchors) <= self.high - self.low for item in self.dimensions)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups in the order they come."""
        return tuple(dict.fromkeys(item.group for item in self.dimensions if item.group is not None))

    def scores(self, ratings: Sequence[Rating]) -> Scores | None:
        """Return the means of a rating, or None when no dimension has a score.

        A mean that misses more than one of its dimensions is None; overall runs from 0 (all low) to 100 (all high).
        """
        overall = self._mean(ratings, None)
        if all(rating.score is None for rating in ratings):
            return None
        means = {group: self._mean(ratings, group) for group in self.groups}
        general, tailored = means.get(GENERAL), means.get(TAILORED)
        return Scores(
            overall=None if overall is None else 100 * (overall - self.low) / (self.high - self.low),
            general=general,
            tailored=tailored,
            gap=None if general is None or tailored is None else general - tailored,
            groups=means,
        )

    def _mean(self, ratings: Sequence[Rating], group: str | None) -> float | None:
        wanted = [item.id for item in self.dimensions if group is None or item.group == group]
        by_id = {rating.dimension: rating.score for rating in ratings}
        found = [score for name in wanted if (score := by_id.get(name)) is not None]
        if not found or len(wanted) - len(found) > _MAY_MISS:
            return None
        return fmean(found)


def rubric_named(args: Mapping[str, object]) -> Rubric:
    """Return the rubric that a judge's arguments name; one that names none rates on the bundled ten.

    Raises:
        RubricError: as `load_rubric`.
    """
    name = args.get("rubric", "ten")
    return load_rubric(name if isinstance(name, str) else "ten")


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
