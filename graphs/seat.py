"""The wrapper around every node: fills in a first state, plays the role, decides the ending, goes to the next node."""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime as GraphRuntime
from langgraph.types import Command

from emoharbor.graphs.begin import EpisodeContext, completed
from emoharbor.graphs.play import Scene, play
from emoharbor.graphs.route import SPEAKS, at_cap, parting
from emoharbor.graphs.table import Table
from emoharbor.state.base import Role
from emoharbor.state.edits import edits_between
from emoharbor.state.episode import Channels, keep_by_turn
from emoharbor.state.shift import Shift

Seat = Callable[[Channels, RunnableConfig, GraphRuntime[EpisodeContext]], Awaitable[Command[Any]]]


def seat(role: Role, table: Table) -> Seat:
    """Return the LangGraph node that plays `role`. LangGraph's own control-flow exceptions pass through it."""

    async def run(state: Channels, config: RunnableConfig, runtime: GraphRuntime[EpisodeContext]) -> Command[Any]:
        sitter = table.sitter(state["profile_id"])
        whole, filled = completed(state, sitter.profile, runtime.context or table.defaults)
        if role == table.chain[0] and whole["last"] == "supporter":
            await table.on_turn(whole)
        scene = Scene(role, table, whole, sitter, table.stance, [])
        changes = await play(scene, config)
        after: Channels = {**whole, **changes}
        if after["outcome"] is None:
            end = at_cap(after, role, table.chain)
            if end is None and role in SPEAKS and not whole.get("recorded"):
                # where nobody feels, distress and trust stand still, and say nothing about whether the talk does
                worlds = keep_by_turn(whole["worlds"], changes.get("worlds", ())) if table.feels else ()
                end = parting(after["inner"], worlds, [*whole["messages"], *changes.get("messages", ())])
            if end is not None:
                changes["outcome"], changes["outcome_reason"] = end
                after["outcome"] = end[0]
        if scene.faults:
            changes["faults"] = tuple(scene.faults)
        # after the supporter, a role of the person leaves a new inner world, and the edit is seen there
        if role != "supporter" and (edits := _edits(whole)):
            changes["shifts"] = (*edits, *changes.get("shifts", ()))
        return Command(update={**filled, **changes}, goto=table.next(after))

    return run


def _edits(state: Channels) -> tuple[Shift, ...]:
    """Return what somebody changed in the inner world since the last role left it, as Studio lets one do."""
    if not state["worlds"] or (left := state["worlds"][-1]) is state["inner"]:
        return ()
    return edits_between(left, state["inner"], state["turn"])
