"""Going through a recorded dialogue once more, as somebody: they feel and think at each turn, and what is said stays.

It is the episode's own graph: the person's `feel` and `think`, a `speak` and a supporter that say what was said, and
the judge, who then reads the inner world that came of it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import EpisodeGraph, build_episode
from emoharbor.graphs.route import takes_in
from emoharbor.nodes.cast import Cast, Part
from emoharbor.nodes.contract import FusedNode, Request, RoleNode, Runtime
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.dialogue import Exchange, exchanges
from emoharbor.state.episode import Channels, EpisodeState
from emoharbor.state.errors import ConfigError
from emoharbor.state.updates import FusedUpdate, SpeakUpdate, SupporterUpdate
from emoharbor.state.verdict import Stance

_USE = "recorded"


def replaying(cast: Cast, profile: PartialProfile, talk: EpisodeState, stance: Stance) -> EpisodeGraph:
    """Compile the graph that goes through one talk as one person and rates it.

    Args:
        cast: who plays the person, and the judge.
        profile: who goes through it; may be somebody else than the one who spoke.
        talk: what was said.
        stance: how the judge rates.

    Raises:
        ConfigError: when the cast has no inner world.
    """
    if not takes_in(cast.chain):
        raise ConfigError("the run's user is [speak] alone, which has no inner world to be replayed")
    said = {item.turn: item for item in exchanges(talk.messages)}
    user = tuple(_silenced(part, said) for part in cast.user)
    supporters = {talk.supporter: _answering(said)}
    return build_episode(Cast(user, cast.judge, supporters), lambda _: profile, stance=stance, name="replay")


def begun(profile: PartialProfile, talk: EpisodeState) -> EpisodeState:
    """Return the state in which somebody begins to go through a talk."""
    context = EpisodeContext(
        supporter=talk.supporter, max_turns=max(1, len(exchanges(talk.messages))), seed=talk.seed, repeat=talk.repeat
    )
    return first_state(profile, context).model_copy(update={"recorded": True, "events": talk.events})


def _silenced(part: Part, said: Mapping[int, Exchange]) -> Part:
    """Return a role of the person whose message, if it has one, is the recorded one."""
    if part.role == "fused":
        return replace(part, node=_inwardly(cast("FusedNode", part.node), said))
    if part.role == "speak":
        return replace(part, use=_USE, model=None, node=_speaking(said))
    return part


def _speaking(said: Mapping[int, Exchange]) -> RoleNode:
    async def speak(state: Channels, runtime: Runtime) -> SpeakUpdate:
        del runtime
        return _message(said, state["turn"])

    return speak


def _inwardly(fused: FusedNode, said: Mapping[int, Exchange]) -> RoleNode:
    async def inward(state: Channels, runtime: Runtime) -> FusedUpdate:
        update = await fused(state, runtime)
        spoken = _message(said, state["turn"]) if state["turn"] in said else None
        return update.model_copy(update={"speak": spoken})

    return inward


def _message(said: Mapping[int, Exchange], turn: int) -> SpeakUpdate:
    found = said[turn]
    return SpeakUpdate(message=found.user, ends="over" if found.supporter is None else None)


def _answering(said: Mapping[int, Exchange]) -> Part:
    async def answer(request: Request) -> SupporterUpdate:
        return SupporterUpdate(message=said[request.turn].supporter or "")

    args: dict[str, Any] = {}
    return Part("supporter", _USE, args, "", None, answer)
