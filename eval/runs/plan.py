"""Which episodes a run consists of, in the order they are begun."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

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


def openings_ahead(plan: Sequence[EpisodeKey], ahead: int) -> Iterator[tuple[str, int] | EpisodeKey]:
    """Yield the plan with each opening (profile, repeat) put so many episodes before its first use.

    All episodes of one person wait for the same opening; made only when wanted, it would hold up as many places as
    there are supporters.
    """
    first_use: dict[tuple[str, int], int] = {}
    for index, key in enumerate(plan):
        first_use.setdefault((key.profile, key.repeat), index)
    waiting = deque(first_use.items())
    for index, key in enumerate(plan):
        while waiting and waiting[0][1] <= index + ahead:
            yield waiting.popleft()[0]
        yield key
