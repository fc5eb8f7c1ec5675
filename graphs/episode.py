"""One person, one supporter, one verdict.

    START ─► feel ─► think ─► speak ─► supporter ─► feel …      until they leave or the turn cap
                       └────────┴────► judge ─► END

START is the only conditional edge; each node goes on by `Command(goto=route(state))`, which costs half of what
conditional edges cost and keeps the state out of the trace.
"""

from dataclasses import replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langsmith.utils import tracing_is_enabled

from emoharbor.graphs.begin import EpisodeContext
from emoharbor.graphs.route import takes_in
from emoharbor.graphs.seat import seat
from emoharbor.graphs.table import GetPerson, OnTurn, Table
from emoharbor.graphs.traced import TRIMMED
from emoharbor.nodes.cast import Cast
from emoharbor.state.base import Role
from emoharbor.state.episode import Channels
from emoharbor.state.verdict import Stance

EpisodeGraph = CompiledStateGraph[Channels, EpisodeContext, Channels, Channels]
STEPS_A_TURN = 4


def build_episode(  # noqa: PLR0913 - who plays, and what happens beside; all but the first two keyword-only
    parts: Cast,
    person: GetPerson,
    *,
    on_turn: OnTurn | None = None,
    stance: Stance | None = None,
    name: str = "episode",
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    editable: bool = False,
) -> EpisodeGraph:
    """Compile the graph of a cast: once for a run, not for each episode.

    Args:
        parts: who plays which role; without supporters it is the person alone, without a judge nobody rates.
        person: looks a profile up by id.
        on_turn: awaited with the whole state each time a turn is complete.
        stance: how the judge rates; by default as the run's own does, as oneself, with the log if there is one.
        name: the name of the graph in traces.
        checkpointer: keeps the state while a human supporter is waited for; a server brings its own.
        editable: whether a state that somebody edits between two nodes goes on from there, as Studio lets one do.
            Only edges are followed after such an edit, and they cost half as much again as a `Command`.
    """
    own = Stance(own=True, with_log=takes_in(parts.chain))
    table = Table(parts, person, stance=stance or own)
    if on_turn is not None:
        table = replace(table, on_turn=on_turn)
    roles: list[Role] = [*parts.chain]
    roles += ["supporter"] if parts.supporters else []
    roles += ["judge"] if parts.judge else []
    graph = StateGraph(Channels, context_schema=EpisodeContext)
    # LangGraph would trim the input of every node for nobody
    trimmed = TRIMMED if tracing_is_enabled() else None

    async def enter(state: Channels) -> str:
        return table.next(state)

    for role in roles:
        onward = _onward(role, parts)
        graph.add_node(
            role, _node(role, table, editable=editable), destinations=None if editable else onward, trace_policy=trimmed
        )
        if editable:
            graph.add_conditional_edges(role, enter, list(onward))
    graph.add_conditional_edges(START, enter, [*roles, END])
    return graph.compile(checkpointer, name=name)


def step_limit(max_turns: int) -> int:
    """Return LangGraph's recursion limit for an episode: its own default of 10007 would not stop a runaway loop."""
    return STEPS_A_TURN * (max_turns + 1) + 5


def _node(role: Role, table: Table, *, editable: bool) -> Any:
    """Return the seat of a role as LangGraph takes it: its typing has no node of both config and runtime."""
    play = seat(role, table)
    if not editable:
        return play

    async def stay(state: Channels, config: RunnableConfig, runtime: Runtime[EpisodeContext]) -> Any:
        return (await play(state, config, runtime)).update

    return stay


def _onward(role: Role, parts: Cast) -> tuple[str, ...]:
    """Where a node may go, for the drawing; `route` decides."""
    chain = parts.chain
    end: tuple[str, ...] = ("judge",) if parts.judge else ()
    if role == "judge":
        return (END,)
    if role == "supporter":
        leaves = () if takes_in(chain) else end
        return (chain[0], *leaves, END)
    after = chain.index(role) + 1
    if after < len(chain):
        closes = end if chain[after] == "speak" else ()
        return (chain[after], *closes, END)
    return (*(("supporter",) if parts.supporters else ()), *end, END)
