"""Where the variance of scores comes from: people, supporters, their match, chance, judges, simulators."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray, IntArray, Seed, level_codes, ratio
from emoharbor.eval.statistics.bootstrap import Interval, draw_weights, interval_of
from emoharbor.state.base import Frozen

Term = tuple[str, ...]
"""A source of variance: one factor, or the interaction of several."""

TERMS: tuple[Term, ...] = (
    ("profile",),
    ("supporter",),
    ("profile", "supporter"),
    ("profile", "supporter", "repeat"),
    ("judge",),
    ("simulator",),
)
"""What is looked for by default. The fourth is another conversation of the same pair: it is reported as `repeat`."""
REPEAT: Term = ("profile", "supporter", "repeat")
REMAINDER = "remainder"
_SINGULAR = 1e9
"""From this condition on, equations over the number of values say the same thing twice."""


class Share(Frozen):
    """One source of variance."""

    term: str
    """`profile`, `profile x supporter`, `repeat`, ..., `remainder`."""
    variance: float
    """Squared units of the scores, at least 0."""
    share: float
    """Of the total, 0 to 1."""
    interval: Interval | None
    """Of the share; None with fewer than two profiles."""
    truncated: bool
    """Whether the estimate was below 0 and is reported as 0."""


class VarianceShares(Frozen):
    """All sources; shares add up to 1."""

    total: float
    shares: tuple[Share, ...]
    """In the order of the terms, the remainder last."""
    n_values: int
    n_profiles: int
    merged: tuple[str, ...]
    """Sources that this design cannot tell from others; they are part of the remainder, or of the term below them."""
    method: str = "Henderson I"
    resamples: int
    seed: Seed


def variance_shares(  # noqa: PLR0913 - the settings of an estimator, by keyword
    values: FloatArray,
    factors: Mapping[str, IntArray],
    *,
    cluster: str = "profile",
    terms: Sequence[Term] = TERMS,
    level: float = 0.95,
    resamples: int = 1_000,
    seed: Seed = 0,
) -> VarianceShares | None:
    """Return the variance components of crossed random factors as shares of their total.

    Henderson's method I (1953, Biometrics 9; Searle, Casella and McCulloch 1992, chapter 5): each term's uncorrected
    sum of squares is set equal to its expectation, which is linear in the components. On balanced data this is the
    analysis of variance with expected mean squares; on unbalanced data it stays unbiased. Missing values are left
    out. Intervals resample profiles. All factors are taken as random: the shares say how much scores vary over people
    and supporters *like these*, so they depend on which were chosen and do not compare across runs that chose
    otherwise. Few levels (two judges) give a component that is nearly unknown, whatever its value.

    Args:
        values: shape (N,): one value a judgement, or an episode.
        factors: shape (N,) each: the level of each value, by factor name. A missing factor has one level.
        cluster: the factor that is resampled.
        terms: sources to look for, simple ones first. One that the design does not have (a single judge) is left out
            in silence; one that it cannot separate is named in `merged`.
        level: above 0, below 1.
        resamples: number of resamples.
        seed: start of the generator.

    Returns:
        None with fewer than two values or without variance.
    """
    known = ~np.isnan(values)
    y = values[known]
    if y.size < 2 or np.ptp(y) == 0:
        return None
    wanted = {name for term in terms for name in term} | {cluster}
    codes = {
        name: level_codes(factors[name][known], y.size) if name in factors else np.zeros(y.size, dtype=np.int64)
        for name in wanted
    }
    design = Design(y - y.mean(), codes, cluster)
    there = [term for term in terms if len(term) > 1 or np.ptp(codes[term[0]]) > 0]
    kept = _separable(design, there)
    people = int(codes[cluster].max()) + 1
    components = components_of(design, kept, np.ones((1, people)))[0]
    draws = _shares(components_of(design, kept, draw_weights(people, resamples, seed)))
    shares = _shares(components[None, :])[0]
    names = [name_of(term) for term in kept] + [REMAINDER]
    return VarianceShares(
        total=float(np.maximum(components, 0).sum()),
        shares=tuple(
            Share(
                term=name,
                variance=max(float(component), 0.0),
                share=float(share),
                interval=interval_of(column, people, level=level, seed=seed),
                truncated=bool(component < 0),
            )
            for name, component, share, column in zip(names, components, shares, draws.T, strict=True)
        ),
        n_values=y.size,
        n_profiles=people,
        merged=tuple(name_of(term) for term in there if term not in kept),
        resamples=resamples,
        seed=seed,
    )


def name_of(term: Term) -> str:
    """Return what a term is called in tables."""
    return "repeat" if term == REPEAT else " x ".join(term)


@dataclass(frozen=True)
class Design:
    """The values, the level of each in every factor, and the factor that is resampled."""

    y: FloatArray
    codes: Mapping[str, IntArray]
    cluster: str

    def levels(self, term: Term) -> IntArray:
        """The level of each value in a term; the empty term has one."""
        joint = np.zeros(self.y.size, dtype=np.int64)
        for name in term:
            joint = joint * (int(self.codes[name].max()) + 1) + self.codes[name]
        return level_codes(joint, self.y.size)

    def table(self, levels: IntArray, amounts: FloatArray | None = None) -> FloatArray:
        """Sums (or counts) by person and level, shape (people, levels)."""
        person = self.codes[self.cluster]
        shape = int(person.max()) + 1, int(levels.max()) + 1
        ones = np.ones(self.y.size) if amounts is None else amounts
        sums = np.bincount(person * shape[1] + levels, ones, minlength=shape[0] * shape[1])
        return sums.astype(np.float64).reshape(shape)


def _separable(design: Design, terms: Sequence[Term]) -> list[Term]:
    """The terms, first come first kept, whose equations are not made of those before and the remainder."""
    matrix = _equations(design, terms, np.ones((1, int(design.codes[design.cluster].max()) + 1)))[0][0]
    kept: list[int] = []
    for at in range(1, len(terms) + 1):
        rows = [0, *kept, at, len(terms) + 1]
        if np.linalg.cond(matrix[np.ix_(rows, rows)]) < _SINGULAR:
            kept.append(at)
    return [terms[at - 1] for at in kept]


def components_of(design: Design, terms: Sequence[Term], weights: FloatArray) -> FloatArray:
    """Return the components of each resample.

    Args:
        design: the values.
        terms: separable ones.
        weights: shape (B, people), how often each person is drawn.

    Returns:
        shape (B, terms + 1), the remainder last; NaN where a resample leaves them undetermined.
    """
    matrix, sums = _equations(design, terms, weights)
    solvable = np.linalg.cond(matrix) < _SINGULAR
    found = np.full((weights.shape[0], len(terms) + 1), np.nan)
    found[solvable] = np.linalg.solve(matrix[solvable], sums[solvable][:, :, None])[:, 1:, 0]
    return found


def _equations(design: Design, terms: Sequence[Term], weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Expected and observed sums of squares of each resample, over the number of values.

    Unknowns: the squared mean, the terms, the remainder. Rows: the correction for the mean, the terms, the total.

    Returns:
        matrices, shape (B, M, M), and sums, shape (B, M).
    """
    rows: list[Term] = [(), *terms]
    size = len(rows) + 1
    matrix, sums = np.ones((weights.shape[0], size, size)), np.empty((weights.shape[0], size))
    values = weights @ design.table(np.zeros(design.y.size, dtype=np.int64))
    for i, row in enumerate(rows):
        of_row = _within if design.cluster in row else _across
        found, expected = of_row(design, row, rows, weights)
        sums[:, i] = found / values[:, 0]
        matrix[:, i, :] = expected / values
    person = design.codes[design.cluster]
    sums[:, -1] = weights @ np.bincount(person, design.y**2) / values[:, 0]
    return matrix, sums


