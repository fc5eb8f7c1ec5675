"""The offline `fused`: the offline feel, think and speak one after the other, handed back as one update.

With the same seeds it does what the three roles do as a chain. So it plays the ablation without showing anything of
what fusing does to a model.
"""

from dataclasses import replace

from emoharbor.nodes.contract import FusedNode, Runtime
from emoharbor.nodes.offline.feel import offline_feel
from emoharbor.nodes.offline.speak import offline_speak
from emoharbor.nodes.offline.think import offline_think
from emoharbor.nodes.views import state_for
from emoharbor.profiles.bounds import bounds_of
from emoharbor.profiles.views import with_facts
from emoharbor.state.base import Role
from emoharbor.state.episode import Channels, keep_by_turn
from emoharbor.state.inner_world import InnerWorld
from emoharbor.state.reducers import apply_feel, apply_think
from emoharbor.state.seeds import derive_seed
from emoharbor.state.updates import FusedUpdate


def offline_fused() -> FusedNode:
    """Make the rule-based `fused`. Each part draws on the seed that it has as a role of its own."""
    feel, think, speak = offline_feel(), offline_think(), offline_speak()

    async def fused(state: Channels, runtime: Runtime) -> FusedUpdate:
        turn, bounds, again = state["turn"], bounds_of(runtime.profile), bool(runtime.complaint)

        def playing(role: Role) -> Runtime:
            seed = derive_seed(state["seed"], state["profile_id"], state["repeat"], role, turn)
            return replace(runtime, seed=seed + again)

        felt = await feel(state, playing("feel"))
        state = _after(state, apply_feel(state["inner"], felt, bounds, turn)[0])
        thought = await think(state, playing("think"))
        state = _after(state, apply_think(state["inner"], thought, bounds, turn)[0])
        if turn >= state["max_turns"]:
            return FusedUpdate(feel=felt, think=thought)
        shown = with_facts(runtime.profile, frozenset(state["inner"].released))
        message = await speak(state_for("speak", state, thinks=True), replace(playing("speak"), profile=shown))
        return FusedUpdate(feel=felt, think=thought, speak=message)

    return fused


def _after(state: Channels, world: InnerWorld) -> Channels:
    return {**state, "inner": world, "worlds": keep_by_turn(state["worlds"], (world,))}
