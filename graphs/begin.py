"""The first state of an episode."""

from typing import Annotated

from pydantic import Field

from emoharbor.nodes.briefing import Briefing, brief
from emoharbor.profiles.bounds import starting_world
from emoharbor.profiles.schema import PartialProfile, Profile
from emoharbor.state.base import Frozen
from emoharbor.state.episode import MAX_TURNS, Channels, EpisodeState
from emoharbor.state.inner_world import InnerWorld

_PLAIN = ("inner", "outcome", "verdict")
"""Channels that hold values of ours and have no reducer that would read them from JSON."""


class EpisodeContext(Frozen):
    """How an episode begins; in Studio these are the fields of the context form."""

    supporter: str = "attuned"
    """Name of one of the graph's supporters."""
    max_turns: Annotated[int, Field(ge=1)] = MAX_TURNS
    briefing: Briefing = "none"
    seed: int = 0
    repeat: Annotated[int, Field(ge=0)] = 0


def first_state(profile: PartialProfile, context: EpisodeContext) -> EpisodeState:
    """Return the state before the first node: the person as they come, nothing said."""
    return EpisodeState(
        profile_id=profile.id,
        supporter=context.supporter,
        repeat=context.repeat,
        seed=context.seed,
        max_turns=context.max_turns,
        briefing=brief(profile, context.briefing) if isinstance(profile, Profile) else "",
        inner=starting_world(profile),
    )


def completed(state: Channels, profile: PartialProfile, context: EpisodeContext) -> tuple[Channels, Channels]:
    """Return the state with every missing field filled in, and the fields that were filled.

    A whole state passes through unchanged. In Studio the input may be `{"profile_id": ...}` alone; what the context
    says is then written into the state, since LangGraph does not remember a context between a thread's runs. A state
    that a server received as JSON becomes values here.

    Raises:
        pydantic.ValidationError: naming the field of an input that is no state.
    """
    if "last" in state and isinstance(state.get("inner"), InnerWorld):
        return state, {}  # type: ignore[typeddict-item]  # nothing was missing
    given = {**first_state(profile, context).channels(), **state}
    whole = EpisodeState.from_channels(given).channels()
    filled: Channels = {key: value for key, value in whole.items() if key not in state or key in _PLAIN}  # type: ignore[assignment]  # keys of Channels
    return whole, filled
