"""Counting the tokens and the cost of one episode, as the endpoints state them."""

import time
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from emoharbor.eval.runs.meter import ROLE, Meter, Rate
from emoharbor.eval.spent import Spent


@dataclass(slots=True)
class _Call:
    rate: Rate
    began: float = field(default_factory=time.perf_counter)


class UsageCounter(BaseCallbackHandler):
    """Adds up every model call below it. A callback, so that it counts agents under test as well.

    Attributes:
        spent: so far, what was spent before it included.
    """

    run_inline = True  # a tenth of the cost of the default thread pool
    raise_error = False
    ignore_chain = True
    ignore_agent = True
    ignore_retriever = True
    ignore_custom_event = True

    def __init__(
        self,
        meter: Meter,
        supporter: str = "",
        before: Spent = Spent(),  # noqa: B008 - a frozen value
    ) -> None:
        self.spent = before
        self._meter = meter
        self._supporter = supporter
        self._open: dict[UUID, _Call] = {}

    def on_chat_model_start(self, serialized: Any, messages: Any, *, run_id: UUID, **more: Any) -> None:  # noqa: ARG002 - LangChain's signature
        """Begin a call of a chat model."""
        self._begin(run_id, more)

    def on_llm_start(self, serialized: Any, prompts: Any, *, run_id: UUID, **more: Any) -> None:  # noqa: ARG002 - LangChain's signature
        """Begin a call of a text model."""
        self._begin(run_id, more)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:  # noqa: ARG002 - LangChain's signature
        """Forget a call that brought nothing."""
        self._open.pop(run_id, None)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """Add one call."""
        call = self._open.pop(run_id, None)
        if call is None:
            return
        used = Spent()
        for generation in (item for batch in response.generations for item in batch):
            message = generation.message if isinstance(generation, ChatGeneration) else None
            if isinstance(message, AIMessage):
                used += _used(message, call.rate)
        self.spent += used
        self._meter.called(call.rate, time.perf_counter() - call.began, used)

    def _begin(self, run_id: UUID, more: dict[str, Any]) -> None:
        role = ROLE.get()
        place = f"supporters.{self._supporter}" if role == "supporter" else f"cast.{role}"
        name = (more.get("metadata") or {}).get("ls_model_name")
        self._open[run_id] = _Call(self._meter.rate(place, name if isinstance(name, str) else ""))


def _used(message: AIMessage, rate: Rate) -> Spent:
    said = message.usage_metadata
    if said is None:
        return _partly(message)
    prompt, completion = said["input_tokens"], said["output_tokens"]
    cached = said.get("input_token_details", {}).get("cache_read")
    if rate.price is None:
        return Spent(prompt, completion, cached, priced=False)
    return Spent(prompt, completion, cached, rate.price.cost(prompt, completion, cached))


def _partly(message: AIMessage) -> Spent:
    """Return what there is of a usage that is not whole: our client leaves it under the reply's `token_usage`."""
    stated = message.response_metadata.get("token_usage") or {}
    prompt, completion = stated.get("prompt_tokens"), stated.get("completion_tokens")
    return Spent(prompt, completion, priced=False, counted=False)
