"""Two supporters side by side, within the people that both have a score for."""

from collections.abc import Sequence

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray
from emoharbor.eval.statistics.bootstrap import mean_estimate
from emoharbor.eval.statistics.effects import effect
from emoharbor.eval.statistics.grid import Grid
from emoharbor.eval.statistics.method import How, Limits, limits
from emoharbor.eval.statistics.multiple import holm
from emoharbor.eval.statistics.permutation import TestResult, sign_flip, wilcoxon
from emoharbor.eval.statistics.power import profiles_needed, smallest_difference
from emoharbor.eval.statistics.sample import Sample
from emoharbor.eval.statistics.scores import DIMENSION, GROUP, MEANS, Failures
from emoharbor.state.base import Frozen

POWER = 0.8


class Difference(Frozen):
    """One figure of two supporters or two runs: the second minus the first."""

    figure: str
    family: str
    """The tests that are corrected together: `means`, `groups`, `dimensions`."""
    n: int
    """People (or pairs of episodes) that have the figure on both sides."""
    first: float | None
    """Mean of the first over these; None without any."""
    second: float | None
    difference: float | None
    difference_ci: Limits | None
    p: float | None
    """Sign-flip permutation test, two-sided."""
    p_holm: float | None
    """Corrected within the family."""
    wilcoxon: float | None
    """p of Wilcoxon's signed-rank test."""
    dz: float | None
    """Mean difference over the standard deviation of the differences."""
    rank_biserial: float | None
    wins: int
    """In how many the second is higher."""
    ties: int
    losses: int
    smallest: float | None
    """The smallest true difference that so many people would show in four of five tries."""
    needed: int | None = None
    """People needed to show the difference asked for as often."""


class Disagreement(Frozen):
    """One person on whom the two differ most."""

    profile: str
    first: float
    second: float
    difference: float


class Comparison(Frozen):
    """Two supporters of one run."""

    first: str
    second: str
    failures: Failures
    rubric: str
    figures: tuple[Difference, ...]
    people_first: int
    """People that the first has an overall score for."""
    people_second: int
    people_both: int
    wanted: float | None
    """The difference in overall that `needed` is for."""
    disagreements: tuple[Disagreement, ...]
    """The largest first, on overall."""
    how: How
    notes: tuple[str, ...] = ()


def difference(
    figure: str, family: str, pair: tuple[FloatArray, FloatArray], how: How, *, signed_ranks: bool = True
) -> Difference:
    """Return the paired figures of two columns.

    Args:
        figure: its name.
        family: of the correction, which `with_holm` makes.
        pair: shape (n,) each, in the same order, nan where missing.
        how: resamples, seed, level.
        signed_ranks: also Wilcoxon's test, for which scipy takes a second to load.
    """
    first, second = pair
    apart = second - first
    both = ~np.isnan(apart)
    if not both.any():
        return _unknown(figure, family)
    sizes, flips = effect(apart), sign_flip(apart, resamples=how.resamples, seed=how.seed)
    found = mean_estimate(apart, level=how.level, resamples=how.resamples, seed=how.seed)
    sd = sizes.sd if sizes else None
    return Difference(
        figure=figure, family=family, n=int(both.sum()), first=_mean(first[both]), second=_mean(second[both]),
        difference=found.value, difference_ci=limits(found.interval), p=_p(flips), p_holm=None,
        wilcoxon=_p(wilcoxon(apart)) if signed_ranks else None,
        dz=sizes.dz if sizes else None, rank_biserial=sizes.rank_biserial if sizes else None,
        wins=sizes.wins if sizes else 0, ties=sizes.ties if sizes else 0, losses=sizes.losses if sizes else 0,
        # where nobody differs from anybody, the spread of others like them is not known
        smallest=None if not sd else smallest_difference(sd, found.n, how.alpha, POWER),
    )  # fmt: skip


