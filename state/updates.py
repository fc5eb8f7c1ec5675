"""What each node may hand back. A node proposes; the reducers decide what the person's limits let through."""

from typing import Annotated, Literal

from pydantic import Field

from emoharbor.state.base import FilledText, Frozen, Level, Text, Understood
from emoharbor.state.inner_world import Appraisal, Emotion, NeedStatus, Thought
from emoharbor.state.verdict import Judgement


class FeelUpdate(Frozen):
    """What `feel` proposes. Fields left out stay as they are."""

    appraisal: Appraisal | None = None
    emotions: Annotated[tuple[Emotion, ...], Field(min_length=1, max_length=3)] | None = None
    distress: Level | None = None
    trust: Level | None = None
    felt_understood: Understood | None = None
    cause: Text = ""
    """Why it changed: the words that did it, or what is in the situation."""


class NeedMove(Frozen):
    """A need whose status changes, with the supporter's words that did it."""

    id: FilledText
    status: NeedStatus
    cause: Text = ""


class ThinkUpdate(Frozen):
    """What `think` proposes."""

    thought: Thought
    readiness: Level | None = None
    needs: tuple[NeedMove, ...] = ()


class DisclosureClaim(Frozen):
    """A guarded fact that `speak` says its message tells, and the words that tell it."""

    fact: FilledText
    quote: FilledText


class SpeakUpdate(Frozen):
    """The one message the supporter sees."""

    message: FilledText
    disclosures: tuple[DisclosureClaim, ...] = ()
    ends: Literal["satisfied", "gave_up", "over"] | None = None
    """Only for the chain `[speak]`, which has no `think` to decide about leaving; and `over` for a recorded dialogue
    that ends with this message."""


class FusedUpdate(Frozen):
    """Feel, think and speak in one. `speak` is None when the last reply is only taken in."""

    feel: FeelUpdate
    think: ThinkUpdate
    speak: SpeakUpdate | None = None


class SupporterUpdate(Frozen):
    """The supporter's answer."""

    message: FilledText


class JudgeUpdate(Frozen):
    """The verdict on a finished episode."""

    judgement: Judgement


NodeUpdate = FeelUpdate | ThinkUpdate | SpeakUpdate | FusedUpdate | SupporterUpdate | JudgeUpdate
