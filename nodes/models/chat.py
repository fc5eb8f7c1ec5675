"""The LangChain chat model that posts to an endpoint.

A `ChatOpenAI` in the way partner packages make theirs: the stock class builds the payload, so messages and settings go
out as LangChain users expect, and callbacks (LangSmith, our traces) see each call. The post goes over the OpenAI
client, and the body is read by us: the stock way costs ten times the CPU, drops reasoning, and raises on a truncated or
filtered reply where we want its text and usage. It leans on `_agenerate`, `_get_request_payload` and
`_create_chat_result`; a test compares the request's body with the stock class's.
"""

import re
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatResult
from langchain_openai import ChatOpenAI
from pydantic import Field, SecretStr

from emoharbor.nodes.models.body import Completion, read_completion
from emoharbor.nodes.models.caller import caller_headers
from emoharbor.nodes.models.endpoint import Endpoint, Learned
from emoharbor.nodes.models.settings import ModelSettings
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

    @property
    def _default_params(self) -> dict[str, Any]:
        return {name: value for name, value in super()._default_params.items() if name not in self._learned.dropped}

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        attempt = kwargs.pop("attempt", 0)
        payload = self._get_request_payload(messages, stop=stop, **kwargs)
        headers: dict[str, str] = {}
        if self.rehearsal:
            node = run_manager.metadata.get("langgraph_node") if run_manager and run_manager.metadata else None
            headers = caller_headers(node, attempt)
        endpoint: Endpoint = self.endpoint
        reply = await endpoint.post(self.root_async_client, payload, headers, self.attempt_timeout_s)
        return self._create_chat_result(_plain(read_completion(reply)))

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

    def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
        result = super()._create_chat_result(response, generation_info)
        said = response["choices"][0]["message"]
        message = result.generations[0].message
        if isinstance(message, AIMessage) and said.get("reasoning_content"):
            message.additional_kwargs["reasoning_content"] = said["reasoning_content"]
        return result

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
        http_async_client=endpoint.http,
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


def _plain(reply: Completion) -> dict[str, Any]:
    """Return a completion in the form the stock class reads, cleaned of what it would trip over."""
    usage = reply.usage
    known = usage.prompt is not None and usage.completion is not None
    message = {
        "role": "assistant",
        "content": reply.text,
        "refusal": reply.refusal,
        "reasoning_content": reply.reasoning,
    }
    return {
        "id": reply.id,
        "model": reply.model,
        "choices": [{"message": message, "finish_reason": reply.finish}],
        # the stock class would show a count it was not given as 0
        "usage": {
            "prompt_tokens": usage.prompt,
            "completion_tokens": usage.completion,
            "total_tokens": (usage.prompt or 0) + (usage.completion or 0),
            "prompt_tokens_details": {"cached_tokens": usage.cached},
            "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
        }
        if known
        else None,
    }
