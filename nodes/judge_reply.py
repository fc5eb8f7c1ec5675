"""What a judge is asked to fill in, for a rubric's own dimensions and scale."""

from typing import Annotated, Any, cast

from pydantic import Field, WithJsonSchema, create_model

from emoharbor.nodes.reply import Between, Filled, Percent, Reply, Words
from emoharbor.nodes.rubric import Rubric


class Quoted(Reply):
    """Words of the dialogue."""

    turn: int = Field(description="The turn they stand in.")
    quote: Words = Field(description="A few words copied exactly from that turn.")


class Moment(Quoted):
    """One moment of the talk."""

    why: Filled = Field(description="What made it so, one sentence.")


class Weakest(Moment):
    """The worst moment for you, over all turns."""


class Strongest(Moment):
    """The best moment for you, over all turns."""


class RatingReply(Reply):
    """One dimension. Fill in the fields in this order."""

    dimension: str = Field(description="Its id.")
    evidence: list[Quoted] = Field(description="One or two pieces of evidence for this dimension.")
    reason: Filled = Field(description="What the evidence shows about this one question; one or two sentences, as you.")
    score: int | None = Field(description="The level; null only if the dialogue gives nothing to answer it from.")
    certainty: Percent = Field(description="How sure you are of this score, 0 to 100.")


class JudgeReply(Reply):
    """The rating of a whole talk. Fill in the fields in this order."""

    weakest: Weakest  # strict mode takes no description beside a reference
    strongest: Strongest
    ratings: list[RatingReply] = Field(description="One rating for each dimension, each exactly once.")


def reply_for(rubric: Rubric) -> type[JudgeReply]:
    """Return the reply's model for one rubric: its ids are sent as an enum, its scale is checked.

    An id that is not the rubric's passes here, so that one stray rating does not cost all the others.
    """
    ids = [item.id for item in rubric.dimensions]
    known: Any = Annotated[str, WithJsonSchema({"type": "string", "enum": ids})]
    score: Any = Annotated[int, Between(rubric.low, rubric.high)] | None
    scale = f" A whole number from {rubric.low} to {rubric.high}." if rubric.is_sparse else ""
    # create_model takes types as values, which no type checker can follow
    rating: Any = cast("Any", create_model)(
        "RatingReply",
        __base__=RatingReply,
        __doc__=RatingReply.__doc__,
        dimension=(known, Field(description=RatingReply.model_fields["dimension"].description)),
        score=(score, Field(description=f"{RatingReply.model_fields['score'].description}{scale}")),
    )
    ratings = Field(description=JudgeReply.model_fields["ratings"].description)
    made: type[JudgeReply] = cast("Any", create_model)(
        "JudgeReply", __base__=JudgeReply, __doc__=JudgeReply.__doc__, ratings=(list[rating], ratings)
    )
    return made
