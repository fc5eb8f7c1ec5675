"""openevals' multi-turn simulation with a person of ours as its user, sync and async."""

from typing import Any

import pytest

from emoharbor.eval.harness import SimulatedUser
from emoharbor.eval.harness.for_openevals import OpenevalsUser
from emoharbor.state.errors import ConfigError, EmoHarborError

pytest.importorskip("openevals", reason="needs the extra emoharbor[harness]")
from openevals.simulators import run_multiturn_simulation, run_multiturn_simulation_async


def app(message: dict[str, Any], *, thread_id: str) -> dict[str, str]:
    assert set(message) == {"role", "content", "id"}, "nothing of the person but their words"
    return {"role": "assistant", "content": f"You said: {message['content'][:20]}. What hurts most?"}


async def async_app(message: dict[str, Any], *, thread_id: str) -> dict[str, str]:
    return app(message, thread_id=thread_id)


async def test_both_simulations_hold_the_same_dialogue_and_rate_it() -> None:
    with SimulatedUser("P010", max_turns=3) as user:
        person = OpenevalsUser(user)
        one = run_multiturn_simulation(
            app=app, user=person, stopping_condition=person.has_left, trajectory_evaluators=[person.rate], max_turns=3,
            thread_id="one/with/slashes",
        )  # fmt: skip
        other = await run_multiturn_simulation_async(
            app=async_app, user=person.answer, stopping_condition=person.has_left_async,
            trajectory_evaluators=[person.rate_async], max_turns=3, thread_id="other",
        )  # fmt: skip
        assert user.state("one/with/slashes").messages[0].text == one["trajectory"][0]["content"]

    texts = [[message["content"] for message in result["trajectory"]] for result in (one, other)]
    assert texts[0] == texts[1]
    assert len(texts[0]) == 6
    scores = [{found["key"]: found["score"] for found in result["evaluator_results"]} for result in (one, other)]
    assert scores[0] == scores[1]
    assert {"empathy", "need_fit", "overall", "tailored"} <= scores[0].keys()


def test_the_simulation_stops_when_the_person_leaves() -> None:
    with SimulatedUser("P010", max_turns=15) as user:
        person = OpenevalsUser(user)
        result = run_multiturn_simulation(
            app=lambda message, thread_id: {"role": "assistant", "content": "Mm."}, user=person,
            stopping_condition=person.has_left, max_turns=15, thread_id="left",
        )  # fmt: skip
        end = user.state("left").outcome

        assert end is not None
        assert len(result["trajectory"]) < 30
        with pytest.raises(EmoHarborError, match=r"the person says no more .*stop the simulation with has_left"):
            person(result["trajectory"], thread_id="left")


def test_a_foreign_trajectory_is_refused() -> None:
    with SimulatedUser("P010") as user, pytest.raises(ConfigError, match="no message of a simulated user"):
        OpenevalsUser(user).has_left([{"role": "user", "content": "Hi", "id": "7"}])
