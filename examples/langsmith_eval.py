"""An experiment in LangSmith: the episode graph is the target, and the person who talked is the evaluator.

    export LANGSMITH_API_KEY=...
    emoharbor datasets push P010,P040 --name people
    python examples/langsmith_eval.py people

Everybody here is rule-based, so it needs no model. Put your own cast and supporter into CONFIG, as in a run's config.
"""

import asyncio
import sys
from dataclasses import replace
from typing import Any

from langsmith import Client, aevaluate

from emoharbor.eval.assembly import assemble
from emoharbor.eval.config import make_config
from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import build_episode, step_limit
from emoharbor.nodes.models.client import Models
from emoharbor.profiles.loader import load_people
from emoharbor.state.episode import EpisodeState

CONFIG = {"profiles": "all", "supporters": [{"name": "attuned", "use": "offline", "style": "attuned"}]}
TURNS = 6


async def main(dataset: str) -> None:
    async with Models() as models:
        people = load_people("all")
        cast = assemble(make_config(CONFIG), models, people).cast
        talk = build_episode(replace(cast, judge=None), people.__getitem__, name="talk")
        rating = build_episode(cast, people.__getitem__, name="rating")
        limit: Any = {"recursion_limit": step_limit(TURNS)}

        async def target(inputs: dict[str, Any]) -> dict[str, Any]:
            context = EpisodeContext(supporter="attuned", max_turns=TURNS)
            start = first_state(people[inputs["profile_id"]], context)
            end = await talk.ainvoke(start.channels(), limit)
            return EpisodeState.from_channels(end).model_dump(mode="json")

        async def judge(outputs: dict[str, Any]) -> dict[str, Any]:
            # the state alone decides the next node: a finished dialogue without a verdict goes to the judge
            state = EpisodeState.model_validate(outputs)
            verdict = (await rating.ainvoke(state.channels(), limit))["verdict"]
            scored = [item for item in verdict.ratings if item.score is not None]
            results = [{"key": item.dimension, "score": item.score, "comment": item.reason} for item in scored]
            return {"results": [*results, {"key": "outcome", "value": outputs["outcome"]}]}

        done = await aevaluate(
            target, data=dataset, evaluators=[judge], experiment_prefix="attuned", client=Client(), max_concurrency=4
        )
        print(f"experiment {done.experiment_name}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("name the dataset: python examples/langsmith_eval.py people")
    asyncio.run(main(sys.argv[1]))
