"""Opening models: keys, sharing, traces, and the request's body."""

import asyncio
import json
import logging
from typing import Any
from uuid import UUID

import pytest
from langchain_core.callbacks import (
    AsyncCallbackHandler,
    AsyncCallbackManager,
    BaseCallbackHandler,
    CallbackManager,
)
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_openai import ChatOpenAI

from emoharbor.eval.endpoint.server import start_endpoint
from emoharbor.nodes.contract import Request
from emoharbor.nodes.models.caller import calling
from emoharbor.nodes.models.client import Models
from emoharbor.nodes.models.schema import sent_schema
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.nodes.models.telling import manager_of
from emoharbor.nodes.supporters.chat import DEFAULT_SYSTEM, chat_supporter
from emoharbor.state.base import Frozen
from emoharbor.state.errors import ConfigError, ModelFault, Unauthorised

CANARY = "sk-canary-5f2c9e81d7"
DIALOGUE: list[BaseMessage] = [
    SystemMessage("Be brief."),
    HumanMessage("Hello, \u4f60\u597d", id="u0"),
    AIMessage("Hi.", id="a0", additional_kwargs={"reasoning_content": "secret plan"}),
    HumanMessage("It's late.", id="u1"),
]


class Rating(Frozen):
    reason: str
    score: int | None


class Trace(BaseCallbackHandler):
    """Keeps everything it is told, as text."""

    run_inline = True

    def __init__(self) -> None:
        self.told: list[str] = []
        self.names: list[str] = []
        self.replies: list[AIMessage] = []
        self.errors: list[BaseException] = []

    def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **kwargs: Any
    ) -> None:
        self.names.append(kwargs["name"])
        self.told.append(repr((serialized, messages, run_id, kwargs)))

    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        self.told.append(repr((response, kwargs)))
        generation = response.generations[0][0]
        assert isinstance(generation, ChatGeneration)
        assert isinstance(generation.message, AIMessage)
        self.replies.append(generation.message)

    def on_llm_error(self, error: BaseException, **kwargs: Any) -> None:
        self.errors.append(error)
        self.told.append(repr((error, kwargs)))


class Telling(Trace):
    """Keeps which events came, and what LangSmith reads of a call."""

    def __init__(self) -> None:
        super().__init__()
        self.order: list[str] = []
        self.messages: list[BaseMessage] = []
        self.about: dict[str, Any] = {}

    def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **kwargs: Any
    ) -> None:
        super().on_chat_model_start(serialized, messages, run_id=run_id, **kwargs)
        self.order.append("start")
        self.messages += messages[0]
        self.about = kwargs["metadata"]

    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        super().on_llm_end(response, **kwargs)
        self.order.append("end")


class ThreadTelling(Telling):
    """Is told in a thread of its own."""

    run_inline = False


class AsyncTelling(AsyncCallbackHandler, Telling):  # type: ignore[misc]  # what it does not await, nobody calls here
    """Has to be waited for."""

    run_inline = False

    async def on_chat_model_start(self, *args: Any, **kwargs: Any) -> None:  # type: ignore[override]  # as in LangChain
        Telling.on_chat_model_start(self, *args, **kwargs)

    async def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:  # type: ignore[override]
        Telling.on_llm_end(self, response, **kwargs)


class InlineAsyncTelling(AsyncTelling):
    run_inline = True


def tracing(trace: Trace) -> AsyncCallbackManager:
    return AsyncCallbackManager(handlers=[trace], inheritable_handlers=[trace])


