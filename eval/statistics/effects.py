"""How large a paired difference is, and how often it goes which way."""

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray
from emoharbor.eval.statistics.ranks import rank_rows
from emoharbor.state.base import Frozen


class Effect(Frozen):
    """Sizes of a paired difference a - b."""

    n: int
    """Pairs."""
    mean: float
    sd: float | None
    """Standard deviation of the differences (n - 1); None with one pair."""
    dz: float | None
    """Paired Cohen's d: mean / sd; None when all differences are equal."""
    rank_biserial: float | None
    """Matched rank-biserial correlation, -1 to 1; None when no pair differs."""
    wins: int
    """Pairs in which a is higher."""
    ties: int
    losses: int


def effect(differences: FloatArray) -> Effect | None:
    """Return the sizes of a paired difference.

    dz is mean / sd of the differences (Cohen 1988, section 2.3.5); it is not the d of two independent groups and is
    larger the better people agree on both supporters, so compare it only between paired designs. The matched
    rank-biserial correlation is (sum of ranks for - sum of ranks against) / their total (Kerby 2014, Comprehensive
    Psychology 3), zeros left out.

    Args:
        differences: shape (n,), one a profile, NaN where missing.

    Returns:
        None without pairs.
    """
    known = differences[~np.isnan(differences)]
    if known.size == 0:
        return None
    sd = float(known.std(ddof=1)) if known.size > 1 else None
    mean = float(known.mean())
    varies = sd is not None and sd > 1e-12 * abs(mean)  # equal differences leave rounding behind
    return Effect(
        n=known.size,
        mean=mean,
        sd=sd,
        dz=mean / sd if sd is not None and varies else None,
        rank_biserial=_rank_biserial(known),
        wins=int((known > 0).sum()),
        ties=int((known == 0).sum()),
        losses=int((known < 0).sum()),
    )


def _rank_biserial(known: FloatArray) -> float | None:
    nonzero = known[known != 0]
    if nonzero.size == 0:
        return None
    ranks = rank_rows(-np.abs(nonzero)[None, :])[0]
    return float((ranks * np.sign(nonzero)).sum() / ranks.sum())
