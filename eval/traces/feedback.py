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

    Ratings by another repeat or as another person say so in their key.
    """
    if outcome is not None:
        yield Feedback("outcome", value=outcome.value, comment=reason or None)
    for judgement in judgements:
        tail = f"#{judgement.repeat}" if judgement.repeat else ""
        tail += f" as {judgement.counterfactual}" if judgement.counterfactual else ""
        for rating in judgement.ratings:
            if rating.score is not None:
                yield Feedback(f"{rating.dimension}{tail}", score=rating.score, comment=rating.reason or None)
        if judgement.scores is not None:
            for name, mean in judgement.scores:
                if mean is not None:
                    yield Feedback(f"{name}{tail}", score=mean)
        elif judgement.unscored:
            yield Feedback(f"unscored{tail}", value="unscored", comment=judgement.unscored)
