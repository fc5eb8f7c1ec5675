"""Two episodes side by side: one person with two supporters, or one pair in two runs whose nodes differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from starlette.requests import Request
from starlette.responses import Response

from emoharbor.eval.record import EpisodeKey, EpisodeRecord
from emoharbor.eval.runs.differences import differences
from emoharbor.eval.viewer.desk import Desk, desk_of, episode_url, page
from emoharbor.eval.viewer.episode import TurnView, groups, name_of, turn_views
from emoharbor.eval.viewer.episode_page import primary
from emoharbor.eval.viewer.figures import trajectory
from emoharbor.eval.viewer.open_run import OpenRun
from emoharbor.state.verdict import Scores


@dataclass(frozen=True, slots=True)
class _Choice:
    """One of the two selects."""

    id: str
    label: str
    value: str
    options: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two episodes. `short` tells it from the other in a chart."""

    run: str
    who: str
    short: str
    href: str
    record: EpisodeRecord
    scores: Scores | None
    views: Sequence[TurnView]


@dataclass(frozen=True, slots=True)
class _Rated:
    """A dimension in both."""

    name: str
    one: int | None
    other: int | None
    difference: int | None


def compare(request: Request) -> Response:
    """Answer with two episodes, or with the choice of them."""
    desk = desk_of(request)
    texts = [request.query_params.get(side, "") for side in "ab"]
    found = [_find(desk, text) for text in texts]
    sides = [
        _Choice("a", "This episode", texts[0], _options(desk, found[0], found[0], texts[0])),
        _Choice("b", "beside", texts[1], _options(desk, found[0], found[1], texts[1])),
    ]
    if found[0] is None or found[1] is None:
        return page(request, "compare.html", "Side by side", _crumbs(found[0]), sides=sides, pair=None)
    (run_a, key_a), (run_b, key_b) = found[0], found[1]
    other_run = run_a.slug != run_b.slug
    pair = [_side(run_a, key_a, other_run=other_run), _side(run_b, key_b, other_run=other_run)]
    one, other = pair
    return page(
        request, "compare.html", f"{one.short} beside {other.short}", _crumbs(found[0]), sides=sides, pair=pair,
        figure=trajectory([one.record, other.record], [one.short, other.short]), ratings=_ratings(one, other),
        turns=list(zip_longest(one.views, other.views)), parted=_parted(one.views, other.views),
        differences=differences(run_a.manifest, run_b.manifest) if other_run else [],
    )  # fmt: skip


def _find(desk: Desk, text: str) -> tuple[OpenRun, EpisodeKey] | None:
    slug, _, key = text.partition(":")
    return (desk.library.get(slug), EpisodeKey.parse(key)) if key else None


def _options(
    desk: Desk, first: tuple[OpenRun, EpisodeKey] | None, chosen: tuple[OpenRun, EpisodeKey] | None, value: str
) -> list[tuple[str, str]]:
    """Offer the episodes of the same person, in this run and in the others; without a first one, the newest run's."""
    options: list[tuple[str, str]] = [("", "choose an episode")]
    shelves = desk.library.shelves()
    if first is None:
        newest = next((item for item in shelves if item.manifest is not None), None)
        keys = desk.library.get(newest.slug).run.planned()[:400] if newest else []
        return options + [(f"{newest.slug}:{key}", str(key)) for key in keys if newest]
    profile = first[1].profile
    for item in shelves:
        if item.manifest is None or profile not in item.manifest.profiles:
            continue
        begun = desk.library.get(item.slug).lines() or ()
        found = [line.key for line in begun if line.key.profile == profile]
        options += [(f"{item.slug}:{key}", f"{key} in {item.name}") for key in found]
    if chosen is not None and value not in dict(options):
        options.append((value, str(chosen[1])))
    return options


def _side(run: OpenRun, key: EpisodeKey, *, other_run: bool) -> _Side:
    record = run.record(key)
    person = run.person(key.profile)
    verdict = primary(record)
    short = f"{key.supporter} ({run.name})" if other_run else f"{key.supporter}{f' {key.repeat}' if key.repeat else ''}"
    return _Side(
        run=run.name, who=name_of(person), short=short, href=episode_url(run.slug, key), record=record,
        scores=verdict.scores if verdict else None, views=turn_views(record, person),
    )  # fmt: skip


def _ratings(one: _Side, other: _Side) -> list[_Rated]:
    scores = [_scores(side.record) for side in (one, other)]
    names = dict.fromkeys([*scores[0], *scores[1]])
    rows = []
    for name in names:
        left, right = scores[0].get(name), scores[1].get(name)
        rows.append(_Rated(name, left, right, None if left is None or right is None else right - left))
    return rows


def _scores(record: EpisodeRecord) -> dict[str, int | None]:
    verdict = primary(record)
    found = groups(verdict) if verdict else []
    return {rating.dimension: rating.score for group in found for rating in group.ratings}


def _parted(one: Sequence[TurnView], other: Sequence[TurnView]) -> int | None:
    """Return the first turn in which the two say different things."""
    for number, (left, right) in enumerate(zip_longest(one, other)):
        if left is None or right is None or (left.user, left.supporter) != (right.user, right.supporter):
            return number
    return None


def _crumbs(first: tuple[OpenRun, EpisodeKey] | None) -> list[tuple[str, str]]:
    way = [("runs", "/")]
    if first is not None:
        run, key = first
        way += [(run.name, f"/r/{run.slug}"), (str(key), episode_url(run.slug, key))]
    return [*way, ("side by side", "")]
