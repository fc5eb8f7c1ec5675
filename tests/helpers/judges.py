"""Judges for tests, named as `helpers.judges:NAME`: they rate by the offline rules, each with something of its own."""

import json
import os
from pathlib import Path

from emoharbor.nodes.contract import JudgeNode, Runtime
from emoharbor.nodes.offline.judge import rate
from emoharbor.nodes.rubric import load_rubric
from emoharbor.profiles.loader import bundled
from emoharbor.state.episode import Channels
from emoharbor.state.errors import Unreachable
from emoharbor.state.updates import JudgeUpdate
from emoharbor.state.verdict import Judgement

LOG = "EMOHARBOR_TEST_JUDGE_LOG"
"""Names the file to which `watching` adds a line a rating."""
FAILS = "EMOHARBOR_TEST_JUDGE_FAILS"
"""Ids of the people, joined by commas, at whom `watching` cannot be reached."""


def watching() -> JudgeNode:
    """Rate, and write down what was there to see."""

    async def judge(state: Channels, runtime: Runtime) -> JudgeUpdate:
        person, situation = runtime.profile.person, runtime.profile.situation
        seen = {
            "profile": runtime.profile.id, "of": state["profile_id"], "rated_as": runtime.rated_as,
            "name": person.name if person else None, "title": situation.title if situation else None,
            "worlds": [world.distress for world in state.get("worlds", ())], "inner": "inner" in state,
            "repeat": runtime.repeat, "seed": runtime.seed, "supporter": "supporter" in state,
        }  # fmt: skip
        if state["profile_id"] in os.environ.get(FAILS, "").split(","):
            raise Unreachable("nobody there")
        _write(json.dumps(seen))
        return JudgeUpdate(judgement=rate(state, runtime, load_rubric()))

    return judge


def harsh() -> JudgeNode:
    """Rate as the person themself would, and one level lower on everything when asked to rate as another."""
    people, rubric = bundled(), load_rubric()

    async def judge(state: Channels, runtime: Runtime) -> JudgeUpdate:
        oneself = Runtime(people[state["profile_id"]], runtime.seed, runtime.max_turns)
        found = rate(state, oneself, rubric)
        return JudgeUpdate(judgement=_lowered(found) if runtime.rated_as else found)

    return judge


def gappy() -> JudgeNode:
    """Rate, and leave two of the tailored dimensions without a score."""
    rubric = load_rubric()

    async def judge(state: Channels, runtime: Runtime) -> JudgeUpdate:
        found = rate(state, runtime, rubric)
        left_out = {"need_fit": "nothing to go by", "discovery": "nothing to go by"}
        ratings = tuple(
            item.model_copy(update={"score": None, "reason": left_out[item.dimension]})
            if item.dimension in left_out
            else item
            for item in found.ratings
        )
        return JudgeUpdate(judgement=found.model_copy(update={"ratings": ratings, "scores": rubric.scores(ratings)}))

    return judge


def _write(line: str) -> None:
    with Path(os.environ[LOG]).open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def _lowered(found: Judgement) -> Judgement:
    rubric = load_rubric()
    ratings = tuple(
        item if item.score is None else item.model_copy(update={"score": max(rubric.low, item.score - 1)})
        for item in found.ratings
    )
    return found.model_copy(update={"ratings": ratings, "scores": rubric.scores(ratings)})
