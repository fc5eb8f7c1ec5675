"""Who sees what: the state as each role may see it. These rules hold for every implementation, ours or not.

Of the profile, `speak` sees a guarded fact once `think` has released it (`emoharbor.profiles.views`).
"""

from typing import Literal

from emoharbor.state.base import Role
from emoharbor.state.episode import Channels
from emoharbor.state.inner_world import InnerWorld

_NOT_THEIRS: tuple[Literal["supporter", "briefing", "recorded", "faults"], ...] = (
    "supporter", "briefing", "recorded", "faults",
)  # fmt: skip
"""What no role of the person and no judge sees: whom they talk with, what it was told, whether all this was long ago,
what went wrong backstage."""
_SPEAKER = ("profile_id", "repeat", "turn", "max_turns", "last", "messages", "inner", "events")


def state_for(role: Role, state: Channels, *, thinks: bool, with_log: bool = True, shared: bool = False) -> Channels:
    """Return what `role` may see of the state.

    Args:
        role: the seat.
        state: the whole state.
        thinks: whether the chain has a `think`; if so, `speak` gets only what came out of it.
        with_log: whether the judge may read the inner-world log.
        shared: whether the messages may be the state's own; else they are copies, so that whoever changes them changes
            nothing but their own.
    """
    if role == "speak" and thinks:
        seen: Channels = {key: state[key] for key in _SPEAKER if key in state}  # type: ignore[literal-required, assignment]  # the keys are literal above
        seen["inner"] = _outward(state["inner"])
        return _their_own(seen, shared=shared)
    blind: Channels = {**state}
    for name in _NOT_THEIRS:
        blind.pop(name, None)
    if role == "judge" and not with_log:
        blind["worlds"], blind["shifts"] = (), ()
        blind.pop("inner", None)
    if role == "judge":
        blind.pop("events", None)  # it rates the talk, and knows of the rest what was said or felt
    return _their_own(blind, shared=shared)


def _their_own(state: Channels, *, shared: bool) -> Channels:
    """Leave out the events to come, and part the messages from those of the state."""
    if not shared and "messages" in state:
        state["messages"] = [message.model_copy() for message in state["messages"]]
    if events := state.get("events"):
        state["events"] = tuple(event for event in events if event.turn <= state["turn"])
    return state


def _outward(world: InnerWorld) -> InnerWorld:
    """The inner world without the parts of the thought that are for nobody's ears."""
    if world.thought is None:
        return world
    quiet = {"monologue": "(kept to oneself)", "view_of_supporter": "", "continue_reason": ""}
    return world.model_copy(update={"thought": world.thought.model_copy(update=quiet)})
