"""The record of one change of the inner world; viewer, judge and statistics read the log of these."""

from typing import Literal

from emoharbor.state.base import Frozen, Role, Text, Turn

ShiftField = Literal[
    "emotions", "distress", "trust", "felt_understood", "readiness", "need", "released", "disclosed", "gist"
]
ShiftValue = float | str | tuple[str, ...] | None
"""A closed union that JSON gives back unchanged; emotions are written `label:intensity`, needs `id:status`."""

ShiftRole = Role | Literal["editor"]
"""Who changed it: a role of the person, or somebody at the keyboard (`state/edits.py`)."""


class Shift(Frozen):
    """What a role proposed for one field, and what the person's limits let through.

    Limits act on `applied`; audits and clamp rates read `proposed`, else they would only measure the limits.
    """

    field: ShiftField
    before: ShiftValue
    proposed: ShiftValue
    applied: ShiftValue
    role: ShiftRole
    turn: Turn
    cause: Text
    """The words or the reason behind it."""

    @property
    def limited(self) -> bool:
        """Whether the limits changed what was proposed."""
        return self.proposed != self.applied
