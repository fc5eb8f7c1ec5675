"""What all seats of one graph share."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import NamedTuple

from emoharbor.graphs.begin import EpisodeContext
from emoharbor.graphs.route import route
from emoharbor.nodes.cast import Cast
from emoharbor.profiles.bounds import bounds_of
from emoharbor.profiles.schema import PartialProfile
from emoharbor.profiles.views import with_facts
from emoharbor.state.base import Role
from emoharbor.state.bounds import Bounds
from emoharbor.state.episode import Channels
from emoharbor.state.verdict import Stance

GetPerson = Callable[[str], PartialProfile]
"""Looks a profile up by id; raises `ProfileError` for an unknown one."""
OnTurn = Callable[[Channels], Awaitable[None]]
"""Awaited with the whole state each time a turn is complete; a store makes it durable there."""


async def _nothing(state: Channels) -> None:
    """Do nothing when a turn is complete."""


class Sitter(NamedTuple):
    """The person an episode is about, with the limits that follow from the profile."""

    profile: PartialProfile
    bounds: Bounds


@dataclass(frozen=True)
class Table:
    """Who plays which role, and where the people come from.

    Attributes:
        cast: who plays which role.
        person: where the people come from.
        on_turn: awaited when a turn is complete.
        defaults: how an episode begins that says nothing about it.
        stance: how the judge rates.
    """

    cast: Cast
    person: GetPerson
    on_turn: OnTurn = _nothing
    defaults: EpisodeContext = field(default_factory=EpisodeContext)
    stance: Stance = field(default_factory=lambda: Stance(own=True))

    @cached_property
    def sitter(self) -> Callable[[str], Sitter]:
        """Looks up who an episode is about; worked out once for each person."""

        def look_up(profile_id: str) -> Sitter:
            profile = self.person(profile_id)
            return Sitter(profile, bounds_of(profile))

        return cache(look_up)

    @cached_property
    def chain(self) -> tuple[Role, ...]:
        """The user's roles in order."""
        return self.cast.chain

    @cached_property
    def thinks(self) -> bool:
        """Whether the chain has an inner monologue, which then decides what is said and when to leave."""
        return any(role in ("think", "fused") for role in self.chain)

    @cached_property
    def feels(self) -> bool:
        """Whether the chain has feelings that move."""
        return any(role in ("feel", "fused") for role in self.chain)

    @cached_property
    def shown(self) -> Callable[[str, tuple[str, ...]], PartialProfile]:
        """The profile of a person as `speak` sees it, with these guarded facts; made once for each set of facts."""
        return cache(lambda profile_id, facts: with_facts(self.sitter(profile_id).profile, frozenset(facts)))

    def implementation(self, role: Role, state: Channels) -> str:
        """The name of who plays a role in a state; empty for a supporter the graph does not have."""
        if role != "supporter":
            return self.cast.part(role).name
        found = self.cast.supporters.get(state["supporter"])
        return found.name if found else ""

    def next(self, state: Channels) -> str:
        """The next node for a state."""
        return route(state, self.chain, judged=self.cast.judge is not None, supported=bool(self.cast.supporters))
