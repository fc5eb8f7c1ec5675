"""What all seats of one graph share."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from emoharbor.graphs.begin import EpisodeContext
from emoharbor.graphs.route import route
from emoharbor.nodes.cast import Cast
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.base import Role
from emoharbor.state.episode import Channels

GetPerson = Callable[[str], PartialProfile]
"""Looks a profile up by id; raises `ProfileError` for an unknown one."""
OnTurn = Callable[[Channels], Awaitable[None]]
"""Awaited with the whole state each time a turn is complete; a store makes it durable there."""


async def _nothing(state: Channels) -> None:
    """Do nothing when a turn is complete."""


@dataclass(frozen=True, slots=True)
class Table:
    """Who plays which role, and where the people come from."""

    cast: Cast
    person: GetPerson
    on_turn: OnTurn = _nothing
    defaults: EpisodeContext = field(default_factory=EpisodeContext)

    @property
    def chain(self) -> tuple[Role, ...]:
        """The user's roles in order."""
        return self.cast.chain

    @property
    def thinks(self) -> bool:
        """Whether the chain has an inner monologue, which then decides what is said and when to leave."""
        return any(role in ("think", "fused") for role in self.chain)

    def next(self, state: Channels) -> str:
        """The next node for a state."""
        return route(state, self.chain, judged=self.cast.judge is not None, supported=bool(self.cast.supporters))
