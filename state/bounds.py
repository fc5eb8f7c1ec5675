"""How far one person can move in one turn. The numbers follow from the profile (`emoharbor.profiles.bounds`)."""

from typing import Annotated

from pydantic import Field

from emoharbor.state.base import FilledText, Frozen, Level

Step = Annotated[float, Field(gt=0, le=10)]


class Threshold(Frozen):
    """The trust that one guarded fact needs before it may be released."""

    fact: FilledText
    trust: Level


class Bounds(Frozen):
    """The person's inertia and thresholds."""

    distress_step: Step
    """Largest move of distress in one turn, either way."""
    trust_gain: Step
    """Largest gain of trust in one turn; trust is lost faster than it is won."""
    trust_loss: Step
    """Largest loss of trust in one turn."""
    releases_per_turn: Annotated[int, Field(ge=1)]
    """How many guarded facts may be released in one turn."""
    thresholds: tuple[Threshold, ...] = ()
