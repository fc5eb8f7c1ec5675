"""The arrays that the estimators read: one row a profile, one column a supporter, NaN where nothing was measured."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

Seed = int | tuple[int, ...]
"""What a random generator starts from. The same seed gives the same figures, whatever the machine."""


def generator(seed: Seed) -> np.random.Generator:
    """Return the generator (PCG64) of a seed."""
    return np.random.default_rng(seed if isinstance(seed, int) else list(seed))


def ratio(above: FloatArray, below: FloatArray | IntArray, least: float = 0.0) -> FloatArray:
    """Return above / below, NaN where `below` is not above `least`; arrays of one shape."""
    found = np.full(below.shape, np.nan)
    np.divide(above, below, out=found, where=below > least)
    return found


def cell_means(values: FloatArray, profile: IntArray, column: IntArray, shape: tuple[int, int]) -> FloatArray:
    """Return the mean of the values in each cell of profile and column.

    Repeats are averaged first, so every person counts once however often they were played, and repeats stay
    with their person when people are resampled.

    Args:
        values: shape (N,), NaN where missing.
        profile: shape (N,), row of each value, 0 to shape[0] - 1.
        column: shape (N,), column of each value, 0 to shape[1] - 1.
        shape: number of profiles and of columns.

    Returns:
        shape (profiles, columns); NaN where a cell has no value.
    """
    known = ~np.isnan(values)
    index = profile[known] * shape[1] + column[known]
    size = shape[0] * shape[1]
    sums = np.bincount(index, weights=values[known], minlength=size).astype(np.float64).reshape(shape)
    counts: IntArray = np.bincount(index, minlength=size).reshape(shape)
    return ratio(sums, counts)


def cell_counts(values: FloatArray, profile: IntArray, column: IntArray, shape: tuple[int, int]) -> IntArray:
    """Return how many values each cell of `cell_means` rests on."""
    known = ~np.isnan(values)
    index = profile[known] * shape[1] + column[known]
    return np.bincount(index, minlength=shape[0] * shape[1]).reshape(shape).astype(np.int64)


def column_means(x: FloatArray) -> FloatArray:
    """Return the mean of the present values of each column; NaN for a column without any.

    Args:
        x: shape (n, k), NaN where missing.
    """
    present = ~np.isnan(x)
    counts: IntArray = present.sum(axis=0)
    sums = np.where(present, x, 0.0).sum(axis=0)
    return ratio(sums, counts)


def level_codes(labels: IntArray | None, size: int) -> IntArray:
    """Return labels as 0, 1, 2 ... in sorted order; without labels each of the `size` values is its own level."""
    if labels is None:
        return np.arange(size)
    codes: IntArray = np.unique(labels, return_inverse=True)[1]
    return codes


def sum_by(table: FloatArray, codes: IntArray) -> FloatArray:
    """Return the sums of the rows of each level.

    Args:
        table: shape (m, c).
        codes: shape (m,), level of each row, from `level_codes`.

    Returns:
        shape (levels, c).
    """
    size = int(codes.max()) + 1 if codes.size else 0
    sums = np.zeros((size, table.shape[1]))
    np.add.at(sums, codes, table)
    return sums
