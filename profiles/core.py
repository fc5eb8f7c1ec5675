"""Choosing a small set that stands for a large one: `python -m emoharbor.profiles.core` writes `sets.yaml` again.

The distance of a subset from everybody is the sum of

- for each attribute with labels: half the sum of the absolute differences of the shares (total variation, 0 to 1);
- for each number: the difference of the means and that of the standard deviations, both in standard deviations;
- for each pair of traits: the difference of the correlations.

People are added one by one, always the one that leaves the smallest distance; then one is exchanged for one outside as
long as that makes it smaller; last, the chosen are put in the order in which they would be added, so that each
beginning of the list is a fair smaller set. Ties go to the smaller id, so the result is always the same.
"""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import yaml

from emoharbor.profiles.loader import bundled
from emoharbor.profiles.schema import Profile
from emoharbor.profiles.stats import LABELS, NUMBERS, TRAITS, Spread, correlation, spread

SIZE = 20
"""People in the core set."""


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a subset is from everybody, in its three parts."""

    shares: float
    spreads: float
    correlations: float

    @property
    def total(self) -> float:
        """The sum."""
        return self.shares + self.spreads + self.correlations


def choose(people: Sequence[Profile], size: int = SIZE) -> list[str]:
    """Return the ids of `size` people who stand for all of them; everybody's if there are no more."""
    measured = _Measured.of(sorted(people, key=lambda profile: profile.id))
    everybody = range(len(people))
    chosen = _grow(everybody, min(size, len(people)), measured.total)
    while better := _best_exchange(chosen, everybody, measured.total):
        chosen = better
    return [measured.ids[index] for index in _grow(sorted(chosen), len(chosen), measured.total)]


def distance(people: Sequence[Profile], ids: Sequence[str]) -> Distance:
    """Return how far some of the people are from all of them."""
    measured = _Measured.of(people)
    return measured.distance([measured.ids.index(name) for name in ids])


def _grow(pool: Sequence[int], size: int, far: Callable[[Sequence[int]], float]) -> list[int]:
    chosen: list[int] = []
    while len(chosen) < size:
        rest = (index for index in pool if index not in chosen)
        chosen.append(min(rest, key=lambda index: (far([*chosen, index]), index)))
    return chosen


def _best_exchange(
    chosen: Sequence[int], everybody: Sequence[int], far: Callable[[Sequence[int]], float]
) -> list[int] | None:
    """Return the subset after the exchange that helps most, or None if none helps."""
    outside = [index for index in everybody if index not in chosen]
    offers = ([*chosen[:at], new, *chosen[at + 1 :]] for at in range(len(chosen)) for new in outside)
    best = min(offers, key=lambda offer: (far(offer), sorted(offer)), default=None)
    # a billionth is rounding, not an improvement
    return best if best is not None and far(best) < far(chosen) - 1e-9 else None


@dataclass(frozen=True, slots=True)
class _Measured:
    """Everybody's values once, so that a subset is a list of positions."""

    ids: Sequence[str]
    labels: Sequence[Sequence[str]]
    numbers: Mapping[str, Sequence[float]]
    shares: Sequence[Mapping[str, float]]
    spreads: Mapping[str, Spread]
    together: Mapping[tuple[str, str], float]

    @classmethod
    def of(cls, people: Sequence[Profile]) -> "_Measured":
        labels = [[label(profile) for profile in people] for label in LABELS.values()]
        numbers = {name: [float(measure(profile)) for profile in people] for name, measure in NUMBERS.items()}
        return cls(
            [profile.id for profile in people],
            labels,
            numbers,
            [_shares(values) for values in labels],
            {name: spread(values) for name, values in numbers.items()},
            {pair: _together(numbers, pair) for pair in combinations(TRAITS, 2)},
        )

    def total(self, subset: Sequence[int]) -> float:
        return self.distance(subset).total

    def distance(self, subset: Sequence[int]) -> Distance:
        part = {name: [values[index] for index in subset] for name, values in self.numbers.items()}
        found = {name: spread(values) for name, values in part.items()}
        return Distance(
            sum(
                _variation(whole, _shares([values[index] for index in subset]))
                for whole, values in zip(self.shares, self.labels, strict=True)
            ),
            sum(_apart(whole, found[name]) for name, whole in self.spreads.items()),
            sum(abs(whole - _together(part, pair)) for pair, whole in self.together.items()),
        )


def _shares(values: Sequence[str]) -> Mapping[str, float]:
    return {value: count / len(values) for value, count in Counter(values).items()}


def _variation(whole: Mapping[str, float], part: Mapping[str, float]) -> float:
    return sum(abs(whole.get(value, 0.0) - part.get(value, 0.0)) for value in sorted(whole.keys() | part.keys())) / 2


def _together(values: Mapping[str, Sequence[float]], pair: tuple[str, str]) -> float:
    """Return a correlation; for a subset in which a trait does not vary, that nothing goes with it."""
    return correlation(values[pair[0]], values[pair[1]]) or 0.0


def _apart(whole: Spread, part: Spread) -> float:
    if whole.mean is None or part.mean is None or not whole.sd:
        return 0.0
    return (abs(whole.mean - part.mean) + abs(whole.sd - (part.sd or 0.0))) / whole.sd


def _document(people: Mapping[str, Profile]) -> str:
    ids = choose(list(people.values()))
    about = f"{len(ids)} of the {len(people)} people, chosen by `python -m emoharbor.profiles.core` to stand for all"
    data = {"sets": {"core": {"about": about, "ids": ids}}}
    head = "# Made by `python -m emoharbor.profiles.core`, which says how; `all` is everybody and needs no entry.\n"
    return head + yaml.safe_dump(data, sort_keys=False, width=110, default_flow_style=None)


if __name__ == "__main__":
    made = _document(bundled())
    Path(str(files("emoharbor.profiles"))).joinpath("sets.yaml").write_text(made, encoding="utf-8")
    sys.stdout.write("wrote sets.yaml\n")
