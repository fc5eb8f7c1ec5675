"""A judgement held against the rubric that the judge was given, whoever wrote the judge."""

from collections import Counter

from emoharbor.nodes.cast import Part
from emoharbor.state.errors import NodeError
from emoharbor.state.verdict import Judgement


def held(judgement: Judgement, part: Part) -> Judgement:
    """Return a judgement whose means are those of its ratings.

    One that is unscored is left as it is.

    Raises:
        NodeError: naming the judge, when it does not rate each dimension of its rubric once and within the scale.
    """
    rubric = part.rubric
    if rubric is None or judgement.unscored is not None:
        return judgement
    known = {item.id for item in rubric.dimensions}
    rated = Counter(item.dimension for item in judgement.ratings)
    wrong = [
        *(f"rated {name!r}, which is no dimension of {rubric.id}" for name in rated if name not in known),
        *(f"rated {name!r} {count} times" for name, count in rated.items() if count > 1),
        *(f"did not rate {item.id!r}; a missing score is None" for item in rubric.dimensions if item.id not in rated),
        *(
            f"gave {item.score} for {item.dimension!r}; the scale runs from {rubric.low} to {rubric.high}"
            for item in judgement.ratings
            if item.score is not None and not rubric.low <= item.score <= rubric.high
        ),
    ]
    if wrong:
        raise NodeError("judge", part.name, wrong[0])
    scores = rubric.scores(judgement.ratings)
    if scores is None:
        raise NodeError("judge", part.name, "gave scores though no dimension has one; say why in `unscored`")
    return judgement.model_copy(update={"scores": scores})
