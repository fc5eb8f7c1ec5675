"""An episode's ratings and outcome as LangSmith feedback."""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Judgement


@dataclass(frozen=True, slots=True)
class Feedback:
    """One piece of feedback on an episode's trace.

    Attributes:
        key: the dimension, the name of a mean, or `outcome`.
        score: the number; None for a word.
        value: the word.
        comment: the reason behind it.
    """

    key: str
    score: float | None = None
    value: str | None = None
    comment: str | None = None

    def id_for(self, run: uuid.UUID) -> uuid.UUID:
        """Return an id that is the same each time, so that sending it again changes nothing."""
        return uuid.uuid5(run, self.key)


def feedback_of(outcome: Outcome | None, reason: str, judgements: Iterable[Judgement]) -> Iterator[Feedback]:
    """Yield an episode's feedback: its outcome, then each dimension and mean. A missing score is missing here too.

    All but the run's own first rating say in their keys how they were made, so that none takes the place of another.
    """
    if outcome is not None:
        yield Feedback("outcome", value=outcome.value, comment=reason or None)
    for judgement in judgements:
        tail = _tail(judgement)
        for rating in judgement.ratings:
            if rating.score is not None:
                yield Feedback(f"{rating.dimension}{tail}", score=rating.score, comment=rating.reason or None)
        if judgement.scores is not None:
            for name, mean in judgement.scores:
                if isinstance(mean, float):
                    yield Feedback(f"{name}{tail}", score=mean)
        elif judgement.unscored:
            yield Feedback(f"unscored{tail}", value="unscored", comment=judgement.unscored)


def _tail(judgement: Judgement) -> str:
    """Return what tells the feedback of a judgement from that of others."""
    parts = []
    if not judgement.own and judgement.judge_id:
        parts.append(f"by {judgement.judge} {judgement.judge_id[:6]}")
    if judgement.counterfactual:
        parts.append(f"as {judgement.counterfactual}")
    if judgement.control:
        parts.append(f"({judgement.control})")
    if not judgement.own and not judgement.with_log:
        parts.append("without log")
    repeat = f"#{judgement.repeat}" if judgement.repeat else ""
    return f"{repeat} {' '.join(parts)}" if parts else repeat
