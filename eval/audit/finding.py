"""One fault of the simulated person: where, by which rule, and in which words."""

from typing import Literal, get_args

from emoharbor.state.base import FilledText, Frozen, Text, Turn
from emoharbor.state.shift import ShiftRole

Kind = Literal[
    "drift", "leak", "repeat", "over_disclosure", "instant_warmth", "style", "swing", "contradiction"
]  # fmt: skip
"""What can be wrong with a simulated person.

- `drift`: speaks as the supporter would.
- `leak`: thoughts, parts of a form, or the profile's words about the person stand in a message.
- `repeat`: says again what was said.
- `over_disclosure`: tells, or means to tell, what is still to be held back.
- `instant_warmth`: trusts, is content or overflows with thanks sooner than this person could.
- `style`: length or manner are not those of the profile's voice.
- `swing`: distress is to move further than this person's volatility allows.
- `contradiction`: says what the profile rules out (only with a model check).
"""
KINDS: tuple[Kind, ...] = get_args(Kind)


class Finding(Frozen):
    """One fault. It is counted from what was proposed: one that was mended on retry, or cut by a limit, stands here."""

    kind: Kind
    rule: FilledText
    """Which check found it."""
    turn: Turn
    role: ShiftRole
    """The role that proposed it."""
    words: Text = ""
    """What was said or proposed."""
    why: FilledText
    """What is wrong, in one line."""
