"""A supporter that is a person: the graph stops, shows what they may see, and waits for what they say.

It is LangGraph's `interrupt`, so the same works in `emoharbor chat`, in the viewer, in Studio, and over HTTP: the graph
needs a checkpointer, and goes on with `Command(resume="what they say")`.
"""

from typing import Any

from emoharbor.nodes.contract import Request, Supporter
from emoharbor.nodes.supporters.messages import as_dicts, reply_text
from emoharbor.state.errors import SupporterFault
from emoharbor.state.updates import SupporterUpdate

HUMAN = "human"
"""The name under which a config uses it. It is asked in the node's own context, where alone `interrupt` works."""


def human_supporter() -> Supporter:
    """Make a supporter that asks whoever runs the graph. An answer that shows nothing is asked for again."""

    async def answer(request: Request) -> SupporterUpdate:
        from langgraph.types import interrupt  # noqa: PLC0415 - LangGraph takes a second to import

        asked = asked_of(request)
        while True:
            said: Any = interrupt(asked)
            try:
                return SupporterUpdate(message=reply_text(said))
            except SupporterFault as fault:
                asked = {**asked, "problem": str(fault)}

    return answer


def asked_of(request: Request) -> dict[str, Any]:
    """Return what the interrupt holds: the turn, the person's last message, the dialogue, the briefing.

    It is JSON, and nothing of the person's profile or inner world.
    """
    return {
        "turn": request.turn,
        "says": request.messages[-1].text if request.messages else "",
        "messages": as_dicts(request.messages),
        "briefing": request.briefing,
        "problem": "",
    }
