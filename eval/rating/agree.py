"""How far the judge agrees with people who rated by hand, and they with one another."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from emoharbor.eval.rating.pack import Pack, packs_of
from emoharbor.eval.rating.read import HandRatings, ratings_of
from emoharbor.eval.replay.pairs import mean_scores
from emoharbor.eval.statistics.agreement import Agreement, Kappa, krippendorff_alpha, weighted_kappa
from emoharbor.eval.statistics.arrays import FloatArray, IntArray, Seed
from emoharbor.eval.statistics.correlation import Correlation, correlation
from emoharbor.state.base import Frozen

if TYPE_CHECKING:
    from emoharbor.eval.run import Run

JUDGE, ALL = "judge", "all questions"


class Matched(Frozen):
    """Two raters on one dimension, or on all."""

    first: str
    second: str
    dimension: str
    n: int
    """Ratings that both gave; `cannot tell` counts for neither."""
    spearman: Correlation
    kappa: Kappa | None
    """Quadratic weights; None where the first gives no whole points, as a judge's mean over repeats."""
    top_two: float | None
    """Share of the two highest points in the second's ratings."""
    difference: float | None
    """Mean of the first less mean of the second: who is kinder."""


class Together(Frozen):
    """All raters on one dimension."""

    dimension: str
    alpha: Agreement


class ByHand(Frozen):
    """Everything `emoharbor agree` says of ratings by hand."""

    pack: str
    dialogues: int
    raters: tuple[str, ...]
    judge: str | None
    matched: tuple[Matched, ...]
    """The judge with each rater, then each two raters; over all questions first, then one by one."""
    together: tuple[Together, ...]
    """Krippendorff's alpha between raters, the judge left out; empty with one rater."""
    ceiling: str


def by_hand(run: "Run", pack: str | None = None, *, seed: Seed = 0) -> ByHand | None:
    """Compare, for the pack whose ratings came in last, or for a pack of one's choice; None without ratings.

    Raises:
        RunFolderError: when a file of ratings is broken.
    """
    packs = packs_of(run.folder)
    given = {name: ratings_of(run.folder, name) for name in packs if pack in (None, name)}
    came = {name: max(item.imported for item in found) for name, found in given.items() if found}
    if not came:
        return None
    last = max(came, key=lambda name: (came[name], name))
    return _compared(run, packs[last], given[last], seed)


def _compared(run: "Run", pack: Pack, given: Sequence[HandRatings], seed: Seed) -> ByHand:
    units = [(item, name) for item in pack.items for name in pack.dimensions]
    judge, judged_by = _judge(run, pack)
    tables = {JUDGE: _row(judge, units)} if judge else {}
    tables |= {
        item.rater: _row({(one.item, one.dimension): one.score for one in item.ratings}, units) for item in given
    }
    raters = [item.rater for item in given]
    dialogue = np.array([list(pack.items).index(item) for item, _ in units])
    two = [(JUDGE, rater) for rater in raters if judge] + list(combinations(raters, 2))
    matched, together = [], []
    for name in (ALL, *pack.dimensions):
        chosen = np.array([name in (ALL, dimension) for _, dimension in units])
        cluster = dialogue[chosen] if name == ALL else None
        for first, second in two:
            pair = (tables[first][chosen], tables[second][chosen])
            matched.append(_matched(first, second, name, pair, cluster, pack, seed))
        if len(raters) > 1:
            rows = np.stack([tables[rater][chosen] for rater in raters])
            alpha = krippendorff_alpha(rows, _domain(pack), cluster=cluster, seed=seed)
            together.append(Together(dimension=name, alpha=alpha))
    return ByHand(
        pack=pack.id,
        dialogues=len(pack.items),
        raters=tuple(raters),
        judge=judged_by,
        matched=tuple(matched),
        together=tuple(together),
        ceiling=_ceiling(raters),
    )


def _ceiling(raters: Sequence[str]) -> str:
    if len(raters) < 2:
        return "No ceiling is claimed: one rater cannot disagree with anybody."
    return (
        "How far raters agree with one another is what a judge can be held to; it is a figure of these raters and "
        "these dialogues, with an interval of its own."
    )


def _judge(run: "Run", pack: Pack) -> tuple[dict[tuple[str, str], float | None], str | None]:
    """Return the judge's own ratings (a mean over its repeats), and its name; nothing when it used another rubric."""
    items = {episode: item for item, episode in pack.items.items()}
    found: dict[tuple[str, str], float | None] = {}
    who = None
    for result in run.results():
        item = items.get(f"{result.profile}/{result.supporter}/{result.repeat}")
        own = [judgement for judgement in result.primary if judgement.rubric == pack.rubric.id]
        if item is None or not own:
            continue
        who = own[0].judge
        found |= {(item, name): score for name, score in mean_scores(own).items()}
    return found, who


def _matched(  # noqa: PLR0913, PLR0917 - what a comparison is made of
    first: str, second: str, dimension: str, pair: tuple[FloatArray, FloatArray], cluster: IntArray | None, pack: Pack,
    seed: Seed,
) -> Matched:  # fmt: skip
    a, b = pair
    both = ~(np.isnan(a) | np.isnan(b))
    domain = _domain(pack)
    whole = bool(np.isin(a[both], domain).all())
    return Matched(
        first=first,
        second=second,
        dimension=dimension,
        n=int(both.sum()),
        spearman=correlation(a, b, cluster=cluster, seed=seed),
        kappa=weighted_kappa(a, b, domain, cluster=cluster, seed=seed) if whole else None,
        top_two=float((b[both] >= pack.rubric.high - 1).mean()) if both.any() else None,
        difference=float(a[both].mean() - b[both].mean()) if both.any() else None,
    )


def _domain(pack: Pack) -> tuple[int, ...]:
    return tuple(range(pack.rubric.low, pack.rubric.high + 1))


def _row(scores: Mapping[tuple[str, str], float | None], units: Iterable[tuple[str, str]]) -> FloatArray:
    found = (scores.get(unit) for unit in units)
    return np.array([np.nan if score is None else score for score in found], dtype=np.float64)
