"""One person, one supporter, one verdict.

    START ─► feel ─► think ─► speak ─► supporter ─► feel …      until they leave or the turn cap
                       └────────┴────► judge ─► END

START is the only conditional edge; each node goes on by `Command(goto=route(state))`, which costs half of what
conditional edges cost and keeps the state out of the trace.
"""

from typing import Any, cast

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langsmith.utils import tracing_is_enabled

from emoharbor.graphs.begin import EpisodeContext
from emoharbor.graphs.route import takes_in
from emoharbor.graphs.seat import seat
from emoharbor.graphs.table import GetPerson, OnTurn, Table
from emoharbor.graphs.traced import TRIMMED
from emoharbor.nodes.cast import Cast
from emoharbor.state.base import Role
from emoharbor.state.episode import Channels

EpisodeGraph = CompiledStateGraph[Channels, EpisodeContext, Channels, Channels]
STEPS_A_TURN = 4


def build_episode(
    parts: Cast,
    person: GetPerson,
    *,
    on_turn: OnTurn | None = None,
    name: str = "episode",
) -> EpisodeGraph:
    """Compile the graph of a cast: once for a run, not for each episode.

    Args:
        parts: who plays which role; without supporters it is the person alone, without a judge nobody rates.
        person: looks a profile up by id.
        on_turn: awaited with the whole state each time a turn is complete.
        name: the name of the graph in traces.
    """
    table = Table(parts, person) if on_turn is None else Table(parts, person, on_turn)
    roles: list[Role] = [*parts.chain]
    roles += ["supporter"] if parts.supporters else []
    roles += ["judge"] if parts.judge else []
    graph = StateGraph(Channels, context_schema=EpisodeContext)
    # LangGraph would trim the input of every node for nobody
    trimmed = TRIMMED if tracing_is_enabled() else None
    for role in roles:
        # LangGraph's typing has no node that takes both config and runtime, though it passes both
        graph.add_node(role, cast("Any", seat(role, table)), destinations=_onward(role, parts), trace_policy=trimmed)

    async def enter(state: Channels) -> str:
        return table.next(state)

    graph.add_conditional_edges(START, enter, [*roles, END])
    return graph.compile(name=name)


def step_limit(max_turns: int) -> int:
    """Return LangGraph's recursion limit for an episode: its own default of 10007 would not stop a runaway loop."""
    return STEPS_A_TURN * (max_turns + 1) + 5


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
