"""Which episodes of a run a report shows, when nobody says: the best, the worst, and the one that is most disputed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from emoharbor.eval.record import EpisodeKey, EpisodeResult


@dataclass(frozen=True, slots=True)
class Chosen:
    """One episode to show, and why."""

    key: EpisodeKey
    why: str


def choose(results: Iterable[EpisodeResult]) -> list[Chosen]:
    """Return the episode rated best, the one rated worst, and the one that raters agree on least.

    Raters are the repeats of the run's own judge and any other judge, all as the person. Where each episode was rated
    once, the widest gap between general and tailored support takes the last place. An episode stands there once.
    """
    rated = [(overall, item) for item in results if (overall := _overall(item)) is not None]
    if not rated:
        return []
    best = max(rated, key=lambda pair: pair[0])
    worst = min(rated, key=lambda pair: pair[0])
    found = [(_key(best[1]), f"rated best: {best[0]:.0f} of 100"), (_key(worst[1]), f"rated worst: {worst[0]:.0f}")]
    third = _disputed([item for _, item in rated]) or _widest([item for _, item in rated])
    if third is not None:
        found.append(third)
    whys: dict[str, list[str]] = {}
    keys = {str(key): key for key, _ in found}
    for key, why in found:
        whys.setdefault(str(key), []).append(why)
    return [Chosen(keys[name], "; ".join(reasons)) for name, reasons in whys.items()]


def _overall(item: EpisodeResult) -> float | None:
    values = [found.scores.overall for found in item.primary if found.scores and found.scores.overall is not None]
    return fmean(values) if values else None


def _disputed(items: Sequence[EpisodeResult]) -> tuple[EpisodeKey, str] | None:
    spreads = [(_spread(item), item) for item in items]
    widest = max(spreads, key=lambda pair: pair[0])
    if widest[0] <= 0:
        return None
    return _key(widest[1]), f"most disputed: its ratings lie {widest[0]:.0f} points apart"


def _spread(item: EpisodeResult) -> float:
    """How far the ratings as the person themselves, in the plain condition, lie apart."""
    plain = [
        found.scores.overall
        for found in item.judgements
        if found.scores and found.scores.overall is not None and found.control is None and found.counterfactual is None
        and (found.own or found.with_log)
    ]  # fmt: skip
    return max(plain) - min(plain) if len(plain) > 1 else 0.0


def _widest(items: Sequence[EpisodeResult]) -> tuple[EpisodeKey, str] | None:
    gaps = [
        (found.scores.gap, item)
        for item in items
        for found in item.primary
        if found.scores and found.scores.gap is not None
    ]
    if not gaps:
        return None
    gap, item = max(gaps, key=lambda pair: abs(pair[0]))
    return _key(item), f"widest gap between general and tailored support: {gap:+.2f}"


def _key(item: EpisodeResult) -> EpisodeKey:
    return EpisodeKey(profile=item.profile, supporter=item.supporter, repeat=item.repeat)
