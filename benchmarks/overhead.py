"""Our own time per node and per dialogue, without model latency, against a bare LangGraph loop of the same shape.

All loops run the same 63 nodes (15 turns of feel, think, speak, supporter; feel and think for the last reply; the
judge) with trivial scripted nodes, in one process, by turns. What remains on our side is what the house adds: typed
updates, the limits of the inner world, the log of shifts, who-sees-what, the checks of a message, the supporter's
clean room, and the route.

There are two bare loops. `edges` goes from node to node by edges, one of them conditional, as LangGraph's guides write
a loop. `command` is the cheapest form there is, in which each node returns `Command(goto=...)`, as ours do. All are
asked in the same way, that of the runner.

Usage: python benchmarks/overhead.py [--rounds 30] [--turns 15] [--json] [--profile]
"""

import argparse
import asyncio
import cProfile
import gc
import json
import pstats
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import build_episode, step_limit
from emoharbor.nodes.cast import Cast, Part
from emoharbor.nodes.contract import Request, Runtime
from emoharbor.profiles.loader import load_people
from emoharbor.state.base import Role
from emoharbor.state.episode import Channels
from emoharbor.state.inner_world import Thought
from emoharbor.state.updates import FeelUpdate, JudgeUpdate, SpeakUpdate, SupporterUpdate, ThinkUpdate
from emoharbor.state.verdict import Judgement

TARGET = 1.2
WHO = "P035"
Loop = Callable[[], Awaitable[None]]


# Ours: the real graph; each node hands back one small fixed update.


async def feel(state: Channels, runtime: Runtime) -> FeelUpdate:
    return FeelUpdate(distress=3 + state["turn"] % 3, cause="a word")


async def think(state: Channels, runtime: Runtime) -> ThinkUpdate:
    return ThinkUpdate(thought=Thought(monologue="hm", intention="elaborate"))


async def speak(state: Channels, runtime: Runtime) -> SpeakUpdate:
    return SpeakUpdate(message=f"I say {state['turn']}")


async def answer(request: Request) -> SupporterUpdate:
    return SupporterUpdate(message=f"You hear {request.turn}")


async def judge(state: Channels, runtime: Runtime) -> JudgeUpdate:
    return JudgeUpdate(judgement=Judgement(judge="none", rubric="none", unscored="a benchmark"))


def ours(turns: int) -> Loop:
    """Return one dialogue of the episode graph."""
    people = load_people(WHO)
    user = (_part("feel", feel), _part("think", think), _part("speak", speak))
    cast = Cast(user, _part("judge", judge), {"scripted": _part("supporter", answer)})
    graph = build_episode(cast, people.__getitem__)
    state = _start(turns)

    async def dialogue() -> None:
        end = (await graph.ainvoke(state, {"recursion_limit": step_limit(turns)}, version="v2")).value
        assert end["verdict"] is not None
        assert len(end["messages"]) == 2 * turns

    return dialogue


def _part(role: Role, node: Any) -> Part:
    return Part(role, "offline", {}, "0", None, node)


# Bare: what one would write in LangGraph alone. It carries the same channels with the same reducers and writes to them
# as often, but nothing is validated, limited, logged, hidden or checked.


async def bare_feel(state: Channels) -> Command[Any]:
    return Command(update={**_inner(state), "last": "feel"}, goto="think")


async def bare_think(state: Channels) -> Command[Any]:
    over = state["turn"] >= state["max_turns"]
    return Command(update={**_inner(state), "last": "think"}, goto="judge" if over else "speak")


async def bare_speak(state: Channels) -> Command[Any]:
    said = HumanMessage(content=f"I say {state['turn']}", id=f"u{state['turn']}")
    return Command(update={**_inner(state), "messages": [said], "last": "speak"}, goto="supporter")


async def bare_supporter(state: Channels) -> Command[Any]:
    reply = AIMessage(content=f"You hear {state['turn']}", id=f"a{state['turn']}")
    return Command(update={"messages": [reply], "turn": state["turn"] + 1, "last": "supporter"}, goto="feel")


async def bare_judge(state: Channels) -> Command[Any]:
    verdict = Judgement(judge=state["supporter"], rubric="none", unscored="a benchmark")
    return Command(update={"verdict": verdict, "last": "judge"}, goto=END)


def _inner(state: Channels) -> dict[str, Any]:
    inner = state["inner"].model_copy(update={"turn": state["turn"], "distress": 3 + state["turn"] % 3})
    return {"inner": inner, "worlds": (inner,), "shifts": ()}


def command(turns: int) -> Loop:
    """Return one dialogue of the bare loop in which each node says where to go."""
    graph = StateGraph(Channels, context_schema=EpisodeContext)
    graph.add_node("feel", bare_feel, destinations=("think",))
    graph.add_node("think", bare_think, destinations=("speak", "judge"))
    graph.add_node("speak", bare_speak, destinations=("supporter",))
    graph.add_node("supporter", bare_supporter, destinations=("feel",))
    graph.add_node("judge", bare_judge, destinations=(END,))
    graph.add_edge(START, "feel")
    return _bare(graph.compile(), turns)