def _within(design: Design, row: Term, columns: Sequence[Term], weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The equation of a term whose levels belong to one person each: sums over people, so linear in the weights."""
    person, levels = design.codes[design.cluster], design.levels(row)
    share = 1 / np.bincount(levels)[levels]
    parts = [np.bincount(levels, design.y)[levels] * design.y * share]
    for column in columns:
        joint = design.levels(_union(row, column))
        parts.append(np.bincount(joint)[joint] * share)
    parts.append(share)
    found = np.stack([weights @ np.bincount(person, part) for part in parts], axis=1)
    return found[:, 0], found[:, 1:]


def _across(design: Design, row: Term, columns: Sequence[Term], weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The equation of a term whose levels people share: its counts depend on who is drawn."""
    levels = design.levels(row)
    counts = weights @ design.table(levels)
    share = np.divide(1, counts, out=np.zeros_like(counts), where=counts > 0)
    found = (((weights @ design.table(levels, design.y)) ** 2) * share).sum(axis=1)
    expected: list[FloatArray] = []
    for column in columns:
        joint = design.levels(_union(row, column))
        if design.cluster in column:
            squares = weights @ design.table(levels, np.bincount(joint)[joint].astype(np.float64))
            expected.append((squares * share).sum(axis=1))
        else:
            first = np.unique(joint, return_index=True)[1]
            squares = (weights @ design.table(joint)) ** 2
            expected.append((squares * share[:, levels[first]]).sum(axis=1))
    expected.append((counts > 0).sum(axis=1).astype(np.float64))
    return found, np.stack(expected, axis=1)


def _union(one: Term, other: Term) -> Term:
    return tuple(sorted({*one, *other}))


def _shares(components: FloatArray) -> FloatArray:
    """Shares of the total with negative components as 0, shape as given."""
    positive = np.maximum(components, 0)
    total = positive.sum(axis=1, keepdims=True)
    return ratio(positive, np.broadcast_to(total, positive.shape))
