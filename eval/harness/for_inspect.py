"""The simulated user as an inspect_ai solver, and its judge as a scorer.

The model that inspect evaluates is the supporter. A sample names the person: `metadata={"profile": "P010"}`, or else
its id. Needs the extra `emoharbor[harness]`.
"""

from typing import Any

from emoharbor.eval.harness.user import People, SimulatedUser, people_named
from emoharbor.state.episode import MAX_TURNS
from emoharbor.state.errors import ConfigError, EmoHarborError
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Judgement

try:
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageUser
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import Generate, Solver, TaskState, solver
except ImportError as error:
    missing = (error.name or "inspect_ai").partition(".")[0]
    raise ConfigError(f"{missing} is not installed; it comes with: pip install 'emoharbor[harness]'") from None

KEY = "emoharbor"
"""Where outcome and judgement stand in a sample's store."""


def people_dataset(people: People) -> MemoryDataset:
    """Return a dataset with a sample for each person."""
    samples = [Sample(input=name, id=name, metadata={"profile": name}) for name in people_named(people)]
    return MemoryDataset(samples, name="people")


@solver
def simulated_user(
    people: str | list[str] = "all",
    cast: dict[str, Any] | None = None,
    models: dict[str, Any] | None = None,
    max_turns: int = MAX_TURNS,
    seed: int = 0,
) -> Solver:
    """Let the sample's person talk with the model until they leave, the turn cap, or a limit of the sample.

    The sample's own input is not sent; system messages that stand before the talk are. The dialogue is then rated,
    for `as_the_person` to report.

    Args:
        people: who there is: a set, ids, or paths.
        cast: who plays the person and the judge, as in a config; None for the offline cast.
        models: the models that the cast names, as in a config.
        max_turns: messages of the person at most.
        seed: of the person; a sample's epoch counts as its repeat.
    """
    user = SimulatedUser(people, cast=cast, models=models, max_turns=max_turns, seed=seed)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.messages = [message for message in state.messages if message.role == "system"]
        profile, thread = str((state.metadata or {}).get("profile", state.sample_id)), state.uuid
        said = await user.next([], thread, profile, repeat=state.epoch - 1)
        while said.text is not None:
            state.messages.append(ChatMessageUser(content=said.text))
            if said.outcome is not None:
                break
            state = await generate(state)
            if not state.output.completion.strip() or state.completed:
                break
            said = await user.next(state.messages, thread, profile)
        state.store.set(KEY, await _ended(user, thread, state))
        user.forget(thread)
        return state

    return solve


async def _ended(user: SimulatedUser, thread: str, state: TaskState) -> dict[str, Any]:
    end = user.state(thread)
    last = state.messages[-1]
    if last.role == "assistant" and not last.text.strip():
        return {"outcome": Outcome.SUPPORTER_EMPTY.value, "reason": "the reply is empty"}
    found: dict[str, Any] = {
        "outcome": end.outcome.value if end.outcome else "ended_by_inspect", "reason": end.outcome_reason,
        "inner_world": end.inner.model_dump(mode="json"),
    }  # fmt: skip
    try:
        judgement = await user.rate(thread, state.messages)
    except EmoHarborError as error:
        return {**found, "unscored": str(error)}
    return {**found, "judgement": judgement.model_dump(mode="json")}


@scorer(metrics={"*": [mean(), stderr()]})
def as_the_person() -> Scorer:
    """Report what the person gave on each dimension, and the means; what was not scored is left out of the metrics."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - inspect's signature
        found: dict[str, Any] = state.store.get(KEY, {})
        if found.get("outcome") == Outcome.SUPPORTER_EMPTY:
            return Score.unscored(reason="no_response", explanation="the model did not answer the person")
        if "judgement" not in found:
            return Score.unscored(reason="scoring_failed", explanation=found.get("unscored", "no dialogue was held"))
        judgement = Judgement.model_validate(found["judgement"])
        if judgement.scores is None:
            return Score.unscored(reason="grader_failed", explanation=judgement.unscored)
        means = {name: getattr(judgement.scores, name) for name in ("overall", "general", "tailored")}
        ratings = {rating.dimension: rating.score for rating in judgement.ratings}
        told = "\n".join(f"{rating.dimension}: {rating.reason}" for rating in judgement.ratings)
        return Score(value={**means, **ratings}, explanation=told, metadata={"outcome": found["outcome"]})

    return score
