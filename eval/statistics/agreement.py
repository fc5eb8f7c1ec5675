"""Whether raters agree: Krippendorff's alpha for any number of them, weighted kappa for two."""

from collections.abc import Sequence
from typing import Literal

import krippendorff
import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray, IntArray, Seed, level_codes, ratio, sum_by
from emoharbor.eval.statistics.bootstrap import Interval, draw_weights, interval_of
from emoharbor.state.base import Frozen

Measurement = Literal["nominal", "ordinal", "interval"]
Weighting = Literal["none", "linear", "quadratic"]

_FEWEST = 5
"""Units, or clusters of them, below which resampling meets the same few tables again and again: no interval."""


class Agreement(Frozen):
    """Krippendorff's alpha: 1 for perfect agreement, 0 for chance, below 0 for systematic disagreement."""

    value: float | None
    """None when all ratings are equal, or fewer than two units have two."""
    interval: Interval | None
    n: int
    """Units with at least two ratings."""
    raters: int
    measurement: Measurement


class Kappa(Frozen):
    """Weighted kappa of two raters, with what it depends on."""

    value: float | None
    """None when both raters give one and the same category throughout, or rated fewer than two units in common."""
    interval: Interval | None
    n: int
    """Units that both rated."""
    observed: float | None
    """Weighted agreement, 0 to 1."""
    expected: float | None
    """The same, expected by chance."""
    domain: tuple[float, ...]
    first: tuple[float, ...]
    """Prevalence: share of each category of the domain in the first rater's ratings."""
    second: tuple[float, ...]
    weights: Weighting


def krippendorff_alpha(  # noqa: PLR0913 - the settings of an estimator, by keyword
    ratings: FloatArray,
    domain: Sequence[float],
    *,
    measurement: Measurement = "ordinal",
    cluster: IntArray | None = None,
    level: float = 0.95,
    resamples: int = 1_000,
    seed: Seed = 0,
) -> Agreement:
    """Return Krippendorff's alpha, 1 - observed / expected disagreement, with a bootstrap interval over units.

    Krippendorff (2004), Content Analysis, chapter 11, computed by the `krippendorff` package; interval by resampling
    units, or clusters of units (Zapf et al. 2016, BMC Medical Research Methodology 16). Any number of raters, and
    missing ratings. Not a measure of accuracy; and low when nearly all units deserve the same rating, however well
    raters agree: look at the prevalence.

    Args:
        ratings: shape (raters, units), NaN where missing.
        domain: every category of the scale, in order.
        measurement: how far apart two categories are: `ordinal` counts the ratings between them, `interval` squares
            their distance.
        cluster: shape (units,), the profile of each unit, if several units come from one.
        level: above 0, below 1.
        resamples: number of resamples.
        seed: start of the generator.

    Raises:
        ValueError: for a rating outside the domain.
    """
    values = np.asarray(domain, dtype=np.float64)
    if not np.isin(ratings[~np.isnan(ratings)], values).all():
        raise ValueError(f"a rating is not among the categories {list(domain)}")
    counts = (ratings[:, :, None] == values).sum(axis=0)
    paired = counts.sum(axis=1) > 1
    counts, units = counts[paired], int(paired.sum())
    raters = int((~np.isnan(ratings)).any(axis=1).sum())
    if units < 2 or (counts.sum(axis=0) > 0).sum() < 2:
        return Agreement(value=None, interval=None, n=units, raters=raters, measurement=measurement)
    value = float(krippendorff.alpha(value_counts=counts, value_domain=values, level_of_measurement=measurement))
    codes = level_codes(None if cluster is None else cluster[paired], units)
    people = int(codes.max()) + 1
    draws = alpha_draws(counts, values, measurement, codes, draw_weights(people, resamples, seed))
    interval = interval_of(draws, people, level=level, seed=seed) if people >= _FEWEST else None
    return Agreement(value=value, interval=interval, n=units, raters=raters, measurement=measurement)


def alpha_draws(
    counts: IntArray, values: FloatArray, measurement: Measurement, codes: IntArray, weights: FloatArray
) -> FloatArray:
    """Return alpha in each resample; the package's figure where every weight is 1.

    Args:
        counts: shape (units, V), how many raters gave each value; each row adds up to at least 2.
        values: shape (V,).
        measurement: as in `krippendorff_alpha`.
        codes: shape (units,), cluster of each unit.
        weights: shape (B, clusters).

    Returns:
        shape (B,); NaN where a resample holds one value only.
    """
    size = counts.shape[1]
    c = counts.astype(np.float64)
    pairs = (c[:, :, None] * c[:, None, :] - c[:, :, None] * np.eye(size)) / (c.sum(axis=1) - 1)[:, None, None]
    together = (weights @ sum_by(pairs.reshape(-1, size * size), codes)).reshape(-1, size, size)
    margin = together.sum(axis=2)
    distance = _distances(margin, values, measurement)
    by_chance = (margin[:, :, None] * margin[:, None, :] * distance).sum(axis=(1, 2))
    observed = (together * distance).sum(axis=(1, 2)) * (margin.sum(axis=1) - 1)
    return 1 - ratio(observed, by_chance)


