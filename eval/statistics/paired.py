"""Two runs of the same people, episode by episode: figures of the pairs in which both have one."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from pydantic import Field

from emoharbor.eval.record import EpisodeKey, EpisodeRecord
from emoharbor.state.base import Frozen

Pair = tuple[EpisodeRecord, EpisodeRecord]
MEANS = ("overall", "general", "tailored", "gap")
WORLD = ("distress_end", "trust_end")
"""Simulator-reported: read from the inner world, not rated."""


class PairedFigure(Frozen):
    """One figure of two runs, over the pairs in which both have it."""

    name: str
    n: int = Field(ge=0)
    first: float | None
    """Mean of the first run; None without pairs."""
    second: float | None
    difference: float | None
    """Second minus first."""
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


def paired_figures(pairs: Sequence[Pair]) -> list[PairedFigure]:
    """Return means, dimensions, and what the inner world says, in this order."""
    values = [(dict(_values(first)), dict(_values(second))) for first, second in pairs]
    names = dict.fromkeys([*MEANS, *(name for pair in values for side in pair for name in side)])
    order = sorted(names, key=lambda name: (name in (*WORLD, "turns"), name not in MEANS))
    return [_figure(name, values) for name in order]


def _figure(name: str, values: Sequence[tuple[Mapping[str, float], Mapping[str, float]]]) -> PairedFigure:
    both = [(first[name], second[name]) for first, second in values if name in first and name in second]
    if not both:
        return PairedFigure(name=name, n=0, first=None, second=None, difference=None, higher=0, lower=0)
    one, other = fmean(a for a, _ in both), fmean(b for _, b in both)
    return PairedFigure(
        name=name, n=len(both), first=one, second=other, difference=other - one,
        higher=sum(b > a for a, b in both), lower=sum(b < a for a, b in both),
    )  # fmt: skip


def _values(record: EpisodeRecord) -> Iterator[tuple[str, float]]:
    own = next((item for item in record.judgements if item.counterfactual is None and item.repeat == 0), None)
    if own is not None and own.scores is not None:
        for name in MEANS:
            mean = getattr(own.scores, name)
            if mean is not None:
                yield name, mean
        for rating in own.ratings:
            if rating.score is not None:
                yield rating.dimension, rating.score
    worlds = [turn.inner_world for turn in record.turns if turn.inner_world is not None]
    if worlds:
        yield "distress_end", worlds[-1].distress
        yield "trust_end", worlds[-1].trust
    yield "turns", sum(turn.supporter is not None for turn in record.turns)
