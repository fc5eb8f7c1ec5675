"""How often our intervals hold the truth, and how often our tests cry wolf, in experiments whose truth is known.

Usage: python benchmarks/coverage.py [experiments]      (default 2,000; the figures of docs/methods.md)

An experiment: n people, each talking three times with each supporter. A score is 0 to 100 in steps of 2.5 (ten
dimensions of 1 to 5), cut off at both ends, and skewed: most people are well served, a few are not. People differ,
and so does what each makes of each supporter, so the repeats of one person are alike.
"""

import sys
from dataclasses import dataclass, field

import numpy as np

from emoharbor.eval.statistics.arrays import FloatArray
from emoharbor.eval.statistics.bootstrap import Method, draw_weights, mean_estimates
from emoharbor.eval.statistics.multiple import holm_pairs
from emoharbor.eval.statistics.permutation import sign_flip, sign_flip_pairs
from emoharbor.eval.statistics.variance import variance_shares

METHODS: tuple[Method, ...] = ("expanded", "percentile", "bca", "t")
REPEATS = 3
RESAMPLES = 2_000
BLOCK = 20
"""Experiments that share resamples."""
LEVELS = (72.0, 65.0)
"""What the two supporters give, before scores are cut off and rounded."""
PEOPLE, MATCH, NOISE = 12.0, 10.0, 10.0
"""Standard deviations of people, of what each makes of each supporter, and of one conversation."""


def scores(rng: np.random.Generator, experiments: int, n: int, levels: tuple[float, ...] = LEVELS) -> FloatArray:
    """Simulate, shape (experiments, n, supporters, repeats)."""
    k = len(levels)
    person = -(rng.gamma(4.0, size=(experiments, n, 1, 1)) - 4.0) / 2.0  # skewness -1
    match = rng.normal(size=(experiments, n, k, 1))
    noise = rng.normal(size=(experiments, n, k, REPEATS))
    raw = np.array(levels)[:, None] + PEOPLE * person + MATCH * match + NOISE * noise
    cut: FloatArray = np.round(np.clip(raw, 0.0, 100.0) / 2.5) * 2.5
    return cut


