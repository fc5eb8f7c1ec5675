"""A supporter that is a chat model behind an endpoint."""

from langchain_core.messages import BaseMessage, SystemMessage

from emoharbor.nodes.contract import Request, Send, Supporter
from emoharbor.nodes.models.caller import calling
from emoharbor.nodes.models.protocol import ChatModel
from emoharbor.state.updates import SupporterUpdate

DEFAULT_SYSTEM = (
    "You are in a conversation with someone who has come to you to talk about what is on their mind. "
    "Be there for them in the way that would help this person most. "
    "Reply as you would speak to them, in their language; one message at a time."
)
"""The system text when the config gives none."""


def chat_supporter(model: ChatModel, system: str | None = None, send: Send = "history") -> Supporter:
    """Return a supporter that asks a chat model.

    Args:
        model: who answers.
        system: the system text; None for a short plain one, an empty text for none.
        send: the whole dialogue each turn, or only the last message (and the briefing once, at turn 0), for an endpoint
            that keeps its own memory.
    """
    instruction = DEFAULT_SYSTEM if system is None else system

    async def support(request: Request) -> SupporterUpdate:
        # an endpoint that keeps its own memory is told once
        briefing = request.briefing if send == "history" or request.turn == 0 else ""
        text = "\n\n".join(part for part in (instruction, briefing) if part)
        dialogue: tuple[BaseMessage, ...] = request.messages if send == "history" else request.messages[-1:]
        messages: list[BaseMessage] = [*([SystemMessage(text)] if text else []), *dialogue]
        with calling("supporter", request.turn):
            reply = await model.say(messages, seed=request.seed, callbacks=request.callbacks, note=request.note)
        return SupporterUpdate(message=reply.text)

    return support
