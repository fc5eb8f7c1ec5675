"""An agent to test: LangGraph, with a memory of its own, and rules in place of a model, so that it needs no key."""

from typing import Any

from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph

from emoharbor.nodes.contract import Send, Supporter
from emoharbor.nodes.supporters.runnable import runnable_supporter

QUESTIONS = (
    "What has been the hardest part of it?",
    "How long have you been carrying this?",
    "Who else knows?",
    "What would you want to be different?",
)


class Memory(MessagesState, total=False):
    """The dialogue, and how many questions were asked. The checkpointer keeps it from turn to turn."""

    asked: int


def listen(state: Memory) -> str:
    """Ask while there is something left to ask, then sum up."""
    return "ask" if state.get("asked", 0) < len(QUESTIONS) else "sum_up"


async def ask(state: Memory) -> dict[str, Any]:
    """Give their own words back, and ask one thing."""
    asked = state.get("asked", 0)
    words = state["messages"][-1].text.split(".")[0].strip()
    return {"messages": [AIMessage(f'"{words}": I hear that. {QUESTIONS[asked]}')], "asked": asked + 1}


async def sum_up(state: Memory) -> dict[str, Any]:
    """Say what they told at first. The agent is sent only the last message: it remembers the first itself."""
    first = state["messages"][0].text.split(".")[0].strip()
    count = sum(message.type == "human" for message in state["messages"])
    return {"messages": [AIMessage(f'You began with "{first}", and have told me {count} things. I am still here.')]}


def build_graph() -> CompiledStateGraph[Memory, None, Memory, Memory]:
    """Compile the agent."""
    builder = StateGraph(Memory)
    builder.add_node("ask", ask)
    builder.add_node("sum_up", sum_up)
    builder.add_conditional_edges(START, listen, ["ask", "sum_up"])
    builder.add_edge("ask", END)
    builder.add_edge("sum_up", END)
    return builder.compile(checkpointer=InMemorySaver(), name="patient listener")


def patient_listener(send: Send = "last") -> Supporter:
    """The same agent under a name of its own (`use: patient_listener`). It keeps the dialogue, hence `last`."""
    return runnable_supporter(build_graph(), send=send)
