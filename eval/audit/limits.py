"""From when on something counts as a fault of the simulated person: the config's `audit:` section.

The defaults were set on the offline cast with half of the bundled people and checked on the other half (docs/audit.md).
With a model in the cast they are a starting point: read some findings before you publish the rates.
"""

from typing import Annotated

from pydantic import Field

from emoharbor.state.base import Frozen

Share = Annotated[float, Field(gt=0, le=1)]
Chance = Annotated[float, Field(gt=0, lt=0.5)]
Steps = Annotated[float, Field(ge=1)]


class AuditLimits(Frozen):
    """The limits of the audit. They say how a run is read, not what it is, so they may differ when it is resumed."""

    drift_share: Share = 0.6
    """`drift`: share of a message that stands in the supporter's replies and in nothing of the person's own."""
    leak_bytes: Annotated[int, Field(ge=12)] = 32
    """`leak`: length of a run, in UTF-8 bytes without spaces and punctuation, that a message shares with the thoughts
    of the turn or with what the profile says about the person."""
    repeat_share: Share = 0.8
    """`repeat`: share of a message that stands in the person's earlier messages."""
    told_share: Share = 0.5
    """`over_disclosure`: share of the person's own words for a fact held back that stands in a message."""
    warm_steps: Steps = 1.5
    """`instant_warmth`: gain of trust proposed in one turn, in the person's largest steps."""
    warm_replies: Annotated[int, Field(ge=1)] = 2
    """`instant_warmth`: replies within which no need is met at one stroke, nobody leaves content, and effusive
    thanks are too soon."""
    swing_steps: Steps = 1.25
    """`swing`: move of distress proposed in one turn, in the person's largest steps."""
    style_chance: Chance = 0.002
    """`style`: how unlikely the messages' marks (capitals, exclamations, lists ...) are for the writer of the profile's
    sample lines, below which they are somebody else's; two marks together count from five times as likely."""
    length_ratio: Annotated[float, Field(gt=1)] = 4.0
    """`style`: how many times as long, or as short, as the profile's lines the middle message may be."""
    longest: Annotated[int, Field(ge=100)] = 1500
    """`style`: characters of one message from which it is a report and no chat."""
