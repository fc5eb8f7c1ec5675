"""How an episode ended: a closed list, always recorded."""

from enum import StrEnum
from typing import Literal

Standing = Literal["completed", "invalid", "supporter_failure", "unfinished"]
"""What an outcome means for the figures: judged; kept but never scored; scored lowest; run again on resume."""


class Outcome(StrEnum):
    """The end of an episode. `standing` says how the figures treat it."""

    USER_SATISFIED = "user_satisfied"
    USER_LEFT = "user_left"
    TURN_CAP = "turn_cap"
    STALE = "stale"
    USER_INVALID = "user_invalid"
    SUPPORTER_REFUSED = "supporter_refused"
    SUPPORTER_EMPTY = "supporter_empty"
    SUPPORTER_TRUNCATED = "supporter_truncated"
    SUPPORTER_ERROR = "supporter_error"
    INFRASTRUCTURE = "infrastructure"

    @property
    def standing(self) -> Standing:
        """The class of this outcome."""
        return _STANDING[self]

    @property
    def judged(self) -> bool:
        """Whether the judge rates an episode that ended so."""
        return self.standing == "completed"


_STANDING: dict[Outcome, Standing] = {
    Outcome.USER_SATISFIED: "completed",
    Outcome.USER_LEFT: "completed",
    Outcome.TURN_CAP: "completed",
    Outcome.STALE: "completed",
    Outcome.USER_INVALID: "invalid",
    Outcome.SUPPORTER_REFUSED: "supporter_failure",
    Outcome.SUPPORTER_EMPTY: "supporter_failure",
    Outcome.SUPPORTER_TRUNCATED: "supporter_failure",
    Outcome.SUPPORTER_ERROR: "supporter_failure",
    Outcome.INFRASTRUCTURE: "unfinished",
}
