"""The dimensions as a heat map: by supporter, and by the kind of person.

Means are over people, as on the leaderboard: a person's repeats are averaged first, so that each counts once.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from emoharbor.eval.statistics.scores import Scale
from emoharbor.eval.statistics.slices import By, groups_of
from emoharbor.eval.store.browse import Line
from emoharbor.profiles.schema import PartialProfile

Pairs = Mapping[tuple[str, str], Mapping[str, float]]
"""The mean of each dimension over the repeats of a person with a supporter."""
STEPS = 10
"""Steps of colour from the lowest to the highest score."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One square.

    Attributes:
        mean: of a dimension; None where nobody was rated.
        people: behind it.
        step: of colour, 0 to `STEPS`; None without a mean.
    """

    mean: float | None
    people: int
    step: int | None


@dataclass(frozen=True, slots=True)
class Heat:
    """A whole map.

    Attributes:
        columns: names, with the people of each.
        rows: by group, then by dimension, a cell for each column.
    """

    columns: Sequence[tuple[str, int]]
    rows: Mapping[str | None, Mapping[str, Sequence[Cell]]]


def pairs(lines: Iterable[Line], scale: Scale) -> Pairs:
    """Return the means of each person with each supporter."""
    found: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        place = found[line.key.profile, line.key.supporter]
        for dimension, score in _scores(line, scale).items():
            if score is not None:
                place[dimension].append(score)
    return {key: {name: fmean(scores) for name, scores in marks.items()} for key, marks in found.items()}


def by_supporter(found: Pairs, scale: Scale, supporters: Sequence[str]) -> Heat:
    """Return the map with a column for each supporter, in the order given."""
    people = dict.fromkeys(profile for profile, _ in found)
    return _heat(dict.fromkeys(supporters, people), lambda name: (name,), found, scale)


def by_kind(
    found: Pairs, scale: Scale, people: Mapping[str, PartialProfile], by: By, supporters: Sequence[str]
) -> Heat:
    """Return the map with a column for each kind of person, the most frequent first, over some supporters."""
    columns: dict[str, dict[str, None]] = defaultdict(dict)
    for profile in dict.fromkeys(profile for profile, _ in found):
        for kind in groups_of(people[profile], by) if profile in people else ():
            columns[kind][profile] = None
    ordered = dict(sorted(columns.items(), key=lambda item: (-len(item[1]), item[0])))
    return _heat(ordered, lambda _: supporters, found, scale)


def _heat(
    columns: Mapping[str, Iterable[str]], supporters_of: Callable[[str], Sequence[str]], found: Pairs, scale: Scale
) -> Heat:
    marks = {
        name: [_person(found, profile, supporters_of(name)) for profile in people] for name, people in columns.items()
    }
    rows: dict[str | None, dict[str, list[Cell]]] = {}
    for dimension, group in scale.groups.items():
        rows.setdefault(group, {})[dimension] = [_cell(column, dimension, scale) for column in marks.values()]
    return Heat([(name, sum(bool(mark) for mark in column)) for name, column in marks.items()], rows)


def _person(found: Pairs, profile: str, supporters: Sequence[str]) -> list[Mapping[str, float]]:
    return [found[profile, name] for name in supporters if (profile, name) in found]


def _cell(column: Sequence[Sequence[Mapping[str, float]]], dimension: str, scale: Scale) -> Cell:
    means = [fmean(known) for person in column if (known := [mark[dimension] for mark in person if dimension in mark])]
    if not means:
        return Cell(None, 0, None)
    mean = fmean(means)
    return Cell(mean, len(means), round(STEPS * (mean - scale.low) / (scale.high - scale.low)))


def _scores(line: Line, scale: Scale) -> Mapping[str, float | None]:
    """To fail to answer a person is to fail that person: such an episode counts as the lowest score."""
    if line.outcome is not None and line.outcome.standing == "supporter_failure":
        return dict.fromkeys(scale.groups, float(scale.low))
    return line.dimensions
