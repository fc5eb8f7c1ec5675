"""What a node sees of a model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.messages import BaseMessage
from pydantic import BaseModel

T = TypeVar("T", bound=BaseModel)
Note = Callable[[str, str], None]
"""Records a fault that was mended or worked around: kind, detail."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer, all attempts together; None where the endpoint does not say."""

    prompt: int | None = None
    completion: int | None = None
    cached: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A structured answer.

    Attributes:
        value: validated against the schema asked for.
        raw: the text it was read from, without the model's reasoning.
        attempts: how many calls it took, the re-asks included.
        usage: tokens of all attempts.
    """

    value: T
    raw: str
    attempts: int = 1
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Reply:
    """A plain answer.

    Attributes:
        text: what was said, without the model's reasoning.
        usage: tokens of all attempts.
    """

    text: str
    usage: Usage = Usage()


class ChatModel(Protocol):
    """A chat model behind one endpoint.

    Both methods raise a `ModelFault` when there is no usable answer after the configured retries: an `EndpointFault`
    for the transport, a `ReplyFault` for what was answered.
    """

    @property
    def name(self) -> str:
        """The model's name, for records."""

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

        Args:
            messages: system text first; what changes from call to call last.
            schema: a pydantic model; its JSON schema is sent.
            seed: sent to endpoints that take one.
            check: says what is wrong with a value that fits the schema, or None; asked again once with that.
            note: told of each mended fault.
        """

    async def say(
        self,
        messages: Sequence[BaseMessage],
        *,
        seed: int | None = None,
        callbacks: BaseCallbackManager | None = None,
        note: Note | None = None,
    ) -> Reply:
        """Return plain text.

        Args:
            messages: the conversation.
            seed: sent to endpoints that take one.
            callbacks: the trace to hang the call on, when the context has none.
            note: told of each mended fault.
        """
