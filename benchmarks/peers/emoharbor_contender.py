"""EmoHarbor as a contender of a harness that times frameworks of simulated-user dialogues; README.md says how.

Whole runs: graph, traces and store on, into a run folder on disk. The harness's endpoint answers any schema with its
smallest value: it quotes nothing, copies nothing and wants to stop at once. So the checks that would make our nodes ask
again are left out, and the person is moved a little and stays until the turn cap. All else is the product as it is.

`CHAIN=fused` (default) makes 11 calls of the user, 10 of the supporter and one of the judge; `CHAIN=three` 11 feel, 11
think, 10 speak.
"""

import math
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from common import API_KEY, BASE_URL, MODEL, TURNS
from langchain_core.messages import BaseMessage

from emoharbor.eval.api import evaluate
from emoharbor.nodes.contract import FusedNode, JudgeNode, RoleNode, Runtime
from emoharbor.nodes.feel import llm_feel
from emoharbor.nodes.fused import llm_fused
from emoharbor.nodes.judge import llm_judge
from emoharbor.nodes.models.protocol import Answer, ChatModel, Reply
from emoharbor.nodes.speak import llm_speak
from emoharbor.nodes.think import llm_think
from emoharbor.profiles.loader import load_people
from emoharbor.state.episode import Channels
from emoharbor.state.updates import FeelUpdate, FusedUpdate, ThinkUpdate

CHAINS = {"fused": ("fused",), "three": ("feel", "think", "speak")}
CHAIN = CHAINS[os.environ.get("CHAIN", "fused")]
KEY_ENV = "EMOHARBOR_BENCH_KEY"


class Unchecked:
    """A model whose structured answers are taken as they are, once they fit the schema."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.name = model.name

    async def ask(self, messages: Sequence[BaseMessage], schema: Any, **options: Any) -> Answer[Any]:
        return await self._model.ask(messages, schema, **{**options, "check": None})

    async def say(self, messages: Sequence[BaseMessage], **options: Any) -> Reply:
        return await self._model.say(messages, **options)


def feel(model: ChatModel) -> RoleNode:
    node = llm_feel(Unchecked(model))

    async def moved(state: Channels, runtime: Runtime) -> FeelUpdate:
        return _moved(await node(state, runtime), state["turn"])

    return moved


def think(model: ChatModel) -> RoleNode:
    node = llm_think(Unchecked(model))

    async def stays(state: Channels, runtime: Runtime) -> ThinkUpdate:
        return _stays(await node(state, runtime))

    return stays


def speak(model: ChatModel) -> RoleNode:
    return llm_speak(Unchecked(model))


def fused(model: ChatModel) -> FusedNode:
    node = llm_fused(Unchecked(model))

    async def stays(state: Channels, runtime: Runtime) -> FusedUpdate:
        update = await node(state, runtime)
        return update.model_copy(update={"feel": _moved(update.feel, state["turn"]), "think": _stays(update.think)})

    return stays


def judge(model: ChatModel) -> JudgeNode:
    return llm_judge(Unchecked(model))


async def run(d: int, conc: int) -> int:
    """Play `d` dialogues, `conc` at once; return how many are complete: every turn, and a verdict."""
    os.environ[KEY_ENV] = API_KEY
    people = list(load_people("core"))
    count = next(n for n in range(min(len(people), d), 0, -1) if d % n == 0)
    ended = await evaluate(config(people[:count], math.ceil(d / count), conc), Path(tempfile.mkdtemp()) / "run")
    # the turn cap is met once every turn of it is answered
    return sum(episode.outcome == "turn_cap" and bool(episode.judgements) for episode in ended.results())


def config(people: list[str], repeats: int, concurrency: int) -> dict[str, Any]:
    model = {"model": MODEL, "base_url": BASE_URL, "api_key_env": KEY_ENV, "concurrency": max(64, concurrency)}
    return {
        "run": {"name": "contender", "max_turns": TURNS, "repeats": repeats, "allow_self_judging": True},
        "profiles": people,
        "cast": {
            "user": list(CHAIN), **{role: {"use": f"{__name__}:{role}", "model": model} for role in (*CHAIN, "judge")}
        },
        "supporters": [{"name": "chat", "use": "chat", "model": model}],
        "limits": {"concurrency": concurrency},
    }  # fmt: skip


def _moved(update: FeelUpdate, turn: int) -> FeelUpdate:
    """A person in whom nothing moves for four turns ends the dialogue as stale."""
    return update.model_copy(update={"distress": 3 + turn % 3})


def _stays(update: ThinkUpdate) -> ThinkUpdate:
    thought = update.thought.model_copy(update={"wants_to_continue": True, "intention": "elaborate"})
    return update.model_copy(update={"thought": thought})
