"""What the recorded people said of their talks themselves: counts, distributions and means, before any model."""

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence

from emoharbor.nodes.recording import RecordedDialogue
from emoharbor.state.base import Frozen

MISSING = "missing"
_ASKED = ("before", "empathy", "relevance", "after")
_AFTERWARDS = ("empathy", "relevance", "after")


class Mean(Frozen):
    """A mean of the people who answered."""

    n: int
    mean: float
    sd: float | None
    """With n - 1; None for one value."""


class Survey(Frozen):
    """The people's own ratings of one group of dialogues."""

    dialogues: int
    complete: int
    """Dialogues whose person rated the talk afterwards in full: empathy, relevance and the emotion's strength."""
    began_with_supporter: int
    turns: int
    feedback: int
    """Ratings given on the way, those of a greeting included."""
    with_feedback: int
    """Dialogues that have any."""
    distribution: dict[str, dict[str, int]]
    """How often each value was given, by rating; `missing` counts the dialogues without it."""
    drop: dict[str, int]
    """How often the emotion's strength fell by so much, of complete surveys."""
    means: dict[str, Mean]
    """Of complete surveys: each rating and `drop`; of all with feedback: `feedback`, a dialogue's mean."""
    top_two: dict[str, float]
    """Share of the two highest values, of complete surveys."""
    about: dict[str, dict[str, int]]
    """What the source says of its dialogues, counted."""


def survey(dialogues: Sequence[RecordedDialogue]) -> Survey:
    """Count what a group of people said."""
    done = [item for item in dialogues if all(name in item.ratings for name in _AFTERWARDS)]
    drops = [item.ratings["before"] - item.ratings["after"] for item in done if "before" in item.ratings]
    names = list(dict.fromkeys([*_ASKED, *(name for item in dialogues for name in item.ratings)]))
    means = {name: _mean([item.ratings[name] for item in done if name in item.ratings]) for name in names}
    means["drop"] = _mean(drops)
    means["feedback"] = _mean([value for item in dialogues if (value := mean_feedback(item)) is not None])
    return Survey(
        dialogues=len(dialogues),
        complete=len(done),
        began_with_supporter=sum(bool(item.greeting) for item in dialogues),
        turns=sum(len(item.turns) for item in dialogues),
        feedback=sum(len(all_feedback(item)) for item in dialogues),
        with_feedback=sum(bool(all_feedback(item)) for item in dialogues),
        distribution={name: _count(item.ratings.get(name) for item in dialogues) for name in names},
        drop=_count(drops),
        means={name: mean for name, mean in means.items() if mean is not None},
        top_two={
            name: sum(item.ratings[name] >= item.scale[1] - 1 for item in done) / len(done)
            for name in ("empathy", "relevance")
            if done
        },
        about={
            name: _count(item.about.get(name) for item in dialogues)
            for name in sorted({name for item in dialogues for name in item.about if not name.endswith("messages")})
        },
    )


def all_feedback(dialogue: RecordedDialogue) -> tuple[float, ...]:
    """Return the ratings given on the way, the greeting's first."""
    return (*dialogue.greeting_feedback, *(star for turn in dialogue.turns for star in turn.feedback))


def mean_feedback(dialogue: RecordedDialogue) -> float | None:
    """Return the mean of the ratings given on the way; None without any."""
    found = all_feedback(dialogue)
    return statistics.fmean(found) if found else None


def _mean(values: Sequence[float]) -> Mean | None:
    if not values:
        return None
    spread = statistics.stdev(values) if len(values) > 1 else None
    return Mean(n=len(values), mean=statistics.fmean(values), sd=spread)


def _count(values: Iterable[float | str | None]) -> dict[str, int]:
    found = Counter(
        MISSING if value is None else f"{value:g}" if isinstance(value, float) else value for value in values
    )
    return dict(sorted(found.items(), key=lambda item: _rank(item[0])))


def _rank(value: str) -> tuple[int, float, str]:
    """Numbers by size, then words."""
    try:
        return 0, float(value), ""
    except ValueError:
        return 1, 0.0, value
