"""Counting the tokens of one episode, as the endpoints state them."""

from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from emoharbor.nodes.models.protocol import Usage


class UsageCounter(BaseCallbackHandler):
    """Adds up the tokens of every model call below it. A callback, so that it counts agents under test as well."""

    run_inline = True  # MEASURED section 3: a tenth of the cost of the default thread pool
    raise_error = False
    ignore_chain = True
    ignore_agent = True
    ignore_retriever = True
    ignore_custom_event = True

    def __init__(self) -> None:
        self._prompt: int | None = None
        self._completion: int | None = None
        self._cached: int | None = None

    @property
    def usage(self) -> Usage:
        """Tokens so far; None where no endpoint said."""
        return Usage(prompt=self._prompt, completion=self._completion, cached=self._cached)

    def on_llm_end(self, response: LLMResult, **_: Any) -> None:
        """Add one call."""
        for generation in (item for batch in response.generations for item in batch):
            message = generation.message if isinstance(generation, ChatGeneration) else None
            if not isinstance(message, AIMessage) or message.usage_metadata is None:
                continue
            said = message.usage_metadata
            self._prompt = (self._prompt or 0) + said["input_tokens"]
            self._completion = (self._completion or 0) + said["output_tokens"]
            cached = said.get("input_token_details", {}).get("cache_read")
            if cached is not None:
                self._cached = (self._cached or 0) + cached


def total(usage: Usage) -> int | None:
    """Return prompt and completion tokens together; None when neither is known."""
    if usage.prompt is None and usage.completion is None:
        return None
    return (usage.prompt or 0) + (usage.completion or 0)
