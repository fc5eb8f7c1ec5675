"""Judges: what one makes of the same episode again, and how far several agree."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from emoharbor.eval.statistics.agreement import krippendorff_alpha, weighted_kappa
from emoharbor.eval.statistics.arrays import FloatArray
from emoharbor.eval.statistics.bootstrap import mean_estimate
from emoharbor.eval.statistics.icc import icc
from emoharbor.eval.statistics.method import How, limits
from emoharbor.eval.statistics.ratings import Ratings, Table
from emoharbor.eval.statistics.reliability_rows import DimensionAgreement, JudgesAgreement, Noise
from emoharbor.eval.statistics.scores import DIMENSION
from emoharbor.eval.statistics.simulators import rank_agreement


def noises(ratings: Ratings, how: How) -> Iterator[Noise]:
    """Yield what each judge makes of the same episode when asked again."""
    for judge, with_log, table in _repeated(ratings, "overall"):
        apart = _pairwise(table.values)
        size = mean_estimate(
            _by_person(apart, table), level=how.level, resamples=how.resamples, seed=how.seed
        )  # fmt: skip
        forms = icc(table.values.T, level=how.level)
        yield Noise(
            judge=judge, with_log=with_log, n=int((~np.isnan(apart)).sum()), repeats=table.values.shape[0],
            size=size.value, size_ci=limits(size.interval), single=forms["1,1"], mean=forms["1,k"],
        )  # fmt: skip


def _repeated(ratings: Ratings, figure: str) -> Iterator[tuple[str, bool, Table]]:
    """Each judge's repeats, with and without the log, where there are any."""
    for judge in ratings.judges:
        for with_log in (True, False):
            found = ratings.of_judge(judge, with_log=with_log)
            if len({one.repeat for one in found.ones}) > 1:
                yield judge, with_log, found.table(figure, raters="repeat")


def _pairwise(values: FloatArray) -> FloatArray:
    """Mean absolute difference between the ratings of each episode; nan with fewer than two."""
    gaps = np.stack([np.abs(values[a] - values[b]) for a, b in combinations(range(values.shape[0]), 2)])
    there = ~np.isnan(gaps)
    sums, counts = np.where(there, gaps, 0).sum(axis=0), there.sum(axis=0)
    means: FloatArray = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return means


def _by_person(values: FloatArray, table: Table) -> FloatArray:
    """Mean of each person's values, so that people are what is resampled."""
    known = ~np.isnan(values)
    size = int(table.people.max(initial=-1)) + 1
    sums = np.bincount(table.people[known], values[known], minlength=size)
    counts = np.bincount(table.people[known], minlength=size)
    means: FloatArray = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0)
    return means


def agreements(ratings: Ratings, how: How) -> Iterator[DimensionAgreement]:
    """Yield the agreement on each dimension: of each judge's repeats, then of the judges."""
    for figure in ratings.scale.dimensions:
        for judge, with_log, table in _repeated(ratings, figure):
            yield _agreement(f"{judge}, again{_log(with_log=with_log)}", figure, table, ratings, how)
    for with_log, kept in _sides(ratings):
        for figure in ratings.scale.dimensions:
            yield _agreement(f"judges{_log(with_log=with_log)}", figure, kept.table(figure, raters="judge"), kept, how)


def _agreement(raters: str, figure: str, table: Table, ratings: Ratings, how: How) -> DimensionAgreement:
    domain = range(ratings.scale.low, ratings.scale.high + 1)
    options = {"cluster": table.people, "level": how.level, "resamples": how.resamples, "seed": how.seed}
    found = krippendorff_alpha(table.values, domain, measurement="ordinal", **options)  # type: ignore[arg-type]  # shared options of several types
    kappa = None
    if table.values.shape[0] == 2:
        kappa = weighted_kappa(table.values[0], table.values[1], domain, **options)  # type: ignore[arg-type]  # as above
    return DimensionAgreement(
        raters=raters, dimension=figure.removeprefix(DIMENSION), n=found.n, alpha=found.value,
        alpha_ci=limits(found.interval), kappa=kappa.value if kappa else None,
        kappa_ci=limits(kappa.interval) if kappa else None,
    )  # fmt: skip


def _sides(ratings: Ratings) -> Iterator[tuple[bool, Ratings]]:
    """The ratings of all judges with the log, and without it, where at least two judges rated so."""
    for with_log in (True, False):
        kept = Ratings(ratings.scale, tuple(one for one in ratings.ones if one.with_log == with_log))
        if len(kept.judges) > 1:
            yield with_log, kept


def between_judges(ratings: Ratings, how: How) -> Iterator[JudgesAgreement]:
    """Yield the agreement of judges on overall, with the log and without."""
    for with_log, kept in _sides(ratings):
        forms = icc(kept.table("overall", raters="judge").values.T, level=how.level)
        first, second = (_means(kept, judge) for judge in kept.judges[:2])
        yield JudgesAgreement(
            with_log=with_log, judges=kept.judges, agreement=forms["2,1"], consistency=forms["3,1"],
            ranks=rank_agreement(first, second, how),
        )  # fmt: skip


def _means(ratings: Ratings, judge: str) -> dict[tuple[str, str], float]:
    """One judge's mean overall of each person and supporter."""
    index = ratings.scale.figures.index("overall")
    found: dict[tuple[str, str], list[float]] = {}
    for one in ratings.ones:
        value = one.figures[index]
        if one.judge == judge and not np.isnan(value):
            found.setdefault((one.episode[1], one.episode[2]), []).append(value)
    return {key: float(np.mean(values)) for key, values in found.items()}


def _log(*, with_log: bool) -> str:
    return "" if with_log else ", without the log"
