"""The leaderboard: what is known of each supporter, how sure it is, and who cannot be told apart. Pure functions.

The unit is the person. Repeats of a person are averaged first, people are resampled, and a pair of supporters is
compared within the people that both have a score for.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import get_args

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray, column_means
from emoharbor.eval.statistics.bootstrap import Estimate, draw_weights, mean_estimates
from emoharbor.eval.statistics.grid import Grid
from emoharbor.eval.statistics.method import How, limits
from emoharbor.eval.statistics.multiple import holm_pairs
from emoharbor.eval.statistics.permutation import sign_flip_pairs
from emoharbor.eval.statistics.personal import PersonalEffect, personal_effects
from emoharbor.eval.statistics.ranks import rank_limits
from emoharbor.eval.statistics.reported_means import reported_means
from emoharbor.eval.statistics.rows import Counts, Leaderboard, Neighbours, SupporterRow
from emoharbor.eval.statistics.sample import Sample
from emoharbor.eval.statistics.scores import DIMENSION, GROUP, MEANS, Entry, Failures

__all__ = ["TREATMENTS", "Counts", "Leaderboard", "Neighbours", "SupporterRow", "leaderboard"]
TREATMENTS: tuple[Failures, ...] = get_args(Failures)


def leaderboard(sample: Sample, failures: Failures = "lowest", how: How | None = None) -> Leaderboard:
    """Return the table.

    Args:
        sample: the episodes.
        failures: how episodes without a score enter the means.
        how: resamples, seed, level, bound.
    """
    how = how or How()
    rows = _counted(sample)
    personal: tuple[PersonalEffect, ...] = ()
    neighbours: tuple[Neighbours, ...] = ()
    people = 0
    if sample.scale is not None:
        grids = {item: Grid.of(sample.entries, sample.names, sample.scale, item) for item in TREATMENTS}
        rows = _with_means(rows, grids[failures], how)
        rows = _with_ranks(rows, grids)
        neighbours, rows = _told_apart(rows, grids[failures], how)
        personal = personal_effects(sample.effects, sample.names, how)
        rows = [_with_personal(row, personal) for row in rows]
        people = len(grids[failures].profiles)
    reported = reported_means(sample, how)
    rows = [row.model_copy(update={"reported": reported.get(row.name)}) for row in rows]
    rows.sort(key=lambda row: (row.rank is None, row.rank or 0, row.name))
    return Leaderboard(
        failures=failures, rubric=sample.scale.rubric if sample.scale else None, supporters=tuple(rows),
        people=people, judge=sample.judge, neighbours=neighbours, personal=personal, how=how,
    )  # fmt: skip


def _counted(sample: Sample) -> list[SupporterRow]:
    """The denominators, before any mean."""
    entries: dict[str, list[Entry]] = defaultdict(list)
    for entry in sample.entries:
        entries[entry.supporter].append(entry)
    dimensions = dict.fromkeys(sample.scale.groups if sample.scale else ())
    return [
        SupporterRow(
            name=name,
            n=0,
            overall=None,
            general=None,
            tailored=None,
            gap=None,
            dimensions=dimensions,
            counts=_counts(entries[name], planned),
            outcomes=_outcomes(entries[name]),
        )
        for name, planned in sample.planned.items()
    ]


def _counts(entries: Sequence[Entry], planned: int) -> Counts:
    kinds = Counter(entry.kind for entry in entries)
    planned = max(planned, len(entries))
    return Counts(
        planned=planned, scored=kinds["scored"], failed=kinds["failed"], invalid=kinds["invalid"],
        unfinished=kinds["unfinished"] + planned - len(entries), unscored=kinds["unscored"],
    )  # fmt: skip


def _outcomes(entries: Sequence[Entry]) -> dict[str, int]:
    found = Counter(entry.outcome for entry in entries)
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def _with_means(rows: Sequence[SupporterRow], grid: Grid, how: How) -> list[SupporterRow]:
    weights = draw_weights(len(grid.profiles), how.resamples, how.seed) if grid.profiles else None
    found = {name: _estimates(grid.of_figure(name), weights, how) for name in MEANS}
    plain = {name: column_means(grid.of_figure(name)) for name in grid.figures}
    groups = [name for name in grid.figures if name.startswith(GROUP)]
    dimensions = [name for name in grid.figures if name.startswith(DIMENSION)]
    ns = {name: grid.counts[index].sum(axis=0) for index, name in enumerate(grid.figures)}
    return [
        row.model_copy(update={
            "n": int(ns["overall"][index]),
            "people": found["overall"][index].n,
            **{name: found[name][index].value for name in MEANS},
            **{f"{name}_ci": limits(found[name][index].interval) for name in MEANS},
            "groups": {name.removeprefix(GROUP): _known(plain[name][index]) for name in groups},
            "dimensions": {name.removeprefix(DIMENSION): _known(plain[name][index]) for name in dimensions},
            "ns": {name: int(ns[name][index]) for name in MEANS},
            "dimensions_n": {name.removeprefix(DIMENSION): int(ns[name][index]) for name in dimensions},
        })
        for index, row in enumerate(rows)
    ]  # fmt: skip


def _estimates(x: FloatArray, weights: FloatArray | None, how: How) -> Sequence[Estimate]:
    if weights is None:
        return [Estimate(value=None, interval=None, n=0)] * x.shape[1]
    return mean_estimates(x, level=how.level, seed=how.seed, weights=weights)


def _with_ranks(rows: Sequence[SupporterRow], grids: Mapping[Failures, Grid]) -> list[SupporterRow]:
    means = {item: [_known(mean) for mean in column_means(grid.of_figure("overall"))] for item, grid in grids.items()}
    ranks = {item: _ranks(found) for item, found in means.items()}
    own = _ranks([row.overall for row in rows])
    return [
        row.model_copy(update={
            "rank": own[index],
            "rank_changes": ranks["lowest"][index] != ranks["exclude"][index],
            "overall_if": {item: means[item][index] for item in means},
            "rank_if": {item: ranks[item][index] for item in ranks},
        })
        for index, row in enumerate(rows)
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Pairs:
    """All pairs, people by supporters in the order of the rows."""

    x: FloatArray
    p: FloatArray
    corrected: FloatArray


def _told_apart(
    rows: Sequence[SupporterRow], grid: Grid, how: How
) -> tuple[tuple[Neighbours, ...], list[SupporterRow]]:
    x = grid.of_figure("overall")
    p = sign_flip_pairs(x, resamples=how.resamples, seed=how.seed)
    pairs = _Pairs(x, p, holm_pairs(p))
    ranges = rank_limits(column_means(x), pairs.corrected, how.alpha)
    limited = [
        row.model_copy(update={"rank_ci": None if found is None else (found.best, found.worst)})
        for row, found in zip(rows, ranges, strict=True)
    ]
    return _neighbours(rows, pairs, how), limited


def _neighbours(rows: Sequence[SupporterRow], pairs: _Pairs, how: How) -> tuple[Neighbours, ...]:
    known = sorted(
        (index for index, row in enumerate(rows) if row.rank is not None),
        key=lambda index: (rows[index].rank or 0, rows[index].name),
    )
    steps = list(pairwise(known))
    if not steps:
        return ()
    differences = np.stack([pairs.x[:, one] - pairs.x[:, other] for one, other in steps], axis=1)
    estimates = mean_estimates(differences, level=how.level, resamples=how.resamples, seed=how.seed)
    return tuple(
        Neighbours(
            first=rows[one].name,
            second=rows[other].name,
            people=found.n,
            difference=found.value,
            difference_ci=limits(found.interval),
            p=_known(pairs.p[one, other]),
            p_holm=_known(pairs.corrected[one, other]),
            alike=not pairs.corrected[one, other] < how.alpha,
        )
        for (one, other), found in zip(steps, estimates, strict=True)
    )


def _with_personal(row: SupporterRow, effects: Sequence[PersonalEffect]) -> SupporterRow:
    """The first judge's first control is the main one."""
    main = [item for item in effects if (item.judge_id, item.control) == (effects[0].judge_id, effects[0].control)]
    mine = next((item for item in main if item.supporter == row.name), None)
    if mine is None:
        return row
    return row.model_copy(update={"personal_effect": mine.effect, "personal_effect_ci": mine.effect_ci})


def _ranks(means: Sequence[float | None]) -> list[int | None]:
    """Rank from 1; equal means share a rank. Equal sums may differ in the last bit."""
    known = [mean for mean in means if mean is not None]
    return [None if mean is None else 1 + sum(other > mean + 1e-9 for other in known) for mean in means]


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
