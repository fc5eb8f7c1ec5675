"""CPU time of one structured call, client side, through our client and through others, in one run.

The endpoint is the bundled one's smallest relative: a process of its own that answers at once with the same completion,
so that all that is measured is the client. Each call sends a dialogue of 20 messages and a JSON schema, and reads a
value of it. Ways take turns; the figure is the median over rounds of process CPU time by calls.

    raw aiohttp, raw httpx    post the body, json.loads twice: no retries, no typed errors, no traces
    OpenAI SDK                chat.completions.parse with the pydantic model
    ChatOpenAI                with_structured_output(method="json_schema")
    openevals                 create_async_llm_as_judge with a ChatOpenAI judge
    emoharbor                 EndpointModel.ask: retries, limits, faults, traces, validation

Usage: python benchmarks/client.py [--rounds 7] [--calls 192] [--in-flight 16 64] [--json]
Ways whose library is not installed are left out and named.
"""

import argparse
import asyncio
import gc
import json
import multiprocessing
import os
import statistics
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from importlib.util import find_spec
from typing import Any

import aiohttp
from aiohttp import web
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

from emoharbor.nodes.models.client import Models
from emoharbor.nodes.models.settings import ModelSettings

TARGET = 0.5
"""Most of openevals' time that ours may take."""
KEY = "PLACEHOLDER_KEY"
Call = Callable[[], Awaitable[object]]


class Verdict(BaseModel):
    """Rate the answer."""

    reasoning: str
    score: float


VALUE = {"reasoning": "It takes up what was said and asks one thing.", "score": 0.5}
WAY = 'Rate how well the last answer fits the person. Answer as JSON with "reasoning" and "score".'


def dialogue() -> list[BaseMessage]:
    """Return the prompt: 20 messages of a sentence or two."""
    said: list[BaseMessage] = [SystemMessage(WAY)]
    for turn in range(9):
        said.append(HumanMessage(f"Turn {turn}: it came up again this morning, and I acted as if nothing was wrong."))
        said.append(AIMessage(f"Turn {turn}: that sounds like a lot to carry. What was the hardest moment of it?"))
    return [*said, HumanMessage("Rate the last answer now.")]


def as_dicts(messages: list[BaseMessage]) -> list[dict[str, str]]:
    """Return the same as the API has it."""
    roles = {"system": "system", "human": "user", "ai": "assistant"}
    return [{"role": roles[message.type], "content": message.text} for message in messages]


def body() -> dict[str, Any]:
    """Return the request as the raw clients send it."""
    schema = {**Verdict.model_json_schema(), "additionalProperties": False}
    form = {"type": "json_schema", "json_schema": {"name": "Verdict", "schema": schema, "strict": True}}
    return {"model": "m", "messages": as_dicts(dialogue()), "response_format": form}


def serve(port: Any) -> None:
    """Answer every request at once with the same completion."""
    message = {"role": "assistant", "content": json.dumps(VALUE), "refusal": None}
    usage = {"prompt_tokens": 500, "completion_tokens": 20, "total_tokens": 520}
    reply = {
        "id": "x", "object": "chat.completion", "created": 0, "model": "m", "usage": usage,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }  # fmt: skip
    sent = json.dumps(reply).encode()

    async def answer(request: web.Request) -> web.Response:
        await request.read()
        return web.Response(body=sent, content_type="application/json")

    async def run() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port.put(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(run())


async def raw_aiohttp(url: str, stack: AsyncExitStack) -> Call:
    session = await stack.enter_async_context(aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=128)))
    payload = body()

    async def call() -> object:
        async with session.post(f"{url}/chat/completions", json=payload) as reply:
            data = await reply.json()
        return Verdict.model_validate_json(data["choices"][0]["message"]["content"])

    return call


async def raw_httpx(url: str, stack: AsyncExitStack) -> Call:
    import httpx  # noqa: PLC0415 - may be missing

    limits = httpx.Limits(max_connections=128, max_keepalive_connections=128)
    client = await stack.enter_async_context(httpx.AsyncClient(limits=limits, trust_env=False))
    payload = body()

    async def call() -> object:
        data = (await client.post(f"{url}/chat/completions", json=payload)).json()
        return Verdict.model_validate_json(data["choices"][0]["message"]["content"])

    return call