def truth(seed: int = 1, people: int = 4_000_000) -> tuple[float, float]:
    """Return the true mean of the first supporter, and its true lead, to about 0.01."""
    rng = np.random.default_rng(seed)
    parts = [scores(rng, 1, people // 40)[0].mean(axis=(0, 2)) for _ in range(40)]
    first, second = np.mean(parts, axis=0)
    return float(first), float(first - second)


@dataclass
class Covered:
    """How often each method held the truth, and how wide it was.

    Attributes of `hits`: experiments, by figure and method.
    """

    n: int
    experiments: int
    hits: dict[tuple[str, str], int] = field(default_factory=dict)
    low: dict[tuple[str, str], int] = field(default_factory=dict)
    """Intervals that lay wholly above the truth."""
    width: dict[tuple[str, str], float] = field(default_factory=dict)

    def share(self, figure: str, method: str) -> float:
        return self.hits[figure, method] / self.experiments

    def count(self, figure: str, method: str, intervals: FloatArray, true: float) -> None:
        low, high = intervals.T
        key = figure, method
        self.hits[key] = self.hits.get(key, 0) + int(((low <= true) & (true <= high)).sum())
        self.low[key] = self.low.get(key, 0) + int((low > true).sum())
        self.width[key] = self.width.get(key, 0.0) + float((high - low).sum()) / self.experiments


def coverage(n: int, experiments: int, true: tuple[float, float], seed: int = 0) -> Covered:
    """Simulate and count; `episodes` is what happens when repeats are taken for people of their own."""
    mean, lead = true
    found = Covered(n, experiments)
    for start in range(0, experiments, BLOCK):
        rng = np.random.default_rng([seed, n, start])
        size = min(BLOCK, experiments - start)
        played = scores(rng, size, n)
        people = played.mean(axis=3)
        figures = {"mean": (people[:, :, 0].T, mean), "difference": ((people[:, :, 0] - people[:, :, 1]).T, lead)}
        weights = draw_weights(n, RESAMPLES, (seed, n, start))
        for figure, (x, value) in figures.items():
            for method in METHODS:
                found.count(figure, method, _intervals(x, method, weights), value)
        apart = played[:, :, 0].reshape(size, -1).T
        found.count("mean", "episodes", _intervals(apart, "t", weights), mean)
    return found


def _intervals(x: FloatArray, method: Method, weights: FloatArray) -> FloatArray:
    ends = [found.interval for found in mean_estimates(x, method=method, weights=weights)]
    return np.array([(end.low, end.high) for end in ends if end is not None])


def false_alarms(n: int, experiments: int, seed: int = 0) -> float:
    """Return how often the sign-flip test finds p <= 0.05 between two supporters that are equally good."""
    played = scores(np.random.default_rng([seed, n]), experiments, n, (70.0, 70.0)).mean(axis=3)
    tests = (sign_flip(d, resamples=RESAMPLES, seed=(seed, i)) for i, d in enumerate(played[:, :, 0] - played[:, :, 1]))
    return float(np.mean([test is not None and test.p <= 0.05 for test in tests]))


def family_alarms(n: int, experiments: int, supporters: int = 6, seed: int = 0) -> float:
    """Return how often any of all pairs of equally good supporters is told apart after Holm."""
    levels = (70.0,) * supporters
    played = scores(np.random.default_rng([seed, n, supporters]), experiments, n, levels).mean(axis=3)
    claims = [
        np.nanmin(holm_pairs(sign_flip_pairs(x, resamples=RESAMPLES, seed=(seed, i)))) <= 0.05
        for i, x in enumerate(played)
    ]
    return float(np.mean(claims))


def share_coverage(
    n: int, experiments: int, supporters: int = 10, seed: int = 0
) -> dict[str, tuple[float, float, float]]:
    """Return for each source of variance: true share, mean estimate, how often the interval held the truth."""
    spread = np.array([6.0, 5.0, 8.0, 8.0])  # people, supporters, match, one conversation
    level = np.linspace(-1, 1, supporters)
    level *= spread[1] / level.std(ddof=1)
    true = spread**2 / (spread**2).sum()
    names = ("profile", "supporter", "profile x supporter", "remainder")
    held, sums = dict.fromkeys(names, 0), dict.fromkeys(names, 0.0)
    shape = (n, supporters, REPEATS)
    codes = {
        name: axis.ravel() for name, axis in zip(("profile", "supporter", "repeat"), np.indices(shape), strict=True)
    }
    for i in range(experiments):
        rng = np.random.default_rng([seed, n, i])
        y = spread[0] * rng.normal(size=(n, 1, 1)) + level[:, None] + spread[2] * rng.normal(size=(n, supporters, 1))
        found = variance_shares((y + spread[3] * rng.normal(size=shape)).ravel(), codes, resamples=500, seed=(seed, i))
        for share, value in zip(found.shares if found else (), true, strict=True):
            sums[share.term] += share.share / experiments
            held[share.term] += share.interval is not None and share.interval.low <= value <= share.interval.high
    return {name: (float(value), sums[name], held[name] / experiments) for name, value in zip(names, true, strict=True)}


def main() -> None:
    experiments = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    print(f"95 % intervals, {experiments} experiments, {REPEATS} repeats, {RESAMPLES} resamples")
    print("| n | figure | method | covers | too high | width |\n|---|---|---|---|---|---|")
    true = truth()
    for n in (10, 20, 50, 100):
        found = coverage(n, experiments, true)
        for (figure, method), hits in found.hits.items():
            low, width = found.low[figure, method] / experiments, found.width[figure, method]
            print(f"| {n} | {figure} | {method} | {hits / experiments:.1%} | {low:.1%} | {width:.2f} |")
    for n in (20, 100):
        print(f"sign-flip test, n = {n}: {false_alarms(n, experiments):.1%} false alarms at 5 %")
    print(
        f"all pairs of 6 supporters after Holm, n = 100: {family_alarms(100, experiments // 4):.1%} with a false claim"
    )
    for n in (20, 100):
        for name, (true, mean, held) in share_coverage(n, experiments // 4).items():
            print(f"variance share, n = {n}, {name}: true {true:.1%}, mean estimate {mean:.1%}, covered {held:.1%}")


if __name__ == "__main__":
    main()
