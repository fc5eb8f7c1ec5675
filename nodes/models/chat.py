"""The LangChain chat model that posts to an endpoint.

A `ChatOpenAI` in the way partner packages make theirs: the stock class builds the payload, so messages and settings go
out as LangChain users expect, and callbacks (LangSmith, our traces) see each call. The post and the reading of the body
are ours: the stock way costs many times the CPU, drops reasoning, and raises on a truncated or filtered reply where we
want its text and usage. It leans on `agenerate` and `_get_request_payload`; tests compare the request's body, and what
callbacks are told, with the stock class's.
"""

import re
from functools import cached_property
from typing import Any
from uuid import UUID

from langchain_core.callbacks import (
    AsyncCallbackManagerForLLMRun,
    CallbackManagerForLLMRun,
    Callbacks,
)
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.messages.ai import InputTokenDetails, OutputTokenDetails, UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult, LLMResult
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config
from langchain_openai import ChatOpenAI
from pydantic import Field, SecretStr

from emoharbor.nodes.models.body import Completion, read_completion
from emoharbor.nodes.models.caller import caller_headers
from emoharbor.nodes.models.endpoint import Endpoint, Learned
from emoharbor.nodes.models.protocol import Usage
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.nodes.models.telling import manager_of, told
from emoharbor.state.text import clean

_O_SERIES = re.compile(r"o\d")
_ROLES: dict[type, str] = {SystemMessage: "system", HumanMessage: "user", AIMessage: "assistant"}
_HARMLESS = frozenset({"reasoning_content", "refusal"})
"""What a message may carry beside its text without any of it being sent."""


