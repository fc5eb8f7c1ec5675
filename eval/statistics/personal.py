"""The personal effect: what rating as oneself, and not as somebody else, makes of the tailored dimensions.

One episode: (tailored as oneself minus as the other) minus (general as oneself minus as the other). A harsher rater and
items that depend on the person anyway cancel out. Both arms come from one judge. The noise floor is the same difference
between two ratings as oneself.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan
from statistics import fmean

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray, cell_means
from emoharbor.eval.statistics.bootstrap import mean_estimates
from emoharbor.eval.statistics.equivalence import Equivalence, equivalence
from emoharbor.eval.statistics.method import How, Limits, limits
from emoharbor.eval.statistics.scores import Given, Rated
from emoharbor.state.base import Frozen

CONTROLS = ("person", "profile", "replay")
"""The kinds of another arm, the main one first."""


@dataclass(frozen=True, slots=True)
class Effect:
    """One episode rated both ways by one judge.

    Attributes:
        judge, judge_id: who rated.
        control: as whom the other arm was rated, one of `CONTROLS`.
        effect: of being oneself, on the rubric's scale; nan when a group mean is missing.
        floor: the same between two ratings as oneself; nan without a second one.
    """

    profile: str
    supporter: str
    judge: str
    judge_id: str
    control: str
    effect: float
    floor: float


class PersonalEffect(Frozen):
    """The personal effect of one supporter under one control. Figures are on the rubric's scale."""

    supporter: str
    control: str
    judge: str
    judge_id: str
    n: int
    """Episodes rated both ways."""
    people: int
    effect: float | None
    effect_ci: Limits | None
    floor: float | None
    """Mean difference between two ratings as oneself: what is nothing but noise."""
    floor_ci: Limits | None
    floor_n: int
    floor_size: float | None
    """Mean size of that difference in one episode, whatever its sign."""
    equivalence: Equivalence | None
    """Whether the effect is none, within the stated bound."""


def effects_of(record: Rated) -> Iterator[Effect]:
    """Yield the effects of one completed episode: one a judge and control that has both arms."""
    if record.outcome is None or not record.outcome.judged:
        return
    arms: dict[tuple[str, str], list[Given]] = defaultdict(list)
    for item in record.judgements:
        arms[item.judge_id, item.judge].append(item)
    for (judge_id, judge), ratings in arms.items():
        for control in CONTROLS:
            own, other = _own(ratings, control), [item for item in ratings if _other(item, control)]
            if own and other:
                yield Effect(
                    record.profile, record.supporter, judge, judge_id, control,
                    _lead(own) - _lead(other), _lead(own[:1]) - _lead(own[1:2]),
                )  # fmt: skip


def _own(ratings: Sequence[Given], control: str) -> list[Given]:
    """The arm as oneself, first rating first; like the other arm without the log, or from the replayed one."""
    if control == "replay":
        found = [item for item in ratings if item.control == "replay" and item.counterfactual is None]
    else:
        found = [item for item in ratings if item.control is None and item.counterfactual is None and not item.with_log]
    return sorted(found, key=lambda item: (item.own, item.repeat))


def _other(item: Given, control: str) -> bool:
    return item.control == control and item.counterfactual is not None


def _lead(ratings: Sequence[Given]) -> float:
    """Tailored minus general, the mean over ratings that have both; nan without one."""
    gaps = [item.scores.gap for item in ratings if item.scores is not None and item.scores.gap is not None]
    return -fmean(gaps) if gaps else nan


def personal_effects(effects: Iterable[Effect], names: Sequence[str], how: How) -> tuple[PersonalEffect, ...]:
    """Return the effect of each supporter under each control.

    Args:
        effects: of the episodes.
        names: the supporters, in the order wanted.
        how: resamples, seed, bound.

    Returns:
        by judge, as first met; the main control of each first.
    """
    by_judge: dict[tuple[str, str], dict[str, list[Effect]]] = {}
    for item in effects:
        controls = by_judge.setdefault((item.judge_id, item.judge), {name: [] for name in CONTROLS})
        controls[item.control].append(item)
    kinds = [found for controls in by_judge.values() for found in controls.values() if found]
    return tuple(row for found in kinds for row in _rows(found, names, how))


def _rows(effects: Sequence[Effect], names: Sequence[str], how: How) -> Iterator[PersonalEffect]:
    people = {name: index for index, name in enumerate(sorted({item.profile for item in effects}))}
    columns = {name: index for index, name in enumerate(names)}
    profile = np.array([people[item.profile] for item in effects])
    column = np.array([columns[item.supporter] for item in effects])
    shape = (len(people), len(names))
    effect, floor, size = (
        cell_means(np.array(values), profile, column, shape)
        for values in (
            [item.effect for item in effects],
            [item.floor for item in effects],
            [abs(item.floor) for item in effects],
        )
    )
    estimates, floors = (
        mean_estimates(cells, level=how.level, resamples=how.resamples, seed=how.seed) for cells in (effect, floor)
    )
    for index, name in enumerate(names):
        mine = [item for item in effects if item.supporter == name]
        if not mine:
            continue
        yield PersonalEffect(
            supporter=name, control=mine[0].control, judge=mine[0].judge, judge_id=mine[0].judge_id,
            n=sum(not isnan(item.effect) for item in mine),
            people=estimates[index].n, effect=estimates[index].value, effect_ci=limits(estimates[index].interval),
            floor=floors[index].value, floor_ci=limits(floors[index].interval),
            floor_n=sum(not isnan(item.floor) for item in mine),
            floor_size=_mean(size[:, index]),
            equivalence=None if how.bound is None else equivalence(effect[:, index], how.bound, seed=how.seed),
        )  # fmt: skip


def _mean(values: FloatArray) -> float | None:
    there = values[~np.isnan(values)]
    return float(there.mean()) if there.size else None
