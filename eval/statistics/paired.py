"""Two runs of the same people, episode by episode: figures of the pairs in which both have one."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

import numpy as np
from pydantic import Field

from emoharbor.eval.record import EpisodeKey, EpisodeRecord
from emoharbor.eval.statistics.arrays import FloatArray
from emoharbor.eval.statistics.compare import difference, with_holm
from emoharbor.eval.statistics.method import How, Limits
from emoharbor.state.base import Frozen
from emoharbor.state.verdict import place_of

Pair = tuple[EpisodeRecord, EpisodeRecord]
MEANS = ("overall", "general", "tailored", "gap")
WORLD = ("distress_end", "trust_end")
"""Simulator-reported: read from the inner world, not rated."""


class PairedFigure(Frozen):
    """One figure of two runs, over the pairs in which both have it. Means are over people, pairs of a person first."""

    name: str
    n: int = Field(ge=0)
    """Pairs of episodes."""
    people: int = Field(default=0, ge=0)
    first: float | None
    """Mean of the first run; None without pairs."""
    second: float | None
    difference: float | None
    """Second minus first."""
    difference_ci: Limits | None = None
    p: float | None = None
    """Sign-flip permutation test over people, two-sided."""
    p_holm: float | None = None
    """Corrected over the means, the dimensions, or what the inner world says."""
    higher: int
    """In how many pairs the second is higher."""
    lower: int


def pair_up(first: Sequence[EpisodeRecord], second: Sequence[EpisodeRecord]) -> list[Pair]:
    """Return the episodes that both runs have, by person, supporter and repeat.

    Runs with one supporter each are paired by person and repeat, whatever the supporters are called.
    """
    alone = all(len({record.supporter for record in side}) == 1 for side in (first, second))
    there = {_name(record, alone=alone): record for record in second}
    found = ((record, there.get(_name(record, alone=alone))) for record in first)
    return [(record, other) for record, other in found if other is not None]


def _name(record: EpisodeRecord, *, alone: bool) -> EpisodeKey:
    supporter = "" if alone else record.supporter
    return EpisodeKey(profile=record.profile, supporter=supporter, repeat=record.repeat)


def paired_figures(pairs: Sequence[Pair], how: How | None = None) -> list[PairedFigure]:
    """Return means, dimensions, and what the inner world says, in this order."""
    how = how or How()
    values = [(dict(_values(first)), dict(_values(second))) for first, second in pairs]
    names = dict.fromkeys([*MEANS, *(name for pair in values for side in pair for name in side)])
    order = sorted(names, key=lambda name: (name in (*WORLD, "turns"), name not in MEANS, place_of(name)))
    people = [first.profile for first, _ in pairs]
    found = [(name, _both(name, values, people)) for name in order]
    tested = with_holm([
        difference(name, _family(name), (_means(both, 0), _means(both, 1)), how, signed_ranks=False)
        for name, both in found
    ])  # fmt: skip
    return [
        PairedFigure(
            name=name, n=sum(len(items) for items in both.values()), people=test.n, first=test.first,
            second=test.second, difference=test.difference, difference_ci=test.difference_ci, p=test.p,
            p_holm=test.p_holm, higher=sum(b > a for items in both.values() for a, b in items),
            lower=sum(b < a for items in both.values() for a, b in items),
        )
        for (name, both), test in zip(found, tested, strict=True)
    ]  # fmt: skip


def _both(
    name: str, values: Sequence[tuple[Mapping[str, float], Mapping[str, float]]], people: Sequence[str]
) -> dict[str, list[tuple[float, float]]]:
    """The pairs that have a figure on both sides, by person."""
    found: dict[str, list[tuple[float, float]]] = {}
    for person, (first, second) in zip(people, values, strict=True):
        if name in first and name in second:
            found.setdefault(person, []).append((first[name], second[name]))
    return found


def _means(both: Mapping[str, Sequence[tuple[float, float]]], side: int) -> FloatArray:
    return np.array([fmean(pair[side] for pair in items) for items in both.values()], dtype=np.float64)


def _family(name: str) -> str:
    if name in (*WORLD, "turns"):
        return "world"
    return "means" if name in MEANS else "dimensions"


def _values(record: EpisodeRecord) -> Iterator[tuple[str, float]]:
    scores = [item.scores for item in record.primary if item.scores is not None]
    for name in MEANS:
        means = [mean for item in scores if (mean := getattr(item, name)) is not None]
        if means:
            yield name, fmean(means)
    rated = [rating for item in record.primary for rating in item.ratings if rating.score is not None]
    for name in sorted(dict.fromkeys(rating.dimension for rating in rated), key=place_of):
        yield name, fmean(rating.score for rating in rated if rating.dimension == name and rating.score is not None)
    worlds = [turn.inner_world for turn in record.turns if turn.inner_world is not None]
    if worlds:
        yield "distress_end", worlds[-1].distress
        yield "trust_end", worlds[-1].trust
    yield "turns", sum(turn.supporter is not None for turn in record.turns)
