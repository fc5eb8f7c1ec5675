"""How far a replayed run agrees with the people it replays."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from emoharbor.eval.replay.chance import area, chance, ranks
from emoharbor.eval.replay.figures import Agreement, Compared, Of, Separated, Unit
from emoharbor.eval.replay.pairs import DialoguePair
from emoharbor.eval.replay.survey import survey
from emoharbor.eval.statistics.agreement import weighted_kappa
from emoharbor.eval.statistics.arrays import FloatArray, IntArray, Seed
from emoharbor.eval.statistics.correlation import correlation
from emoharbor.nodes.recording import Recording

_CALLED = {"relevance": "situation_fit"}
"""Our dimension for what ESConv's seekers were asked: did the supporter's words fit your trouble?"""
_INNER = {"feedback": "felt_understood", "relief": "relief"}


def agreement(
    recording: Recording,
    pairs: Sequence[DialoguePair],
    scale: tuple[int, int] | None,
    ablation: Sequence[DialoguePair] = (),
    *,
    seed: Seed = 0,
) -> Agreement:
    """Compare.

    Args:
        recording: the dialogues and the people's ratings.
        pairs: those of the run.
        scale: of the run's judge; None without one.
        ablation: the same dialogues from a run without an inner world; its ratings stand in for those without the log.
        seed: of intervals and shuffles.
    """
    labels = list(dict.fromkeys(item.label or "all" for item in recording.dialogues))
    groups = _groups(labels, pairs)
    blind = {item.number: item.scores for item in ablation}
    return Agreement(
        planned=len(recording.dialogues),
        dialogues=len(pairs),
        surveys={
            label: survey([item for item in recording.dialogues if (item.label or "all") == label]) for label in labels
        },
        compared=(*_turns(pairs, seed), *_dialogues(recording, pairs, blind, scale, seed)),
        groups=groups,
        separated=tuple(_separated(pairs, blind, groups, seed)) if groups else (),
        would_leave=sum(item.would_leave is not None for item in pairs),
        unheard=_unheard(pairs),
    )


def _unheard(pairs: Sequence[DialoguePair]) -> dict[str, int]:
    """Count the people's ratings that no judge was asked for: a name that is misspelt, or of another rubric."""
    asked = frozenset[str]().union(*(item.asked for item in pairs))
    known = {*asked, *_INNER, "before", "after"}
    given = [name for item in pairs for name in item.told if asked and _CALLED.get(name, name) not in known]
    return dict(Counter(given))


def _turns(pairs: Sequence[DialoguePair], seed: Seed) -> list[Compared]:
    """Turn feedback against felt understanding, and against what is known without any inner world."""
    parts = [part for item in pairs for part in item.parts]
    if not parts:
        return []
    who = np.array([part.dialogue for part in parts])
    theirs = _array(part.feedback for part in parts)
    ours: list[tuple[str, Of, FloatArray]] = [
        ("felt_understood", "inner world", _array(part.felt for part in parts)),
        ("reply's length", "no inner world", _array(part.length for part in parts)),
        ("turn number", "no inner world", _array(part.turn for part in parts)),
    ]
    no_kappa = "five stars and six points of another question are no common scale"
    found = []
    for name, of, values in ours:
        found.append(_compared("turn", "feedback", name, of, theirs, values, who, None, no_kappa, seed))
        inside = (_centred(theirs, who, values), _centred(values, who, values))
        found.append(_compared("turn within its dialogue", "feedback", name, of, *inside, who, None, no_kappa, seed))
    return sorted(found, key=lambda item: ["turn", "turn within its dialogue"].index(item.unit))


def _dialogues(
    recording: Recording,
    pairs: Sequence[DialoguePair],
    blind: Mapping[int, Mapping[str, float]],
    scale: tuple[int, int] | None,
    seed: Seed,
) -> list[Compared]:
    found: list[Compared] = []
    names = list(dict.fromkeys(["feedback", "relief", "empathy", "relevance", *(n for p in pairs for n in p.told)]))
    scales = {item.scale for item in recording.dialogues}
    common = scale if scales == {scale} else None
    for name in [name for name in names if any(name in item.told for item in pairs)]:
        theirs = _array(item.told.get(name) for item in pairs)
        for ours, of, values in _ours(name, pairs, blind):
            if np.isnan(values).all():
                continue
            levels = common if of.startswith("judge") else None
            why = "" if levels else "no common scale of whole points"
            found.append(_compared("dialogue", name, ours, of, theirs, values, None, levels, why, seed))
    return [*found, *_relief_beyond_the_start(pairs, seed)]


def _relief_beyond_the_start(pairs: Sequence[DialoguePair], seed: Seed) -> list[Compared]:
    """Our distress starts where the person said it does, and the more there is, the more can fall on both sides."""
    start = _array(item.told.get("before") for item in pairs)
    theirs, ours = (_array(of(item) for item in pairs) for of in (_told("relief"), _inner("relief")))
    known = ~(np.isnan(start) | np.isnan(theirs) | np.isnan(ours))
    if known.sum() < 3 or np.ptp(start[known]) == 0:
        return []
    x, y = (_beyond(values[known], start[known]) for values in (theirs, ours))
    name = "relief, given before"
    return [_compared("dialogue", name, name, "inner world", x, y, None, None, "no whole points", seed)]


