"""Another way to think: a person who tells nothing of what they hold back until some turns have gone by."""

from emoharbor.nodes.contract import Runtime, ThinkNode
from emoharbor.nodes.models.protocol import ChatModel
from emoharbor.nodes.offline.think import offline_think
from emoharbor.nodes.think import llm_think
from emoharbor.state.episode import Channels
from emoharbor.state.updates import ThinkUpdate


def stoic_think(model: ChatModel | None = None, patience: int = 3) -> ThinkNode:
    """Think as the built-in does, and be slower to tell.

    Args:
        model: thinks, if given; else the rule-based `think` does, and no key is needed.
        patience: turns before anything held back may be told.
    """
    usual = llm_think(model) if model else offline_think()

    async def think(state: Channels, runtime: Runtime) -> ThinkUpdate:
        update = await usual(state, runtime)
        thought = update.thought
        if state["turn"] >= patience or not thought.release:
            return update
        runtime.note("stoic", f"kept back: {', '.join(thought.release)}")
        kept = thought.model_copy(update={"release": (), "intention": "elaborate", "gist": ""})
        return update.model_copy(update={"thought": kept})

    return think
