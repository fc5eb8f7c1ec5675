"""What `speak` decides when no `think` does: the person is lived through again from the dialogue alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from langchain_core.messages import AnyMessage

from emoharbor.nodes.disclosure import find_disclosures
from emoharbor.nodes.offline.feel import appraise
from emoharbor.nodes.offline.think import decide
from emoharbor.profiles.bounds import bounds_of, starting_world
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.episode import Channels
from emoharbor.state.event import Event
from emoharbor.state.inner_world import Disclosure, InnerWorld, Intention
from emoharbor.state.reducers import apply_disclosures, apply_feel, apply_think

Ends = Literal["satisfied", "gave_up"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do with the next message.

    Attributes:
        intention: as `think` would have it.
        world: the inner world it rests on.
        ends: how the talk ends, when `speak` has to say so itself.
    """

    intention: Intention
    world: InnerWorld
    ends: Ends | None


def decide_alone(state: Channels, profile: PartialProfile, max_turns: int) -> Decision:
    """Decide from the dialogue; a `feel` in the chain is believed for distress, trust and what it appraised."""
    felt = state["inner"]
    world = relive(state["messages"], profile, max_turns, felt.disclosed, state.get("events", ()))[-1]
    if felt.appraisal is not None:
        world = world.model_copy(update={"distress": felt.distress, "trust": felt.trust, "appraisal": felt.appraisal})
    thought = world.thought
    if thought is None or thought.wants_to_continue:
        return Decision(thought.intention if thought else "elaborate", world, None)
    return Decision("leave", world, "satisfied" if thought.got_what_i_came_for else "gave_up")


def relive(
    messages: Sequence[AnyMessage],
    profile: PartialProfile,
    max_turns: int,
    disclosed: Sequence[Disclosure] = (),
    events: tuple[Event, ...] = (),
) -> tuple[InnerWorld, ...]:
    """Return the inner worlds that the offline feel and think come to, turn by turn, for a dialogue.

    Args:
        messages: the dialogue, the person and the supporter by turns.
        profile: the person.
        max_turns: the turn cap.
        disclosed: what is known to have been told; what is not is looked for in the messages.
        events: what happened on the way, as far as it is known.
    """
    bounds, world = bounds_of(profile), starting_world(profile)
    facts = profile.situation.guarded if profile.situation else ()
    worlds: list[InnerWorld] = []
    for turn in range(len(messages) // 2 + 1):
        heard = 2 * turn
        so_far: Channels = {
            "profile_id": profile.id, "messages": list(messages[:heard]), "worlds": tuple(worlds), "turn": turn,
            "inner": world, "events": events,
        }  # fmt: skip
        world, _ = apply_feel(world, appraise(so_far, profile), bounds, turn)
        so_far["inner"] = world
        update = decide(so_far, profile, max_turns, Random(0))  # noqa: S311 - the wording of a monologue nobody reads
        world, _ = apply_think(world, update, bounds, turn)
        worlds.append(world)
        if heard < len(messages):
            known = [item for item in disclosed if item.turn == turn]
            found = find_disclosures(messages[heard].text, (), facts, world, turn)
            world, _ = apply_disclosures(world, [*known, *found], "speak", turn)
    return tuple(worlds)
