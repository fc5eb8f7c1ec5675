"""A chat model behind one endpoint: what `protocol.ChatModel` promises."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import BaseModel

from emoharbor.nodes.models.jsontext import Misread
from emoharbor.nodes.models.line import Line
from emoharbor.nodes.models.protocol import Answer, Note, Reply
from emoharbor.nodes.models.question import Question
from emoharbor.nodes.models.reading import read
from emoharbor.nodes.models.schema import sent_schema
from emoharbor.state.errors import ReplyFault, Unreadable

T = TypeVar("T", bound=BaseModel)
_SHOWN_AGAIN = 8_000


class EndpointModel:
    """A chat model behind one endpoint. Made by `Models.open`.

    Attributes:
        line: the settings, the endpoint and what is known about it.
    """

    def __init__(self, line: Line) -> None:
        self.line = line

    @property
    def name(self) -> str:
        """The model's name, for records."""
        return self.line.settings.model

    async def ask(
        self,
        messages: Sequence[BaseMessage],
        schema: type[T],
        *,
        seed: int | None = None,
        check: Callable[[T], str | None] | None = None,
        note: Note | None = None,
    ) -> Answer[T]:
        """Return a value of `schema`.

        A reply that does not fit is asked for again with what is wrong with it, `reasks` times. A value that fits but
        that `check` complains about is asked for again once; if the new one is no better it is returned anyway, or if
        the new reply is of no use the first value is: the caller decides what a remaining complaint means.

        Raises:
            ModelFault: when there is no such value; see `ChatModel`.
        """
        tell = note or _drop
        question = Question(self.line, f"{self.name} {schema.__name__}", tell, sent_schema(schema), seed)
        talk: Sequence[BaseMessage] = messages
        kept: Answer[T] | None = None
        left = self.line.settings.reasks
        while True:
            text = ""
            try:
                text = await question.send(talk)
                value = read(text, schema)
            except (ReplyFault, Misread) as wrong:
                if kept is not None:
                    tell("complaint", f"the reply after a complaint is of no use, so the one before it stands: {wrong}")
                    return replace(kept, attempts=question.sent, usage=question.usage())
                if isinstance(wrong, ReplyFault):
                    raise
                question.misread(wrong)
                if not left:
                    raise Unreadable(f"{self.name}: {wrong}", raw=text) from None
                left -= 1
                tell("unreadable", f"{wrong}; asked again")
                talk = [*messages, *_again(text, str(wrong))]
                continue
            question.proved()
            answer = Answer(value, text, question.sent, question.usage())
            complaint = check(value) if check else None
            if complaint is None:
                return answer
            tell("complaint", complaint)
            if kept is not None:
                return answer
            kept, talk = answer, [*messages, *_again(text, complaint)]

    async def say(
        self,
        messages: Sequence[BaseMessage],
        *,
        seed: int | None = None,
        callbacks: BaseCallbackManager | None = None,
        note: Note | None = None,
    ) -> Reply:
        """Return plain text, without the model's reasoning.

        Raises:
            ModelFault: when there is none; see `ChatModel`.
        """
        question = Question(self.line, self.name, note or _drop, None, seed, callbacks)
        text = await question.send(messages)
        return Reply(text, question.usage())


def _again(text: str, problem: str) -> list[BaseMessage]:
    shown = text if len(text) <= _SHOWN_AGAIN else text[:_SHOWN_AGAIN] + "…"
    ask = f"That reply cannot be used: {problem}\nAnswer again with the corrected JSON object only."
    return [AIMessage(shown), HumanMessage(ask)]


def _drop(kind: str, detail: str) -> None:
    """Note nothing."""
