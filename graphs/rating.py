"""The judge alone, rating a finished dialogue: as oneself or as another, with the log or without, once more or again.

    START ─► judge ─► END

It starts from a stored state; the stance comes as the graph's context, so that one graph serves all ratings.
"""

from dataclasses import dataclass
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime as GraphRuntime
from langsmith.utils import tracing_is_enabled

from emoharbor.graphs.play import Scene, play
from emoharbor.graphs.table import GetPerson, Table
from emoharbor.graphs.traced import TRIMMED
from emoharbor.nodes.cast import Cast, Part
from emoharbor.state.episode import Channels, EpisodeState
from emoharbor.state.verdict import Stance

_JUDGED = {"verdict": None, "last": None, "faults": ()}
"""What a finished episode has and its rating begins without."""


@dataclass(frozen=True, slots=True)
class Rated:
    """How one rating is made.

    Attributes:
        stance: written into the judgement.
        profile: id of the profile to rate as; a recombined one has an id of its own.
    """

    stance: Stance
    profile: str


RatingGraph = CompiledStateGraph[Channels, Rated, Channels, Channels]


def build_rating(judge: Part, person: GetPerson) -> RatingGraph:
    """Compile the graph of one judge.

    Args:
        judge: who rates.
        person: looks a profile up by id, recombined ones included.
    """
    table = Table(Cast((), judge, {}), person)

    async def rate(state: Channels, config: RunnableConfig, runtime: GraphRuntime[Rated]) -> Channels:
        scene = Scene("judge", table, state, table.sitter(runtime.context.profile), runtime.context.stance, [])
        changes = await play(scene, config)
        if scene.faults:
            changes["faults"] = tuple(scene.faults)
        return changes

    graph = StateGraph(Channels, context_schema=Rated)
    trimmed = TRIMMED if tracing_is_enabled() else None
    # LangGraph's typing has no node that takes both config and runtime, though it passes both
    graph.add_node("judge", cast("Any", rate), trace_policy=trimmed)
    graph.add_edge(START, "judge")
    graph.add_edge("judge", END)
    return graph.compile(name="rating")


def to_be_rated(state: EpisodeState) -> EpisodeState:
    """Return a finished episode as its judge finds it."""
    return state.model_copy(update=_JUDGED)
