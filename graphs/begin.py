"""The first state of an episode."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from emoharbor.nodes.briefing import Briefing, brief
from emoharbor.nodes.pressure import Pressure, events_of
from emoharbor.profiles.bounds import starting_world
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.base import Frozen
from emoharbor.state.episode import MAX_TURNS, Channels, EpisodeState
from emoharbor.state.inner_world import InnerWorld

_PLAIN = ("inner", "outcome", "verdict", "events")
"""Channels that hold values of ours and have no reducer that would read them from JSON."""


class EpisodeContext(Frozen):
    """How an episode begins; in Studio these are the fields of the context form."""

    supporter: str = "attuned"
    """Name of one of the graph's supporters."""
    max_turns: Annotated[int, Field(ge=1)] = MAX_TURNS
    briefing: Briefing = "none"
    seed: int = 0
    repeat: Annotated[int, Field(ge=0)] = 0
    pressure: Pressure = Pressure()


def first_state(profile: PartialProfile, context: EpisodeContext) -> EpisodeState:
    """Return the state before the first node: the person as they come, nothing said."""
    return EpisodeState(
        profile_id=profile.id,
        supporter=context.supporter,
        repeat=context.repeat,
        seed=context.seed,
        max_turns=context.max_turns,
        briefing=brief(profile, context.briefing),
        events=events_of(
            context.pressure, profile, seed=context.seed, repeat=context.repeat, max_turns=context.max_turns
        ),
        inner=starting_world(profile),
    )


def completed(state: Channels, profile: PartialProfile, context: EpisodeContext) -> tuple[Channels, Channels]:
    """Return the state with every missing field filled in, and the fields that were filled.

    A whole state passes through unchanged. In Studio the input may be `{"profile_id": ...}` alone; what the context
    says is then written into the state, since LangGraph does not remember a context between a thread's runs. A state
    that a server received as JSON becomes values here; of an inner world that somebody edited there, what they left
    out stays as it was.

    Raises:
        pydantic.ValidationError: naming the field of an input that is no state.
    """
    if "last" in state and isinstance(state.get("inner"), InnerWorld):
        return state, {}  # type: ignore[typeddict-item]  # nothing was missing
    given = {**first_state(profile, context).channels(), **state, **_edited(state)}
    whole = EpisodeState.from_channels(given).channels()
    filled: Channels = {key: value for key, value in whole.items() if key not in state or key in _PLAIN}  # type: ignore[assignment]  # keys of Channels
    return whole, filled


def _edited(state: Channels) -> dict[str, object]:
    inner: object = state.get("inner")
    worlds = state.get("worlds")
    return {"inner": {**dict(worlds[-1]), **inner}} if isinstance(inner, Mapping) and worlds else {}
