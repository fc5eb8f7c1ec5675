"""What the trace of a node shows beside what it gave back: a trimmed input, what it proposed, who played it when."""

from langchain_core.callbacks import AsyncCallbackManager
from langchain_core.runnables import RunnableConfig
from langchain_core.tracers.langchain import LangChainTracer
from langgraph.types import TracePolicy

from emoharbor.graphs.shown import shown
from emoharbor.state.updates import JudgeUpdate, NodeUpdate, SupporterUpdate

PROPOSED = "emoharbor.proposed"
"""Name of the custom event with what a role proposed, before the person's limits."""
TRIMMED = TracePolicy(process_inputs=shown)
"""Affects tracers only; callbacks of the node itself get the whole state."""


def listeners(config: RunnableConfig) -> AsyncCallbackManager | None:
    """Return who listens to the run of a node, or None when nobody does."""
    manager = config.get("callbacks")
    return manager if isinstance(manager, AsyncCallbackManager) and manager.handlers else None


async def tell_proposal(manager: AsyncCallbackManager, update: NodeUpdate) -> None:
    """Tell whoever listens to a node what it proposed. A verdict is taken as it is, so it is in the node's output."""
    if manager.parent_run_id is not None and not isinstance(update, JudgeUpdate | SupporterUpdate):
        await manager.on_custom_event(PROPOSED, update, run_id=manager.parent_run_id)


def mark(manager: AsyncCallbackManager, turn: int, implementation: str) -> None:
    """Write into a node's LangSmith run which turn it is and who plays it, to filter by. Does nothing without one."""
    for handler in manager.handlers:
        if isinstance(handler, LangChainTracer) and (run := handler.run_map.get(str(manager.parent_run_id))):
            # LangChain shares one dict of metadata between the runs of a graph
            run.extra["metadata"] = {**run.metadata, "turn": turn, "implementation": implementation}