@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_key_that_is_not_set_is_named_before_any_call(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(ConfigError, match="MY_KEY is not set"):
        Models().open(ModelSettings(model="m", api_key_env="MY_KEY"))


def test_openai_needs_a_key() -> None:
    with pytest.raises(ConfigError, match="api_key_env"):
        Models().open(ModelSettings(model="m"))


async def test_no_key_of_the_environment_goes_to_an_endpoint_that_takes_none(
    desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    here = await desk(api_key_env=None)
    await here.model.say(DIALOGUE)
    assert CANARY not in json.dumps(here.endpoint.requests[0].headers)


async def test_the_key_is_sent_and_is_nowhere_else(desk: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    echo = f"Incorrect API key provided: {CANARY}"
    replies = [
        {"content": f"Your key is {CANARY}.", "reasoning": CANARY},
        {"status": 400, "error": echo},
        {"status": 500, "body": f"<html>{CANARY}</html>"},
        {"raw": {"error": {"message": echo}}},
        {"raw": {"choices": CANARY}},
        {"status": 429, "error": {"message": echo, "code": "insufficient_quota"}},
        {"status": 401, "error": echo},
    ]
    here = await desk(replies)
    trace, seen = Trace(), []
    for _ in range(4):
        try:
            seen.append(repr(await here.model.say(DIALOGUE, callbacks=tracing(trace), note=here.note)))
        except ModelFault as fault:
            seen.append(f"{fault!r} {fault.raw} {fault.__cause__!r}")
    assert here.endpoint.requests[0].headers["Authorization"] == f"Bearer {CANARY}"
    assert len(here.bodies) == len(replies)
    everything = [*seen, *trace.told, repr(here.notes), repr(here.models.report()), repr(vars(here.model)), caplog.text]
    assert [text for text in everything if CANARY in text] == []


async def test_a_refused_key_names_its_variable(desk: Any) -> None:
    here = await desk([{"status": 401, "error": "invalid api key"}])
    with pytest.raises(Unauthorised, match="TEST_KEY"):
        await here.model.say(DIALOGUE)


async def test_models_behind_one_endpoint_share_it(desk: Any) -> None:
    here = await desk(concurrency=8)
    one = ModelSettings(model="a", base_url=here.endpoint.url, api_key_env="TEST_KEY", concurrency=3)
    other = ModelSettings(model="b", base_url=here.endpoint.url + "/", api_key_env="TEST_KEY")
    models = [here.models.open(settings) for settings in (one, other)]
    await asyncio.gather(*(model.say(DIALOGUE, seed=seed) for model in models for seed in range(10)))
    assert here.endpoint.stats.most_in_flight <= 3
    assert {report.concurrency for report in here.models.report()} == {3}


async def test_models_beside_other_processes_take_their_portion_of_the_calls_in_flight(desk: Any) -> None:
    here = await desk()
    async with Models(lambda whole: whole // 2) as models:
        model = models.open(ModelSettings(model="a", base_url=here.endpoint.url, api_key_env="TEST_KEY", concurrency=6))
        await asyncio.gather(*(model.say(DIALOGUE, seed=seed) for seed in range(20)))
    assert here.endpoint.stats.most_in_flight <= 3
    assert {report.concurrency for report in models.report()} == {3}


async def test_more_calls_than_connections_wait_and_none_is_lost(desk: Any) -> None:
    here = await desk(concurrency=4)
    replies = await asyncio.gather(*(here.model.say(DIALOGUE, seed=seed) for seed in range(100)))
    assert len(replies) == here.endpoint.stats.calls == 100


async def test_every_call_is_traced_with_its_reasoning(desk: Any) -> None:
    counts = {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 3}}
    here = await desk([{"content": "<think>secret plan</think>Hi.", "usage": counts}])
    trace = Trace()
    reply = await here.model.say(DIALOGUE, callbacks=tracing(trace))
    assert reply.text == "Hi."
    traced = trace.replies[0]
    assert (traced.content, traced.additional_kwargs["reasoning_content"]) == ("Hi.", "secret plan")
    assert traced.response_metadata["finish_reason"] == "stop"
    assert traced.usage_metadata is not None
    assert traced.usage_metadata["input_token_details"] == {"cache_read": 3}
    assert trace.names == ["m"]


async def test_the_trace_shows_what_a_fault_was_and_what_came_with_a_reply_that_is_none(desk: Any) -> None:
    here = await desk([{"status": 500}, {"content": "I h", "finish_reason": "length"}, {"content": "Hm."}])
    trace = Trace()
    await here.model.say(DIALOGUE, callbacks=tracing(trace))
    assert [type(error).__name__ for error in trace.errors] == ["ServerFailed"]
    assert [reply.content for reply in trace.replies] == ["I h", "Hm."]


async def test_tokens_that_are_not_stated_are_not_0_in_the_trace(desk: Any) -> None:
    here = await desk([{"content": "ok", "usage": {"completion_tokens": 3}}])
    trace = Trace()
    await here.model.say(DIALOGUE, callbacks=tracing(trace))
    assert trace.replies[0].usage_metadata is None


@pytest.mark.parametrize("structured", [False, True])
async def test_the_body_is_that_of_the_stock_class(structured: bool, desk: Any) -> None:
    here = await desk(temperature=0.5, top_p=0.9, max_tokens=100, extra_body={"reasoning_effort": "low"})
    here.model.line.learned.cap_field = "max_completion_tokens"  # as for OpenAI, to whom no test can post
    form = sent_schema(Rating).fields("json_schema")
    if structured:
        await here.model.ask(DIALOGUE, Rating, seed=3)
    else:
        await here.model.say(DIALOGUE, seed=3)
    ours = here.bodies[-1]
    stock = ChatOpenAI(
        model="m",
        base_url=here.endpoint.url,
        api_key="x",
        temperature=0.5,
        top_p=0.9,
        max_tokens=100,
        extra_body={"reasoning_effort": "low"},
        use_responses_api=False,
    )
    await stock.ainvoke(DIALOGUE, seed=3, **(form if structured else {}))
    await stock.root_async_client.close()
    assert ours == here.bodies[-1]


@pytest.mark.parametrize("listener", [Telling, ThreadTelling, AsyncTelling, InlineAsyncTelling])
@pytest.mark.parametrize("prompt", [DIALOGUE, "How was it?", [("human", "How was it?")]], ids=["ours", "text", "pairs"])
async def test_callbacks_are_told_what_the_stock_class_tells_them(
    prompt: Any, listener: type[Telling], desk: Any
) -> None:
    said = {"content": "ok", "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}}
    here = await desk([said, said], temperature=0.5, max_tokens=100)
    ours, theirs = listener(), listener()
    await here.model.line.chat.ainvoke(prompt, {"callbacks": [ours], "run_name": "a call"}, seed=3)
    stock = ChatOpenAI(
        model="m", base_url=here.endpoint.url, api_key="x", temperature=0.5, max_tokens=100, use_responses_api=False
    )
    await stock.ainvoke(prompt, {"callbacks": [theirs], "run_name": "a call"}, seed=3)
    await stock.root_async_client.close()

    assert ours.order == theirs.order == ["start", "end"]
    assert ours.messages == theirs.messages
    assert {name: value for name, value in ours.about.items() if name.startswith("ls_")} == {
        name: value for name, value in theirs.about.items() if name.startswith("ls_")
    }
    mine, stocks = ours.replies[0], theirs.replies[0]
    assert (mine.content, mine.usage_metadata) == (stocks.content, stocks.usage_metadata)
    same = ("finish_reason", "model_name", "model_provider")
    assert [mine.response_metadata[name] for name in same] == [stocks.response_metadata[name] for name in same]
    assert mine.id is not None
    assert mine.id.startswith("lc_run--")


def test_only_for_those_who_have_to_be_waited_for_a_call_waits() -> None:
    assert isinstance(manager_of(tracing(Telling())), CallbackManager)
    assert isinstance(manager_of(tracing(InlineAsyncTelling())), AsyncCallbackManager)
    assert isinstance(manager_of(tracing(ThreadTelling())), AsyncCallbackManager)


async def test_reasoning_is_not_fed_back(desk: Any) -> None:
    here = await desk()
    await here.model.say(DIALOGUE)
    assert "secret plan" not in json.dumps(here.bodies[0])


async def test_a_lone_surrogate_in_a_prompt_does_not_stop_the_call(desk: Any) -> None:
    here = await desk()
    await here.model.say([HumanMessage("caf\ud83d")])
    assert here.bodies[0]["messages"][0]["content"].startswith("caf\ufffd")


async def test_an_endpoint_that_is_not_there_is_unreachable() -> None:
    async with start_endpoint() as gone:
        url = gone.url
    async with Models() as models:
        model = models.open(ModelSettings(model="m", base_url=url, retries=1, backoff_s=0))
        with pytest.raises(ModelFault, match="connection") as caught:
            await model.say(DIALOGUE)
    assert caught.value.kind == "unreachable"


async def test_who_calls_is_told_only_in_a_rehearsal(desk: Any) -> None:
    quiet, rehearsed = await desk(), await desk(rehearsal=True)
    for here in (quiet, rehearsed):
        with calling("think", 3, "P\u00e9ter"):
            await here.model.say(DIALOGUE)
    assert not [name for name in quiet.endpoint.requests[0].headers if name.lower().startswith("x-emoharbor")]
    call = rehearsed.endpoint.requests[0].call
    assert (call.role, call.turn, call.profile, call.attempt) == ("think", 3, "P\u00e9ter", 0)


async def test_a_chat_supporter_sends_its_instruction_the_briefing_and_the_dialogue(desk: Any) -> None:
    here = await desk([{"content": "I'm here."}, {"content": "Go on."}], rehearsal=True)
    dialogue = (HumanMessage("a", id="u0"), AIMessage("b", id="a0"), HumanMessage("c", id="u1"))
    request = Request(messages=dialogue, thread_id="t", turn=1, seed=7, briefing="About them: tired.")
    said = await chat_supporter(here.model)(request)
    assert said.message == "I'm here."
    sent = here.bodies[0]["messages"]
    assert sent[0] == {"role": "system", "content": f"{DEFAULT_SYSTEM}\n\nAbout them: tired."}
    assert [item["role"] for item in sent[1:]] == ["user", "assistant", "user"]
    assert here.bodies[0]["seed"] == 7
    assert (here.endpoint.requests[0].call.role, here.endpoint.requests[0].call.turn) == ("supporter", 1)
    await chat_supporter(here.model, system="", send="last")(Request(dialogue, "t", 1, 7))
    assert here.bodies[1]["messages"] == [{"role": "user", "content": "c"}]
