"""Every rating as oneself, flat: who rated which episode how often, with or without the inner-world log."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray, IntArray
from emoharbor.eval.statistics.scores import Given, Rated, Scale, figures_of

T = TypeVar("T", bound=Hashable)
Episode = tuple[str, str, str, int]
"""Simulator, person, supporter, repeat."""


@dataclass(frozen=True, slots=True)
class One:
    """One rating of one episode.

    Attributes:
        judge: name of the judge, made unlike others of the same name by the start of its id.
        repeat: of the rating.
        figures: by `Scale.figures`, nan where missing.
    """

    episode: Episode
    judge: str
    own: bool
    with_log: bool
    repeat: int
    figures: tuple[float, ...]


@dataclass(frozen=True)
class Ratings:
    """All of them.

    Attributes:
        scale: what was rated on.
        ones: in the order found; ratings that could not be read are not among them.
    """

    scale: Scale
    ones: tuple[One, ...]

    @classmethod
    def of(cls, records: Mapping[str, Iterable[Rated]], scale: Scale) -> "Ratings":
        """Read the episodes of runs, by the name of who played the people."""
        found = [
            One(
                (simulator, record.profile, record.supporter, record.repeat), _name(item), item.own, item.with_log,
                item.repeat, figures_of([item], scale),
            )
            for simulator, episodes in records.items()
            for record in episodes
            for item in record.judgements
            if item.control is None and item.counterfactual is None and item.scores is not None
        ]  # fmt: skip
        return cls(scale, tuple(found))

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """Everybody who rated, the runs' own first."""
        return tuple(dict.fromkeys(one.judge for one in sorted(self.ones, key=lambda one: not one.own)))

    def of_judge(self, judge: str, *, with_log: bool) -> "Ratings":
        """Return the ratings of one judge, all with or all without the log."""
        return Ratings(self.scale, tuple(o for o in self.ones if o.judge == judge and o.with_log == with_log))

    def plain(self) -> "Ratings":
        """Return the ratings made the way each run itself rates: with the log where there is one."""
        return Ratings(self.scale, tuple(one for one in self.ones if one.with_log or one.own))

    def table(self, figure: str, *, raters: str) -> "Table":
        """Return one figure as raters by episodes.

        Args:
            figure: one of `Scale.figures`.
            raters: `judge`, each with its first rating; or `repeat`, for the ratings of one judge.
        """
        index = self.scale.figures.index(figure)
        first = min((one.repeat for one in self.ones), default=0)
        ones = [one for one in self.ones if raters == "repeat" or one.repeat == first]
        rows = _numbered([getattr(one, raters) for one in ones])
        columns = _numbered([one.episode for one in ones])
        people = _numbered([episode[1] for episode in columns])
        values = np.full((len(rows), len(columns)), np.nan)
        for one in ones:
            values[rows[getattr(one, raters)], columns[one.episode]] = one.figures[index]
        return Table(values, np.array([people[episode[1]] for episode in columns], dtype=np.int64))

    def factors(self, figure: str) -> tuple[FloatArray, dict[str, IntArray]]:
        """Return one figure, one value a rating, with what each value belongs to."""
        index = self.scale.figures.index(figure)
        names: dict[str, Sequence[Hashable]] = {
            "profile": [one.episode[1] for one in self.ones],
            "supporter": [one.episode[2] for one in self.ones],
            "repeat": [one.episode[3] for one in self.ones],
            "judge": [one.judge for one in self.ones],
            "simulator": [one.episode[0] for one in self.ones],
        }
        codes = {}
        for name, values in names.items():
            numbers = _numbered(values)
            codes[name] = np.array([numbers[value] for value in values], dtype=np.int64)
        return np.array([one.figures[index] for one in self.ones], dtype=np.float64), codes


@dataclass(frozen=True, slots=True)
class Table:
    """Raters by episodes, nan where missing; `people` holds the number of each episode's person."""

    values: FloatArray
    people: IntArray


def _name(item: Given) -> str:
    return f"{item.judge} [{item.judge_id[:6]}]" if item.judge_id else item.judge


def _numbered(values: Iterable[T]) -> dict[T, int]:
    return {value: index for index, value in enumerate(dict.fromkeys(values))}
