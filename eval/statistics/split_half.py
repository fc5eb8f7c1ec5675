"""Whether half of the people rank the supporters as the other half does."""

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray, Seed, generator
from emoharbor.eval.statistics.bootstrap import Interval
from emoharbor.eval.statistics.correlation import pearson_rows
from emoharbor.eval.statistics.icc import icc, stepped_up
from emoharbor.state.base import Frozen


class SplitHalf(Frozen):
    """Reliability of supporter means over people."""

    half: float
    """Mean correlation of the supporter means of two halves of the people, over random splits."""
    reliability: float | None
    """Of the means over all people: the same stepped up to twice the length (Spearman-Brown)."""
    interval: Interval | None
    """Of the reliability."""
    spread: tuple[float, float]
    """Range that holds the level's share of the splits' correlations: not a confidence interval."""
    n: int
    """People used: those that every supporter has."""
    k: int
    """Supporters."""
    splits: int
    seed: Seed


def split_half(x: FloatArray, *, splits: int = 1_000, level: float = 0.95, seed: Seed = 0) -> SplitHalf | None:
    """Return the split-half reliability of supporter means.

    Spearman (1910) and Brown (1910): reliability = 2 r / (1 + r), r the mean over random halves. Its interval is that
    of the coefficient it estimates, Cronbach's alpha = ICC(3,k) with supporters as targets and people as raters
    (Feldt 1965), since splits are not independent. It says whether *other people like these* would order these
    supporters alike; not whether another simulator or judge would, nor whether scores are right. Of little use with
    fewer than five supporters.

    Args:
        x: shape (n, k): profile means by supporter, NaN where missing. People whom a supporter lacks are left out.
        splits: number of random splits; of an odd number of people one sits out each time.
        level: above 0, below 1.
        seed: start of the generator.

    Returns:
        None with fewer than four people or three supporters, or when supporter means do not differ.
    """
    table = x[~np.isnan(x).any(axis=1)]
    n, k = table.shape
    if n < 4 or k < 3:
        return None
    order = generator(seed).permuted(np.tile(np.arange(n), (splits, 1)), axis=1)
    half = n // 2
    first, second = _means(table, order[:, :half]), _means(table, order[:, half : 2 * half])
    found = pearson_rows(first, second)
    found = found[~np.isnan(found)]
    if found.size == 0:
        return None
    mean = float(found.mean())
    low, high = (float(value) for value in np.quantile(found, [(1 - level) / 2, (1 + level) / 2]))
    alpha = icc(table.T, level=level)["3,k"]
    interval = alpha.interval
    return SplitHalf(
        half=mean,
        reliability=stepped_up(mean, 2),
        interval=None if interval is None else interval.model_copy(update={"method": "F (Feldt)"}),
        spread=(low, high), n=n, k=k, splits=splits, seed=seed,
    )  # fmt: skip


def _means(table: FloatArray, chosen: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> FloatArray:
    """Supporter means over the chosen people of each split, shape (splits, k)."""
    member = np.zeros((chosen.shape[0], table.shape[0]))
    np.put_along_axis(member, chosen, 1.0, axis=1)
    means: FloatArray = member @ table / chosen.shape[1]
    return means