class EndpointChat(ChatOpenAI):
    """A chat model behind one endpoint. Async only, never streamed, never cached."""

    endpoint: Any = Field(default=None, exclude=True, repr=False)
    attempt_timeout_s: float = 120
    rehearsal: bool = False

    @property
    def _learned(self) -> Learned:
        endpoint: Endpoint = self.endpoint
        return endpoint.learned(self.model_name)

    @cached_property
    def _headers(self) -> dict[str, str]:
        """What the OpenAI client sends with each request: the key, and the account if the environment names one."""
        client = self.root_async_client
        headers = {**client.default_headers, **client.auth_headers}
        return {name: value for name, value in headers.items() if isinstance(value, str)}

    @cached_property
    def _all_params(self) -> dict[str, Any]:
        return super()._default_params

    @property
    def _default_params(self) -> dict[str, Any]:
        dropped = self._learned.dropped
        return {name: value for name, value in self._all_params.items() if name not in dropped}

    def _get_invocation_params(self, stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
        """The stock class's, without building them from every field for each call."""
        same = {"model": self.model_name, "model_name": self.model_name, "_type": self._llm_type}
        return {**same, "stop": stop, **self._default_params, **kwargs}

    async def ainvoke(
        self,
        input: LanguageModelInput,  # noqa: A002 - the stock class's signature
        config: RunnableConfig | None = None,
        *,
        stop: list[str] | None = None,
        **kwargs: Any,
    ) -> AIMessage:
        """Answer one prompt: the stock method, which would validate every message of a dialogue at each call."""
        if not isinstance(input, list) or not all(isinstance(message, BaseMessage) for message in input):
            return await super().ainvoke(input, config, stop=stop, **kwargs)
        given = ensure_config(config)
        whole = await self.agenerate(
            [input], stop=stop, callbacks=given.get("callbacks"), tags=given.get("tags"),
            metadata=given.get("metadata"), run_name=given.get("run_name"), run_id=given.get("run_id"), **kwargs,
        )  # fmt: skip
        message: AIMessage = whole.generations[0][0].message  # type: ignore[union-attr,assignment]  # of `_result`
        return message

    async def agenerate(  # noqa: PLR0913 - the stock class's signature
        self,
        messages: list[list[BaseMessage]],
        stop: list[str] | None = None,
        callbacks: Callbacks = None,
        *,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        run_name: str | None = None,
        run_id: UUID | None = None,
        **kwargs: Any,
    ) -> LLMResult:
        """Answer one prompt: the stock method without its caches, batches, streams and content blocks."""
        (prompt,) = messages
        params = self._get_invocation_params(stop=stop, **kwargs)
        manager = manager_of(
            callbacks, self.callbacks, self.verbose, tags, self.tags,
            {**(metadata or {}), **self._traced_as}, self.metadata,
        )  # fmt: skip
        (run,) = await told(manager.on_chat_model_start(
            self._serialized, messages, invocation_params=params, options={"stop": stop}, name=run_name, batch_size=1,
            run_id=run_id,
        ))  # fmt: skip
        try:
            result = await self._agenerate(prompt, stop=stop, run_manager=run, **kwargs)
        except BaseException as error:
            await told(run.on_llm_error(error, response=LLMResult(generations=[])))
            raise
        result.generations[0].message.id = f"lc_run--{run.run_id}-0"
        whole = LLMResult(generations=[result.generations], llm_output=result.llm_output)
        await told(run.on_llm_end(whole))
        return whole

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        attempt = kwargs.pop("attempt", 0)
        payload = self._get_request_payload(messages, stop=stop, **kwargs)
        headers = self._headers
        if self.rehearsal:
            node = run_manager.metadata.get("langgraph_node") if run_manager and run_manager.metadata else None
            headers = {**headers, **caller_headers(node, attempt)}
        endpoint: Endpoint = self.endpoint
        answered = await endpoint.post(payload, headers, self.attempt_timeout_s)
        return self._result(read_completion(answered, tools="tools" in payload))

    def _get_request_payload(self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
        plain = None if _O_SERIES.match(self.model_name) or stop is not None else _plain_messages(input_)
        payload: dict[str, Any]
        if plain is None:
            payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        else:
            payload = {**self._default_params, **kwargs, "messages": plain}
        # the stock class renames the cap, which servers other than OpenAI's may ignore under its new name
        cap = payload.pop("max_completion_tokens", None)
        cap = payload.pop("max_tokens", cap)
        if cap is not None and (field := self._learned.cap_field) is not None:
            payload[field] = cap
        payload.update(payload.pop("extra_body", None) or {})
        for message in payload["messages"]:
            if isinstance(message["content"], str):
                message["content"] = clean(message["content"])
        return payload

    @cached_property
    def _traced_as(self) -> dict[str, Any]:
        """What LangSmith reads of a model: its provider, name, temperature and cap."""
        return dict(self._get_ls_params_with_defaults())

    def _result(self, reply: Completion) -> ChatResult:
        """Return a completion as LangChain hands it on."""
        info = {"finish_reason": reply.finish}
        more = {
            "token_usage": _tokens(reply.usage),
            "model_provider": "openai",
            "model_name": reply.model,
            "id": reply.id,
        }
        thought = {"reasoning_content": reply.reasoning} if reply.reasoning else {}
        message = AIMessage(
            reply.text,
            additional_kwargs={"refusal": reply.refusal, **thought},
            response_metadata={**more, **info},
            usage_metadata=_usage(reply.usage),
        )
        return ChatResult(generations=[ChatGeneration(message=message, generation_info=info)], llm_output=more)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        msg = "EndpointChat is async only; use ainvoke"
        raise NotImplementedError(msg)


def open_chat(settings: ModelSettings, endpoint: Endpoint) -> EndpointChat:
    """Return the chat model of some settings over a shared endpoint."""
    chat = EndpointChat(
        model=settings.model,
        api_key=SecretStr(endpoint.key),
        base_url=endpoint.url,
        temperature=settings.temperature,
        top_p=settings.top_p,
        max_tokens=settings.max_tokens,
        extra_body=settings.extra_body or None,
        timeout=settings.timeout_s,
        max_retries=0,
        http_client=endpoint.idle,
        http_async_client=endpoint.idle_async,
        use_responses_api=False,
        disable_streaming=True,
        cache=False,
        endpoint=endpoint,
        attempt_timeout_s=settings.timeout_s,
        rehearsal=settings.rehearsal,
    )
    if settings.temperature is not None and chat.temperature != settings.temperature:
        # the stock class knows models that refuse it
        endpoint.learned(settings.model).dropped.add("temperature")
    return chat


def _plain_messages(messages: Any) -> list[dict[str, Any]] | None:
    """Return messages that are nothing but text in the form they are sent in, or None if one is more than that.

    The stock conversion does the same at several times the cost, which counts with a long dialogue in each call.
    """
    if not isinstance(messages, list):
        return None
    plain: list[dict[str, Any]] = []
    for message in messages:
        role = _ROLES.get(type(message))
        if role is None or not isinstance(message.content, str) or message.name is not None:
            return None
        if isinstance(message, AIMessage) and (message.tool_calls or message.invalid_tool_calls):
            return None
        if not _HARMLESS.issuperset(message.additional_kwargs):
            return None
        plain.append({"content": message.content, "role": role})
    return plain


def _tokens(usage: Usage) -> dict[str, Any] | None:
    """Return the tokens as an endpoint would report them, with None for a count that it did not give."""
    if usage.prompt is None and usage.completion is None:
        return None
    whole = None if usage.prompt is None or usage.completion is None else usage.prompt + usage.completion
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": whole,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }


def _usage(usage: Usage) -> UsageMetadata | None:
    if usage.prompt is None or usage.completion is None:
        return None
    found = UsageMetadata(
        input_tokens=usage.prompt,
        output_tokens=usage.completion,
        total_tokens=usage.prompt + usage.completion,
        input_token_details=InputTokenDetails(),
        output_token_details=OutputTokenDetails(),
    )
    if usage.cached is not None:
        found["input_token_details"]["cache_read"] = usage.cached
    if usage.reasoning is not None:
        found["output_token_details"]["reasoning"] = usage.reasoning
    return found
