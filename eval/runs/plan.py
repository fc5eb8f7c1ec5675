"""Which episodes a run consists of, in the order they are begun."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import Field

from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.runs.shard import Shard, part_of
from emoharbor.state.base import Frozen
from emoharbor.state.errors import ConfigError

if TYPE_CHECKING:
    from emoharbor.eval.runs.manifest import Manifest


class Selection(Frozen):
    """A part of a run; empty means everything."""

    profiles: tuple[str, ...] = ()
    supporters: tuple[str, ...] = ()
    shard: Shard | None = None
    limit: Annotated[int, Field(ge=1)] | None = None
    """At most this many episodes, the first of the plan."""


def make_plan(profiles: Sequence[str], supporters: Sequence[str], repeats: int) -> list[EpisodeKey]:
    """Return every episode in order.

    Repeats come outermost, so that a run cut short has seen everybody once; the episodes of one person and repeat
    stand together, since they share an opening.
    """
    return [
        EpisodeKey(profile=profile, supporter=supporter, repeat=repeat)
        for repeat in range(repeats)
        for profile in profiles
        for supporter in supporters
    ]


def planned(manifest: "Manifest") -> list[EpisodeKey]:
    """Return every episode that a run's manifest asks for.

    Of a shard, those of its part; of a branch, the one; of a replay, those that were recorded.
    """
    config = manifest.config
    plan = make_plan(list(manifest.profiles), [item.name for item in config.supporters], config.run.repeats)
    if manifest.branch_of is not None:
        repeat = EpisodeKey.parse(manifest.branch_of.episode).repeat
        plan = [key for key in plan if key.repeat == repeat]
    if manifest.replay is not None:
        plan = [key for key in plan if f"{key.profile}/{key.supporter}" in manifest.replay.turns]
    return part_of(plan, manifest.shard)


def select(plan: Iterable[EpisodeKey], only: Selection) -> list[EpisodeKey]:
    """Return the part of a plan that is asked for.

    Raises:
        ConfigError: when a profile or supporter asked for is not in the plan; names those that are.
    """
    keys = list(plan)
    _known("profile", only.profiles, [key.profile for key in keys])
    _known("supporter", only.supporters, [key.supporter for key in keys])
    kept = [
        key
        for key in part_of(keys, only.shard)
        if (not only.profiles or key.profile in only.profiles)
        and (not only.supporters or key.supporter in only.supporters)
    ]
    return kept[: only.limit]


def _known(what: str, wanted: Iterable[str], there: Iterable[str]) -> None:
    names = list(dict.fromkeys(there))
    for name in wanted:
        if name not in names:
            raise ConfigError(f"no {what} of this run is called {name!r}; it has: {', '.join(names)}")


class Unit(NamedTuple):
    """What one place does next: make openings (profile, repeat), then play an episode, if any."""

    openings: tuple[tuple[str, int], ...]
    episode: EpisodeKey | None


def units_of(plan: Sequence[EpisodeKey], ahead: int) -> Iterator[Unit]:
    """Yield the plan with each opening put so many episodes before its first use.

    All episodes of one person wait for the same opening; made only when wanted, it would hold up as many places as
    there are supporters. The openings of the first episodes are dealt out one by one; each later one goes to a place
    that then plays an episode. Dealt out alone, they would fall to a few places, which would end long after the others.
    """
    first_use: dict[tuple[str, int], int] = {}
    for index, key in enumerate(plan):
        first_use.setdefault((key.profile, key.repeat), index)
    waiting = deque(first_use.items())
    while waiting and waiting[0][1] < ahead:
        yield Unit((waiting.popleft()[0],), None)
    for index, key in enumerate(plan):
        due: list[tuple[str, int]] = []
        while waiting and waiting[0][1] <= index + ahead:
            due.append(waiting.popleft()[0])
        yield Unit(tuple(due), key)