def weighted_kappa(  # noqa: PLR0913 - the settings of an estimator, by keyword
    first: FloatArray,
    second: FloatArray,
    domain: Sequence[float],
    *,
    weights: Weighting = "quadratic",
    cluster: IntArray | None = None,
    level: float = 0.95,
    resamples: int = 1_000,
    seed: Seed = 0,
) -> Kappa:
    """Return Cohen's weighted kappa, (observed - expected) / (1 - expected) agreement, with prevalence beside it.

    Cohen (1968), Psychological Bulletin 70. Weights fall with the distance of two categories in the domain, linearly
    or by its square; quadratic kappa is close to the ICC(2,1) (Fleiss and Cohen 1973). Kappas of different prevalence
    do not compare (Feinstein and Cicchetti 1990), and quadratic weights grow with the number of categories.

    Args:
        first: shape (m,), NaN where missing.
        second: shape (m,), the same units.
        domain: every category of the scale, in order.
        weights: `none` counts exact agreement only.
        cluster: shape (m,), the profile of each unit, if several units come from one.
        level: above 0, below 1.
        resamples: number of resamples.
        seed: start of the generator.

    Raises:
        ValueError: for a rating outside the domain.
    """
    both = ~(np.isnan(first) | np.isnan(second))
    values, size = np.asarray(domain, dtype=np.float64), len(domain)
    a, b = first[both], second[both]
    if not (np.isin(a, values).all() and np.isin(b, values).all()):
        raise ValueError(f"a rating is not among the categories {list(domain)}")
    n, codes = a.size, level_codes(None if cluster is None else cluster[both], int(both.sum()))
    each = (a[:, None, None] == values[:, None]) & (b[:, None, None] == values)
    tables = sum_by(each.reshape(n, size * size).astype(np.float64), codes)
    credit = _credit(size, weights)
    observed, expected, kappa = _kappas(tables.sum(axis=0)[None, :], credit)
    people = tables.shape[0]
    draws = _kappas(draw_weights(people, resamples, seed) @ tables, credit)[2] if people > 1 else kappa
    known = n > 1 and not np.isnan(kappa[0])
    return Kappa(
        value=float(kappa[0]) if known else None,
        interval=interval_of(draws, people, level=level, seed=seed) if known and people >= _FEWEST else None,
        n=n,
        observed=float(observed[0]) if n else None,
        expected=float(expected[0]) if n else None,
        domain=tuple(float(value) for value in domain),
        first=tuple(float((a == value).mean()) if n else 0.0 for value in values),
        second=tuple(float((b == value).mean()) if n else 0.0 for value in values),
        weights=weights,
    )


def _distances(margin: FloatArray, values: FloatArray, measurement: Measurement) -> FloatArray:
    """Squared distances of the values, shape (B, V, V)."""
    if measurement == "nominal":
        return np.broadcast_to(1 - np.eye(values.size), (margin.shape[0], values.size, values.size))
    place = np.broadcast_to(values, margin.shape)
    if measurement == "ordinal":
        place = np.cumsum(margin, axis=1) - margin / 2  # the middle of each value's stretch of ranks
    squares: FloatArray = (place[:, :, None] - place[:, None, :]) ** 2
    return squares


def _credit(size: int, weights: Weighting) -> FloatArray:
    """The agreement weight of each pair of categories, 1 on the diagonal."""
    apart = np.abs(np.arange(size)[:, None] - np.arange(size)) / max(size - 1, 1)
    power = {"none": 0, "linear": 1, "quadratic": 2}[weights]
    lost: FloatArray = apart**power if power else (apart > 0).astype(np.float64)
    return 1 - lost


def _kappas(tables: FloatArray, credit: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Observed and expected agreement and kappa of each table, shape (B, V * V)."""
    size = credit.shape[0]
    total = tables.sum(axis=1)
    shares = (tables / np.where(total > 0, total, np.nan)[:, None]).reshape(-1, size, size)
    observed = (shares * credit).sum(axis=(1, 2))
    expected = (shares.sum(axis=2)[:, :, None] * shares.sum(axis=1)[:, None, :] * credit).sum(axis=(1, 2))
    return observed, expected, ratio(observed - expected, 1 - expected, 1e-12)
