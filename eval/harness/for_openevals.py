"""The simulated user in openevals' multi-turn simulation.

    person = OpenevalsUser(SimulatedUser("P010"))
    run_multiturn_simulation(
        app=app, user=person, stopping_condition=person.has_left, trajectory_evaluators=[person.rate], max_turns=15
    )

It needs nothing of openevals itself, whose protocol is plain functions and dicts.
"""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from emoharbor.eval.harness.user import Said, SimulatedUser
from emoharbor.state.errors import ConfigError, EmoHarborError
from emoharbor.state.verdict import Judgement

Message = Mapping[str, Any]
_MARK = "/said/"
"""Stands in the id of a message between the thread and a number: a later step finds its dialogue by it."""


class OpenevalsUser:
    """One person as `user`, for as many simulations as one likes: each has a thread of its own.

    Pass the object itself to `run_multiturn_simulation`, and its `answer`, `has_left_async` and `rate_async` to
    `run_multiturn_simulation_async`. Inner world and outcome are at `user.state(thread_id)`, never in a message.
    """

    def __init__(self, user: SimulatedUser, profile: str | None = None) -> None:
        self.user = user
        self._profile = profile

    def __call__(self, trajectory: Sequence[Message], *, thread_id: str, **_: Any) -> dict[str, str]:
        """Return the person's next message.

        Raises:
            EmoHarborError: when the person has nothing more to say; `has_left` ends a simulation before.
        """
        return _message(self.user.next_sync(trajectory, thread_id, self._profile), thread_id)

    async def answer(self, trajectory: Sequence[Message], *, thread_id: str, **_: Any) -> dict[str, str]:
        """Do the same without waiting."""
        return _message(await self.user.next(trajectory, thread_id, self._profile), thread_id)

    def has_left(self, trajectory: Sequence[Message], **_: Any) -> bool:
        """Tell whether the person has ended the talk: the `stopping_condition`."""
        return self.user.state(_thread(trajectory)).outcome is not None

    async def has_left_async(self, trajectory: Sequence[Message], **_: Any) -> bool:
        """Do the same for the async simulation."""
        return self.has_left(trajectory)

    def rate(self, *, outputs: Sequence[Message], **_: Any) -> list[dict[str, Any]]:
        """Rate the dialogue as the person: a `trajectory_evaluator` with a result for each dimension and mean."""
        return list(_results(self.user.rate_sync(_thread(outputs), outputs)))

    async def rate_async(self, *, outputs: Sequence[Message], **_: Any) -> list[dict[str, Any]]:
        """Do the same for the async simulation."""
        return list(_results(await self.user.rate(_thread(outputs), outputs)))


def _message(found: Said, thread_id: str) -> dict[str, str]:
    if found.text is None:
        why = f"{found.outcome.value}: {found.reason}" if found.outcome else found.reason
        raise EmoHarborError(f"the person says no more ({why}); stop the simulation with has_left")
    return {"role": "user", "content": found.text, "id": f"{thread_id}{_MARK}{uuid.uuid4().hex}"}


def _thread(trajectory: Sequence[Message]) -> str:
    for message in reversed(trajectory):
        thread, mark, _ = str(message.get("id", "")).rpartition(_MARK)
        if mark:
            return thread
    raise ConfigError("this trajectory holds no message of a simulated user")


def _results(judgement: Judgement) -> Iterator[dict[str, Any]]:
    """Yield what was scored; what was not is no result, and never a number."""
    for rating in judgement.ratings:
        if rating.score is not None:
            yield {"key": rating.dimension, "score": rating.score, "comment": rating.reason}
    if judgement.scores is not None:
        for name in ("overall", "general", "tailored"):
            if (mean := getattr(judgement.scores, name)) is not None:
                yield {"key": name, "score": mean, "comment": f"mean by {judgement.judge}"}
    if judgement.unscored is not None:
        yield {"key": "unscored", "score": None, "comment": judgement.unscored}
