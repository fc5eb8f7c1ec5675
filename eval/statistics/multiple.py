"""Many tests at once: Holm's correction."""

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray


def holm(p: FloatArray) -> FloatArray:
    """Return p values corrected so that the chance of any false claim in the family stays below alpha.

    Holm (1979), Scandinavian Journal of Statistics 6: the i-th smallest of m is multiplied by m - i + 1, capped at 1,
    and never below the one before. It holds however the tests depend on each other. Not for a search among thousands
    of figures, where a false discovery rate is the better question.

    Args:
        p: shape (m,), 0 to 1; NaN for a test that could not be made, which stays NaN and does not count.

    Returns:
        shape (m,), in the order given.
    """
    corrected = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    factors = np.arange(order.size, 0, -1)
    corrected[order] = np.maximum.accumulate(np.minimum(1.0, factors * p[order]))
    return corrected


def holm_pairs(p: FloatArray) -> FloatArray:
    """Return the same for a symmetric table of pairs; each pair counts once.

    Args:
        p: shape (k, k), symmetric; the diagonal is not read.

    Returns:
        shape (k, k), symmetric, NaN on the diagonal.
    """
    upper = np.triu_indices(p.shape[0], 1)
    corrected = np.full(p.shape, np.nan)
    corrected[upper] = holm(p[upper])
    corrected.T[upper] = corrected[upper]
    return corrected