def _unknown(figure: str, family: str) -> Difference:
    """What is said of a figure that nobody has on both sides."""
    return Difference(
        figure=figure, family=family, n=0, first=None, second=None, difference=None, difference_ci=None, p=None,
        p_holm=None, wilcoxon=None, dz=None, rank_biserial=None, wins=0, ties=0, losses=0, smallest=None,
    )  # fmt: skip


def with_holm(found: Sequence[Difference]) -> list[Difference]:
    """Return the same with p corrected within each family."""
    corrected: dict[int, float] = {}
    for family in dict.fromkeys(item.family for item in found):
        members = [index for index, item in enumerate(found) if item.family == family]
        raw = np.array([found[index].p for index in members], dtype=np.float64)
        corrected |= dict(zip(members, holm(raw), strict=True))
    return [
        item.model_copy(update={"p_holm": None if item.p is None else float(corrected[index])})
        for index, item in enumerate(found)
    ]


def compare(  # noqa: PLR0913 - what is compared and how, each a choice of its own
    sample: Sample,
    first: str,
    second: str,
    failures: Failures = "lowest",
    how: How | None = None,
    *,
    wanted: float | None = None,
    most: int = 5,
) -> Comparison:
    """Return the comparison of two supporters.

    Args:
        sample: the episodes; must have a scale.
        first: name of one.
        second: name of the other.
        failures: how episodes without a score enter.
        how: resamples, seed, level.
        wanted: say how many people a difference in overall of this size needs.
        most: disagreements to name.

    Raises:
        ValueError: when nothing was rated.
    """
    if sample.scale is None:
        raise ValueError("nothing was rated")
    how = how or How()
    kept = [entry for entry in sample.entries if entry.supporter in (first, second)]
    grid = Grid.of(kept, (first, second), sample.scale, failures)
    figures = with_holm([
        difference(_plain(name), _family(name), (grid.of_figure(name)[:, 0], grid.of_figure(name)[:, 1]), how)
        for name in grid.figures
    ])  # fmt: skip
    overall = grid.of_figure("overall")
    spread = overall[:, 1] - overall[:, 0]
    return Comparison(
        first=first, second=second, failures=failures, rubric=sample.scale.rubric,
        figures=tuple(_with_needed(figures, spread, wanted, how)),
        people_first=int((~np.isnan(overall[:, 0])).sum()), people_second=int((~np.isnan(overall[:, 1])).sum()),
        people_both=int((~np.isnan(spread)).sum()), wanted=wanted,
        disagreements=_disagreements(grid.profiles, overall, most), how=how,
    )  # fmt: skip


def _with_needed(figures: Sequence[Difference], spread: FloatArray, wanted: float | None, how: How) -> list[Difference]:
    known = spread[~np.isnan(spread)]
    if wanted is None or known.size < 2:
        return list(figures)
    needed = profiles_needed(wanted, float(known.std(ddof=1)), how.alpha, POWER)
    return [item.model_copy(update={"needed": needed}) if item.figure == "overall" else item for item in figures]


def _disagreements(profiles: Sequence[str], overall: FloatArray, most: int) -> tuple[Disagreement, ...]:
    apart = [
        Disagreement(profile=name, first=float(one), second=float(other), difference=float(other - one))
        for name, (one, other) in zip(profiles, overall, strict=True)
        if one != other and not np.isnan(one + other)
    ]
    return tuple(sorted(apart, key=lambda item: (-abs(item.difference), item.profile))[:most])


def _family(figure: str) -> str:
    if figure in MEANS:
        return "means"
    return "groups" if figure.startswith(GROUP) else "dimensions"


def _plain(figure: str) -> str:
    return figure.removeprefix(GROUP).removeprefix(DIMENSION)


def _mean(values: FloatArray) -> float | None:
    return float(values.mean()) if values.size else None


def _p(result: TestResult | None) -> float | None:
    return None if result is None else result.p
