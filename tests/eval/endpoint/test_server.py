"""The endpoint over HTTP: sensible answers for any schema, the same for the same question."""

import asyncio
import json
from typing import Any, Literal

import aiohttp
import pytest
from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel

from emoharbor.eval.endpoint.scenario import Scenario
from emoharbor.eval.endpoint.server import endpoint_in_thread, serve, start_endpoint
from emoharbor.nodes.feel import FeelReply
from emoharbor.nodes.fused import FusedReply
from emoharbor.nodes.judge_reply import reply_for
from emoharbor.nodes.models.client import Models
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.nodes.rubric import load_rubric
from emoharbor.nodes.speak import SpeakAloneReply, SpeakReply
from emoharbor.nodes.think import ThinkReply
from emoharbor.state.errors import ConfigError
from emoharbor.state.text import contains

DIALOGUE = "\n".join(
    [
        "The dialogue so far, one JSON line a message:",
        json.dumps({"turn": 0, "from": "you", "text": "It's been a long day and nobody at home noticed."}),
        json.dumps({"turn": 0, "from": "supporter", "text": "That sounds like a lot to carry on your own tonight."}),
    ]
)


class Leaf(BaseModel):
    tag: Literal["a", "b"]
    size: float


class Tree(BaseModel):
    """A schema of nobody's in particular."""

    name: str
    leaves: list[Leaf]
    first: Leaf | None
    kind: Literal["oak", "elm"]
    height: int
    evergreen: bool


SCHEMAS = [FeelReply, ThinkReply, SpeakReply, SpeakAloneReply, FusedReply, reply_for(load_rubric("ten")), Tree]


async def answer(scenario: Scenario, schema: type[BaseModel], seed: int) -> BaseModel:
    async with start_endpoint(scenario) as endpoint, Models() as models:
        model = models.open(ModelSettings(model="m", base_url=endpoint.url, retries=0, reasks=0))
        messages = [SystemMessage("You are one person."), HumanMessage(DIALOGUE)]
        return (await model.ask(messages, schema, seed=seed)).value


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.__name__)
@pytest.mark.parametrize("seed", range(3))
async def test_answers_fit_the_schema(schema: type[BaseModel], seed: int) -> None:
    await answer(Scenario(), schema, seed)


@pytest.mark.parametrize("forms", [["json_schema"], ["json_schema", "tool"], ["json_schema", "tool", "json_object"]])
async def test_the_answer_does_not_depend_on_how_json_is_asked_for(forms: list[str]) -> None:
    error = "response_format and tools are not supported"
    rules = [{"reply": [{"status": 400, "error": error, "form": form}]} for form in forms]
    assert await answer(Scenario.model_validate({"rules": rules}), FeelReply, 7) == await answer(
        Scenario(), FeelReply, 7
    )


async def test_other_seeds_bring_other_answers() -> None:
    found = [await answer(Scenario(), FeelReply, seed) for seed in range(4)]
    assert len({item.model_dump_json() for item in found}) > 1


async def test_quotes_stand_in_the_dialogue_and_every_dimension_is_rated_once() -> None:
    rubric = load_rubric("ten")
    reply: Any = await answer(Scenario(), reply_for(rubric), 1)
    assert sorted(item.dimension for item in reply.ratings) == sorted(item.id for item in rubric.dimensions)
    for rating in reply.ratings:
        assert all(contains(DIALOGUE, piece.quote) for piece in rating.evidence)
    felt: Any = await answer(Scenario(), FeelReply, 1)
    assert contains("That sounds like a lot to carry on your own tonight.", felt.quote)


async def post(url: str, **body: Any) -> tuple[int, dict[str, Any]]:
    given = {"model": "m", "messages": [{"role": "user", "content": "Hello"}], **body}
    async with aiohttp.ClientSession() as session, session.post(f"{url}/chat/completions", json=given) as reply:
        return reply.status, await reply.json()


async def test_a_field_of_an_answer_can_be_changed_wherever_it_stands() -> None:
    rule = {"reply": [{"json": {"score": 11}}, {"json": {"ratings": []}}]}
    form = {
        "type": "json_schema",
        "json_schema": {"name": "J", "schema": reply_for(load_rubric("ten")).model_json_schema()},
    }
    async with start_endpoint(Scenario.model_validate({"rules": [rule]})) as endpoint:
        texts = [(await post(endpoint.url, response_format=form))[1]["choices"][0]["message"]["content"] for _ in "ab"]
    assert json.loads(texts[0])["ratings"][0]["score"] == 11
    assert json.loads(texts[1])["ratings"] == []


async def test_the_role_is_known_without_headers() -> None:
    form = {"type": "json_schema", "json_schema": {"name": "ThinkReply", "schema": ThinkReply.model_json_schema()}}
    async with start_endpoint() as endpoint:
        await post(endpoint.url)
        await post(endpoint.url, response_format=form, messages=[{"role": "user", "content": DIALOGUE}])
        calls = [asked.call for asked in endpoint.requests]
    assert [(call.role, call.turn) for call in calls] == [("supporter", 0), ("think", 1)]


async def test_models_and_counts_are_listed() -> None:
    async with start_endpoint(Scenario(models=["a", "b"])) as endpoint, aiohttp.ClientSession() as session:
        await post(endpoint.url)
        async with session.get(f"{endpoint.url}/models") as reply:
            assert [item["id"] for item in (await reply.json())["data"]] == ["a", "b"]
        async with session.get(endpoint.url.removesuffix("/v1") + "/stats") as reply:
            stats = await reply.json()
    assert stats["calls"] == 1
    assert stats["by_status"] == {"200": 1}


@pytest.mark.parametrize("body", [{"messages": []}, {"messages": "hi"}, {"messages": ["hi"]}, {"messages": None}])
async def test_a_request_that_makes_no_sense_is_a_400(body: dict[str, Any]) -> None:
    async with start_endpoint() as endpoint:
        status, reply = await post(endpoint.url, **body)
    assert status == 400
    assert "error" in reply


async def test_a_taken_port_is_the_users_mistake() -> None:
    async with start_endpoint() as endpoint:
        port = int(endpoint.url.rsplit(":", 1)[1].removesuffix("/v1"))
        with pytest.raises(ConfigError, match=f"port {port}"):
            async with start_endpoint(port=port):
                pass


async def test_it_serves_until_it_is_cancelled() -> None:
    up: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve(port=0, ready=up.set_result))
    assert (await post(await up))[0] == 200
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving


def test_it_runs_beside_code_that_is_not_async() -> None:
    with endpoint_in_thread() as endpoint:
        status, _ = asyncio.run(post(endpoint.url))
    assert status == 200


def test_a_taken_port_is_the_users_mistake_in_a_thread_as_well() -> None:
    with endpoint_in_thread() as first:
        port = int(first.url.rsplit(":", 1)[1].removesuffix("/v1"))
        second = endpoint_in_thread(port=port)
        with pytest.raises(ConfigError):
            second.__enter__()
