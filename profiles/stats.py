"""A set of people in numbers: how often each value occurs, and how the measured traits are spread and go together."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from emoharbor.profiles.schema import Profile
from emoharbor.state.text import folded

Measure = Callable[[Profile], float]
Label = Callable[[Profile], str]

TRAITS: Mapping[str, Measure] = {
    "openness": lambda profile: profile.person.traits.openness,
    "conscientiousness": lambda profile: profile.person.traits.conscientiousness,
    "extraversion": lambda profile: profile.person.traits.extraversion,
    "agreeableness": lambda profile: profile.person.traits.agreeableness,
    "neuroticism": lambda profile: profile.person.traits.neuroticism,
}
NUMBERS: Mapping[str, Measure] = {
    **TRAITS,
    "age": lambda profile: profile.person.age,
    "intensity": lambda profile: profile.situation.intensity,
    "disclosure pace": lambda profile: profile.person.disclosure_pace,
    "resistance": lambda profile: profile.person.resistance,
    "volatility": lambda profile: profile.person.volatility,
}
LABELS: Mapping[str, Label] = {
    "problem": lambda profile: profile.situation.problem,
    "feeling": lambda profile: profile.situation.feeling,
    "primary need": lambda profile: profile.person.needs.primary,
    "secondary need": lambda profile: profile.person.needs.secondary,
    "style": lambda profile: profile.person.voice.style,
    "attachment anxiety": lambda profile: profile.person.attachment.anxiety,
    "attachment avoidance": lambda profile: profile.person.attachment.avoidance,
    "gender": lambda profile: profile.person.gender,
    "age band": lambda profile: age_band(profile.person.age),
    "region": lambda profile: profile.person.region,
    "country": lambda profile: profile.person.country,
    "education": lambda profile: profile.person.education,
    "occupation": lambda profile: profile.person.occupation_group,
    "relationship": lambda profile: profile.person.relationship,
    "children": lambda profile: profile.person.children,
    "risk": lambda profile: profile.situation.risk,
}
"""What the people differ in, in the order in which it is shown."""
_BANDS = ((17, "under 18"), (22, "18-22"), (29, "23-29"), (39, "30-39"), (49, "40-49"), (59, "50-59"), (75, "60-75"))


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean, standard deviation (n - 1), smallest and largest of one number; None where it is not defined."""

    mean: float | None
    sd: float | None
    low: float | None
    high: float | None


def counts(people: Sequence[Profile], label: Label) -> Mapping[str, int]:
    """Return how often each value occurs, most frequent first, ties by name."""
    found = Counter(label(profile) for profile in people)
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def spread(values: Sequence[float]) -> Spread:
    """Return mean and spread; fewer than two values have no standard deviation, none have no mean either."""
    if not values:
        return Spread(None, None, None, None)
    mean = math.fsum(values) / len(values)
    square = math.fsum((value - mean) ** 2 for value in values)
    return Spread(mean, math.sqrt(square / (len(values) - 1)) if len(values) > 1 else None, min(values), max(values))


def correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Pearson's correlation; None when either does not vary, so that there is none."""
    left, right = spread(first), spread(second)
    if left.mean is None or right.mean is None or not left.sd or not right.sd:
        return None
    means = (left.mean, right.mean)
    joint = math.fsum((a - means[0]) * (b - means[1]) for a, b in zip(first, second, strict=True))
    return joint / ((len(first) - 1) * left.sd * right.sd)


def correlations(people: Sequence[Profile]) -> Mapping[tuple[str, str], float | None]:
    """Return the correlation of each pair of traits."""
    values = {name: [measure(profile) for profile in people] for name, measure in TRAITS.items()}
    names = list(values)
    return {
        (first, second): correlation(values[first], values[second])
        for at, first in enumerate(names)
        for second in names[at + 1 :]
    }


def age_band(age: int) -> str:
    """Return the band of the plan that an age falls in."""
    return next((name for last, name in _BANDS if age <= last), "76 and over")


def word_count(value: object) -> int:
    """Return the number of words, set apart by white space, in every text of a nested value."""
    return sum(len(text.split()) for text in _texts(value))


def prose_words(profile: Profile) -> int:
    """Return the words of what makes the person: the blocks situation, person and telling."""
    return word_count(profile.model_dump(include={"situation", "person", "telling"}))


def character_count(value: object) -> int:
    """Return the number of letters and digits in every text of a nested value, for scripts without word spaces."""
    return sum(len(folded(text)) for text in _texts(value))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)