def _beyond(values: FloatArray, start: FloatArray) -> FloatArray:
    """Return what a straight line through the start leaves of the values' ranks."""
    a, b = ranks(start), ranks(values)
    slope = ((a - a.mean()) * (b - b.mean())).sum() / ((a - a.mean()) ** 2).sum()
    left: FloatArray = (b - b.mean() - slope * (a - a.mean())).round(9)
    return left


def _ours(
    name: str, pairs: Sequence[DialoguePair], blind: Mapping[int, Mapping[str, float]]
) -> list[tuple[str, Of, FloatArray]]:
    """What is compared with a rating of the people. `before` and `after` are compared as their difference."""
    if name in ("before", "after"):
        return []
    if name in _INNER:
        inner = _INNER[name]
        return [
            (inner, "inner world", _array(item.inner.get(inner) for item in pairs)),
            ("number of turns", "no inner world", _array(item.turns for item in pairs)),
        ]
    ours = _CALLED.get(name, name)
    return [
        (ours, "judge", _array(item.scores.get(ours) for item in pairs)),
        (ours, "judge, no log", _blind(ours, pairs, blind)),
        ("number of turns", "no inner world", _array(item.turns for item in pairs)),
        ("feedback", "themselves", _array(item.told.get("feedback") for item in pairs)),
    ]


def _blind(name: str, pairs: Sequence[DialoguePair], other: Mapping[int, Mapping[str, float]]) -> FloatArray:
    return _array(item.blind.get(name, other.get(item.number, {}).get(name)) for item in pairs)


def _compared(  # noqa: PLR0913, PLR0917 - what a comparison is made of
    unit: Unit, theirs: str, ours: str, of: Of, x: FloatArray,
    y: FloatArray, cluster: IntArray | None, levels: tuple[int, int] | None, no_kappa: str, seed: Seed,
) -> Compared:  # fmt: skip
    both = ~(np.isnan(x) | np.isnan(y))
    blocks = cluster[both] if cluster is not None and unit != "turn" else None
    high = x[both]
    kappa = None
    if levels is not None:
        domain = tuple(range(levels[0], levels[1] + 1))
        if np.isin(y[both], domain).all() and np.isin(high, domain).all():
            kappa = weighted_kappa(x, y, domain, seed=seed)
        else:
            no_kappa = "means over repeats are no whole points"
    return Compared(
        unit=unit,
        theirs=theirs,
        ours=ours,
        rests_on=of,
        spearman=correlation(x, y, cluster=cluster, seed=seed),
        chance=chance(high, y[both], blocks, seed=seed),
        kappa=kappa,
        no_kappa="" if kappa else no_kappa,
        top_two=float((high >= levels[1] - 1).mean()) if levels and high.size else None,
    )


def _separated(
    pairs: Sequence[DialoguePair], blind: Mapping[int, Mapping[str, float]], groups: tuple[str, str], seed: Seed
) -> list[Separated]:
    dimensions = list(dict.fromkeys(name for item in pairs for name in item.scores))
    figures: list[tuple[str, Of, Callable[[DialoguePair], float | None]]] = [
        ("feedback", "themselves", lambda item: item.told.get("feedback")),
        *((name, "inner world", _inner(name)) for name in ("felt_understood", "relief", "trust")),
        *((name, "judge", _score(name)) for name in sorted(dimensions)),
        *((name, "judge, no log", _unlogged(name, blind)) for name in sorted(dimensions)),
        ("number of turns", "no inner world", lambda item: item.turns),
    ]  # fmt: skip
    found = []
    for name, of, value in figures:
        first, second = (_array(value(item) for item in pairs if item.label == group) for group in groups)
        if not (np.isnan(first).all() or np.isnan(second).all()):
            found.append(Separated(figure=name, rests_on=of, area=area(first, second, seed=seed)))
    return found


def _told(name: str) -> Callable[[DialoguePair], float | None]:
    return lambda item: item.told.get(name)


def _inner(name: str) -> Callable[[DialoguePair], float | None]:
    return lambda item: item.inner.get(name)


def _score(name: str) -> Callable[[DialoguePair], float | None]:
    return lambda item: item.scores.get(name)


def _unlogged(name: str, other: Mapping[int, Mapping[str, float]]) -> Callable[[DialoguePair], float | None]:
    return lambda item: item.blind.get(name, other.get(item.number, {}).get(name))


def _groups(labels: Sequence[str], pairs: Sequence[DialoguePair]) -> tuple[str, str] | None:
    """Two labels, the one whose people gave the better feedback first."""
    if len(labels) != 2:
        return None

    def liked(label: str) -> float:
        given = [item.told["feedback"] for item in pairs if item.label == label and "feedback" in item.told]
        return sum(given) / len(given) if given else 0.0

    first, second = sorted(labels, key=lambda label: -liked(label))
    return first, second


def _centred(values: FloatArray, who: IntArray, beside: FloatArray) -> FloatArray:
    """Return how far each value is from its dialogue's mean, over the turns that have both values."""
    known = ~(np.isnan(values) | np.isnan(beside))
    size = int(who.max()) + 1
    counts = np.bincount(who[known], minlength=size)
    sums = np.bincount(who[known], weights=values[known], minlength=size)
    means = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 1)  # one turn says nothing of its place
    apart: FloatArray = values - means[who]
    return apart


def _array(values: Iterable[float | None]) -> FloatArray:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
