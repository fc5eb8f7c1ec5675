"""The figures of a run as arrays: people by supporters, repeats averaged first, so that every person counts once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray, IntArray, cell_counts, cell_means
from emoharbor.eval.statistics.scores import Entry, Failures, Scale


@dataclass(frozen=True, slots=True)
class Grid:
    """One treatment's figures.

    Attributes:
        figures, profiles, supporters: the names along the axes.
        values: (figures, profiles, supporters); the mean over a person's repeats, nan where there is none.
        counts: episodes behind each value, the same shape.
    """

    supporters: tuple[str, ...]
    profiles: tuple[str, ...]
    figures: tuple[str, ...]
    values: FloatArray
    counts: IntArray

    @classmethod
    def of(cls, entries: Iterable[Entry], names: Sequence[str], scale: Scale, failures: Failures) -> Self:
        """Average the repeats.

        Args:
            entries: the episodes, each once.
            names: the supporters, in the order wanted.
            scale: what was rated on.
            failures: how episodes without a score enter.
        """
        found = list(entries)
        profiles = tuple(sorted({entry.profile for entry in found}))
        rows, columns = _places(profiles), _places(names)
        treated = [(entry, figures) for entry in found if (figures := entry.treated(scale, failures)) is not None]
        profile = np.array([rows[entry.profile] for entry, _ in treated], dtype=np.int64)
        column = np.array([columns[entry.supporter] for entry, _ in treated], dtype=np.int64)
        table = np.array([figures for _, figures in treated], dtype=np.float64).reshape(-1, len(scale.figures)).T
        shape = (len(profiles), len(names))
        return cls(
            tuple(names), profiles, scale.figures,
            np.stack([cell_means(values, profile, column, shape) for values in table]),
            np.stack([cell_counts(values, profile, column, shape) for values in table]),
        )  # fmt: skip

    def of_figure(self, name: str) -> FloatArray:
        """Return one figure: (profiles, supporters)."""
        found: FloatArray = self.values[self.figures.index(name)]
        return found

    def among(self, profiles: Sequence[str]) -> Self:
        """Return the same with these people only."""
        kept = [self.profiles.index(name) for name in profiles if name in self.profiles]
        names = tuple(self.profiles[index] for index in kept)
        return type(self)(self.supporters, names, self.figures, self.values[:, kept], self.counts[:, kept])


@dataclass(frozen=True, slots=True)
class DimensionRows:
    """The dimensions of every scored episode.

    Attributes:
        scores: (episodes, dimensions), nan where missing.
        people, supporters: the number of each row's person and supporter.
    """

    scores: FloatArray
    people: IntArray
    supporters: IntArray


def dimension_rows(entries: Iterable[Entry], scale: Scale) -> DimensionRows:
    """Return the dimensions of every scored episode, one row each."""
    scored = [entry for entry in entries if entry.figures is not None]
    count = len(scale.groups)
    scores = np.array([entry.figures[-count:] for entry in scored if entry.figures is not None], dtype=np.float64)
    return DimensionRows(
        scores.reshape(len(scored), count),
        _numbers([entry.profile for entry in scored]),
        _numbers([entry.supporter for entry in scored]),
    )


def _places(names: Sequence[str]) -> dict[str, int]:
    return {name: index for index, name in enumerate(names)}


def _numbers(names: Sequence[str]) -> IntArray:
    known = _places(sorted(set(names)))
    return np.array([known[name] for name in names], dtype=np.int64)
