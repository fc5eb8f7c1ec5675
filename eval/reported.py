"""What the inner world says of an episode, without a judge: simulator-reported, and named so wherever it is shown."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reported:
    """One episode.

    Attributes:
        distress_change: at the end minus after the opening, on 0 to 10; below 0 is better.
        trust_end: 0 to 10.
        facts: share of the person's guarded facts that were told, 0 to 1; None when their number is not known.
        needs: share of the needs that were met, 0 to 1; None without needs.
    """

    distress_change: float
    trust_end: float
    facts: float | None
    needs: float | None