async def sdk(url: str, stack: AsyncExitStack) -> Call:
    import openai  # noqa: PLC0415 - measured like the others

    client = await stack.enter_async_context(openai.AsyncOpenAI(base_url=url, api_key=KEY))
    messages: Any = as_dicts(dialogue())

    async def call() -> object:
        reply = await client.chat.completions.parse(model="m", messages=messages, response_format=Verdict)
        return reply.choices[0].message.parsed

    return call


async def stock(url: str, stack: AsyncExitStack) -> Call:
    from langchain_openai import ChatOpenAI  # noqa: PLC0415 - measured like the others

    chat: Any = ChatOpenAI(model="m", base_url=url, api_key=KEY).with_structured_output(Verdict, method="json_schema")
    messages = dialogue()
    return lambda: chat.ainvoke(messages)


async def evals(url: str, stack: AsyncExitStack) -> Call:
    from langchain_openai import ChatOpenAI  # noqa: PLC0415 - measured like the others
    from openevals.llm import create_async_llm_as_judge  # noqa: PLC0415 - may be missing

    *before, _ = dialogue()
    judge = create_async_llm_as_judge(
        prompt=WAY + "\n{outputs}", judge=ChatOpenAI(model="m", base_url=url, api_key=KEY), continuous=True
    )
    outputs = as_dicts(before)
    return lambda: judge(outputs=outputs)


async def ours(url: str, stack: AsyncExitStack) -> Call:
    models = await stack.enter_async_context(Models())
    model = models.open(ModelSettings(model="m", base_url=url, concurrency=128))
    messages = dialogue()

    async def call() -> object:
        return (await model.ask(messages, Verdict)).value

    return call


WAYS: dict[str, tuple[str | None, Callable[[str, AsyncExitStack], Awaitable[Call]]]] = {
    "raw aiohttp": (None, raw_aiohttp),
    "raw httpx": ("httpx", raw_httpx),
    "OpenAI SDK": (None, sdk),
    "ChatOpenAI": (None, stock),
    "openevals": ("openevals", evals),
    "emoharbor": (None, ours),
}


async def spent(call: Call, calls: int, in_flight: int) -> float:
    """Return CPU milliseconds a call."""

    async def some(count: int) -> None:
        for _ in range(count):
            await call()

    gc.collect()
    began = time.process_time()
    await asyncio.gather(*(some(calls // in_flight) for _ in range(in_flight)))
    return (time.process_time() - began) * 1000 / (calls // in_flight * in_flight)


async def measure(url: str, rounds: int, calls: int, in_flight: list[int]) -> dict[str, dict[str, float]]:
    """Return the median of each way at each number of calls in flight; ways take turns."""
    async with AsyncExitStack() as stack:
        ready = {name: await make(url, stack) for name, (needs, make) in WAYS.items() if not needs or find_spec(needs)}
        found: dict[str, dict[str, list[float]]] = {name: {} for name in ready}
        for level in in_flight:
            for call in ready.values():
                await spent(call, level * 2, level)  # connections and caches
            for _ in range(rounds):
                for name, call in ready.items():
                    found[name].setdefault(str(level), []).append(await spent(call, calls, level))
    return {name: {level: statistics.median(times) for level, times in by.items()} for name, by in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=192)
    parser.add_argument("--in-flight", type=int, nargs="+", default=[16, 64])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    os.environ["LANGSMITH_TRACING"] = "false"
    port: Any = multiprocessing.Queue()
    server = multiprocessing.Process(target=serve, args=(port,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{port.get()}/v1"
    found = asyncio.run(measure(url, given.rounds, given.calls, given.in_flight))
    server.terminate()
    missing = [name for name in WAYS if name not in found]
    if given.json:
        print(json.dumps({"cpu_ms_per_call": found, "missing": missing}, indent=2))
    else:
        _show(found, missing)
    base = found.get("openevals")
    if base and any(time_ > TARGET * base[level] for level, time_ in found["emoharbor"].items()):
        raise SystemExit(1)


def _show(found: dict[str, dict[str, float]], missing: list[str]) -> None:
    base = found.get("openevals")
    levels = list(found["emoharbor"])
    print("CPU ms a call, median" + "".join(f"{level + ' in flight':>16}" for level in levels))
    for name, by in found.items():
        share = "  ".join(f"{by[level] / base[level]:.2f}" for level in levels) if base else ""
        print(
            f"{name:21}"
            + "".join(f"{by[level]:16.2f}" for level in levels)
            + (f"   of openevals: {share}" if share else "")
        )
    if missing:
        print(f"not installed, so not measured: {', '.join(missing)}")


if __name__ == "__main__":
    main()