def edges(turns: int) -> Loop:
    """Return one dialogue of the bare loop of edges."""
    graph = StateGraph(Channels, context_schema=EpisodeContext)
    for node in (bare_feel, bare_think, bare_speak, bare_supporter, bare_judge):
        graph.add_node(node.__name__.removeprefix("bare_"), _stays(node))
    for before, after in ((START, "feel"), ("feel", "think"), ("speak", "supporter"), ("supporter", "feel")):
        graph.add_edge(before, after)
    graph.add_edge("judge", END)

    async def enough(state: Channels) -> str:
        return "judge" if state["turn"] >= state["max_turns"] else "speak"

    graph.add_conditional_edges("think", enough, ["speak", "judge"])
    return _bare(graph.compile(), turns)


def _stays(node: Callable[[Channels], Awaitable[Command[Any]]]) -> Any:
    async def stays(state: Channels) -> Any:
        return (await node(state)).update

    return stays


def _bare(compiled: Any, turns: int) -> Loop:
    state = _start(turns)

    async def dialogue() -> None:
        end = (await compiled.ainvoke(state, {"recursion_limit": step_limit(turns)}, version="v2")).value
        assert end["verdict"] is not None
        assert len(end["messages"]) == 2 * turns

    return dialogue


def _start(turns: int) -> Channels:
    return first_state(load_people(WHO)[WHO], EpisodeContext(supporter="scripted", max_turns=turns)).channels()


async def measure(loops: dict[str, Loop], rounds: int) -> dict[str, list[float]]:
    """Return the CPU milliseconds of each dialogue; the loops take turns, so that both meet the same machine."""
    spent: dict[str, list[float]] = {name: [] for name in loops}
    for number in range(rounds + 3):
        for name, dialogue in loops.items():
            gc.collect()
            began = time.process_time()
            await dialogue()
            if number >= 3:  # the first rounds warm caches
                spent[name].append((time.process_time() - began) * 1000)
    return spent


def figures(spent: dict[str, list[float]], nodes: int) -> dict[str, Any]:
    """Return medians, and our ratio to each bare loop, taken round by round."""
    ratios = {
        name: [mine / plain for mine, plain in zip(spent["ours"], values, strict=True)]
        for name, values in spent.items() if name != "ours"
    }  # fmt: skip
    medians = {name: statistics.median(values) for name, values in spent.items()}
    return {
        "nodes": nodes,
        "rounds": len(spent["ours"]),
        "ms_per_dialogue": medians,
        "us_per_node": {name: value * 1000 / nodes for name, value in medians.items()},
        "ratio": {name: statistics.median(values) for name, values in ratios.items()},
        "ratio_quartiles": {name: statistics.quantiles(values, n=4)[::2] for name, values in ratios.items()},
        # whatever else runs on the machine only adds time, so the quickest rounds show most of what is ours
        "ratio_of_quickest": {name: min(spent["ours"]) / min(spent[name]) for name in ratios},
        "target": TARGET,
    }


def table(found: dict[str, Any]) -> str:
    """Return the figures as text."""
    lines = [f"{'':8}{'ms a dialogue':>15}{'us a node':>12}"]
    for name, value in found["ms_per_dialogue"].items():
        lines.append(f"{name:8}{value:>15.2f}{found['us_per_node'][name]:>12.0f}")
    for name, ratio in found["ratio"].items():
        low, high = found["ratio_quartiles"][name]
        lines.append(
            f"ours to {name}: {ratio:.2f} (quartiles {low:.2f} to {high:.2f}; of the quickest rounds "
            f"{found['ratio_of_quickest'][name]:.2f}), target at most {found['target']}"
        )
    lines.append(f"{found['nodes']} nodes a dialogue, medians of {found['rounds']} rounds, CPU time")
    return "\n".join(lines)


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--rounds", type=int, default=30)
    options.add_argument("--turns", type=int, default=15)
    options.add_argument("--json", action="store_true", help="print the figures as JSON")
    options.add_argument("--profile", action="store_true", help="print where our own time goes")
    chosen = options.parse_args()
    loops = {"command": command(chosen.turns), "edges": edges(chosen.turns), "ours": ours(chosen.turns)}
    if chosen.profile:
        _profile(loops["ours"])
        return
    spent = asyncio.run(measure(loops, chosen.rounds))
    found = figures(spent, 4 * chosen.turns + 3)
    print(json.dumps(found, indent=1) if chosen.json else table(found))


def _profile(dialogue: Loop) -> None:
    async def many() -> None:
        for _ in range(20):
            await dialogue()

    with cProfile.Profile() as profile:
        asyncio.run(many())
    pstats.Stats(profile).sort_stats("tottime").print_stats("emoharbor|pydantic|main/", 30)


if __name__ == "__main__":
    main()
