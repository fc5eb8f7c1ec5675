"""What is said of the reliability of a run's ratings."""

from emoharbor.eval.statistics.correlation import Correlation
from emoharbor.eval.statistics.icc import Icc
from emoharbor.eval.statistics.method import How, Limits
from emoharbor.eval.statistics.split_half import SplitHalf
from emoharbor.eval.statistics.variance import VarianceShares
from emoharbor.state.base import Frozen


class Noise(Frozen):
    """What one judge makes of the same episode when asked again."""

    judge: str
    with_log: bool
    n: int
    """Episodes rated more than once."""
    repeats: int
    """Ratings of the episode that has most."""
    size: float | None
    """Mean difference in overall between two ratings of one episode, whatever its sign; 0 to 100."""
    size_ci: Limits | None
    single: Icc | None
    """ICC(1,1) of overall: of one rating."""
    mean: Icc | None
    """ICC(1,k) of overall: of the mean of all repeats."""


class DimensionAgreement(Frozen):
    """Agreement on one dimension."""

    raters: str
    """Who is compared: one judge's repeats, or judges, with or without the log."""
    dimension: str
    n: int
    """Episodes with at least two ratings."""
    alpha: float | None
    """Krippendorff's, ordinal."""
    alpha_ci: Limits | None
    kappa: float | None
    """Quadratically weighted; None unless there are two raters."""
    kappa_ci: Limits | None


class JudgesAgreement(Frozen):
    """Agreement of judges on overall."""

    with_log: bool
    judges: tuple[str, ...]
    agreement: Icc | None
    """ICC(2,1): would a single rating by any such judge do."""
    consistency: Icc | None
    """ICC(3,1): the same when each judge's own level is taken off."""
    ranks: Correlation | None
    """Spearman's correlation of supporter means, of the first two judges."""


class Halves(Frozen):
    """Whether half of the people order the supporters as the other half does."""

    figure: str
    found: SplitHalf


class Simulators(Frozen):
    """Supporter means under two simulators of the same people."""

    first: str
    second: str
    figure: str
    ranks: Correlation
    """Spearman's, of the means."""
    shift: float | None
    """Mean of the second minus the first, over the pairs that both have."""
    shift_ci: Limits | None


class Missing(Frozen):
    """What could not be computed, and why."""

    what: str
    why: str


class Reliability(Frozen):
    """All of it."""

    rubric: str
    episodes: int
    """Episodes with at least one rating as oneself."""
    ratings: int
    judges: tuple[str, ...]
    noise: tuple[Noise, ...]
    agreement: tuple[DimensionAgreement, ...]
    between: tuple[JudgesAgreement, ...]
    halves: tuple[Halves, ...]
    shares: dict[str, VarianceShares]
    """By figure."""
    simulators: tuple[Simulators, ...]
    missing: tuple[Missing, ...]
    how: How
