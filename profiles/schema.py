"""One person: a `situation` and a `person` block kept apart, so that they can be recombined.

`situation` holds what happened and what is at stake, with no trace of personality. `person` holds who it happened to,
with no trace of what happened. What this person says about this situation, in their own words, belongs to neither and
stands in `telling`; a recombined person has none. Everything is frozen once loaded.

Scales: traits 0 to 100 (mean of five IPIP items a domain, as in the public `bfi` set); pace, resistance and volatility
1 to 5; attachment by the two ECR dimensions; coping by the Ways of Coping scales; needs by Cutrona and Suhr.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from emoharbor.state.base import FilledText, Frozen, Intensity, Level
from emoharbor.state.inner_world import EmotionLabel, NeedType

ProfileId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.~-]{0,63}$")]
"""An id that is safe in file names, URLs and traces; `~` joins the two halves of a recombined person."""
FactId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
Percent = Annotated[int, Field(ge=0, le=100)]
FivePoint = Annotated[int, Field(ge=1, le=5)]
Lines = Annotated[tuple[FilledText, ...], Field(min_length=1)]

ProblemType = Literal[
    "ongoing depression", "job crisis", "breakup with partner", "problems with friends", "academic pressure",
    "bereavement", "caregiving", "chronic illness", "immigration and acculturation", "money", "new parenthood",
    "alcohol abuse", "appearance anxiety", "issues with children", "issues with parents", "procrastination",
    "school bullying", "sleep problems",
]  # fmt: skip
"""ESConv's problem types and six it lacks."""
CopingStyle = Literal[
    "confrontive", "distancing", "self-controlling", "seeking social support", "accepting responsibility",
    "escape-avoidance", "planful problem solving", "positive reappraisal",
]  # fmt: skip
AttachmentLevel = Literal["low", "mid", "high"]
ExpressionStyle = Literal["plain", "guarded", "verbose", "ironic", "fragmented", "formal"]


class Attempt(Frozen):
    """Something already tried, and why it did not help."""

    what: FilledText
    why_it_failed: FilledText


class GuardedFact(Frozen):
    """Something the person holds back until they trust the listener enough."""

    id: FactId
    fact: FilledText
    why_held_back: FilledText
    trust: Level
    """The trust from which it may be told, 0 to 10."""
    tells: Lines
    """Short wordings by which a reader would notice that the fact was told; checked in every message."""


class Situation(Frozen):
    """What happened. Nothing here says who the person is beyond the facts."""

    title: FilledText
    problem: ProblemType
    angle: FilledText
    history: FilledText
    stakes: FilledText
    tried: Annotated[tuple[Attempt, ...], Field(min_length=1)]
    now: FilledText
    """Why today: the state of things as the person opens the chat."""
    circumstances: Lines
    """Limits that any help has to fit: money, time, people, place."""
    feeling: EmotionLabel
    """The main emotion at the start."""
    intensity: Intensity
    """How strong it is at the start, 0 to 10; `distress` starts here."""
    guarded: Annotated[tuple[GuardedFact, ...], Field(min_length=2, max_length=5)]
    risk: Literal["none", "low"] = "none"
    """`low`: passing hopelessness, no intent, no plan."""
    risk_note: str = ""
    """For `low`: what a responsible supporter would do."""

    @model_validator(mode="after")
    def _facts_are_told_apart(self) -> Self:
        ids = [fact.id for fact in self.guarded]
        if len(set(ids)) < len(ids):
            msg = f"guarded facts share an id: {', '.join(ids)}"
            raise ValueError(msg)
        if self.risk == "low" and not self.risk_note:
            msg = "risk low needs a risk_note: what would a responsible supporter do?"
            raise ValueError(msg)
        return self


class Traits(Frozen):
    """Big Five domain scores, 0 to 100."""

    openness: Percent
    conscientiousness: Percent
    extraversion: Percent
    agreeableness: Percent
    neuroticism: Percent


class Attachment(Frozen):
    """The two dimensions of adult attachment (ECR)."""

    anxiety: AttachmentLevel
    avoidance: AttachmentLevel


class Needs(Frozen):
    """The support this person wants, and what they want and will not say."""

    primary: NeedType
    secondary: NeedType
    hidden: FilledText


class Voice(Frozen):
    """How this person writes. The sample lines hold no facts of the situation."""

    style: ExpressionStyle
    description: FilledText
    touched: Lines
    """Lines when an answer got through to them."""
    missed: Lines
    """Lines when an answer missed them."""
    asking: Lines
    """Lines when they want something of the listener."""
    closing: Lines
    """Lines when they end the talk."""


class Person(Frozen):
    """Who it is. Nothing here says what happened."""

    name: FilledText
    age: Annotated[int, Field(ge=16, le=110)]
    gender: FilledText
    country: FilledText
    country_of_origin: FilledText
    region: FilledText
    education: FilledText
    occupation_group: FilledText
    occupation: FilledText
    relationship: FilledText
    children: FilledText
    means: FilledText
    """What they live on, and how far it goes."""
    portrait: FilledText
    """A life and its contradictions; traits shown, never named."""
    traits: Traits
    attachment: Attachment
    coping: Annotated[tuple[CopingStyle, ...], Field(min_length=1, max_length=2)]
    needs: Needs
    disclosure_pace: FivePoint
    """1 tells very slowly, 5 opens at once."""
    resistance: FivePoint
    """1 takes up what is offered, 5 pushes most of it back."""
    volatility: FivePoint
    """1 steady, 5 swings within a few turns."""
    lands: FilledText
    """What gets through to this person, and why."""
    backfires: FilledText
    """What puts this person off, and why."""
    voice: Voice


class GuardedWords(Frozen):
    """How this person tells one guarded fact once they do."""

    fact: FactId
    says: FilledText


class Telling(Frozen):
    """What this person says about this situation, in their own words. Only `speak` reads it."""

    opening: FilledText
    """The first message; gives none of the guarded facts away."""
    open: Annotated[tuple[FilledText, ...], Field(min_length=4)]
    """Lines about what they would tell anybody."""
    guarded: tuple[GuardedWords, ...]


class Sheet(Frozen):
    """What a foreign source says about a person, in its own words: for people of whom only part is known.

    Each block is for those who may see it. Where `situation`, `person` or `telling` is filled, it holds instead.
    """

    name: FilledText | None = None
    age: Annotated[int, Field(ge=1, le=120)] | None = None
    gender: FilledText | None = None
    occupation: FilledText | None = None
    problem: ProblemType | None = None
    feeling: EmotionLabel | None = None
    intensity: Intensity | None = None
    persona: FilledText | None = None
    """Who it is: a life, habits, interests."""
    manner: FilledText | None = None
    """How they write and talk."""
    story: FilledText | None = None
    """What happened, without what they would not say."""
    hidden: FilledText | None = None
    """What only the inner roles and the judge may see: the hidden need, traits, what lifts and what puts off."""
    opening: FilledText | None = None
    """Their first message."""
    lines: tuple[FilledText, ...] = ()
    """Messages they really wrote, in order."""


class Silence(Frozen):
    """A lint rule that does not hold for this person, and why."""

    rule: FilledText
    reason: Annotated[str, StringConstraints(min_length=10)]


CANARY = "EMOHARBOR-PEOPLE-CANARY-6f1d2c0e-8b57-4e43-9a1c-d07b35e92f64"
"""Stands in every bundled person. Whoever trains a model can leave out each text that holds it; a model that can
complete it has seen the people."""


class Provenance(Frozen):
    """Where the fields come from."""

    from_data: tuple[FilledText, ...] = ()
    from_plan: tuple[FilledText, ...] = ()
    written: tuple[FilledText, ...] = ()
    drafted: tuple[FilledText, ...] = ()
    """What a model filled in. Whoever has read and mended a field moves it to `written`."""
    drafted_by: str = ""
    """The model."""
    source: FilledText
    licence: FilledText
    canary: str = ""


class PartialProfile(Frozen):
    """A person of whom only part is known, as importers find them. What is missing is None, never invented."""

    id: ProfileId
    language: FilledText = "en"
    situation: Situation | None = None
    person: Person | None = None
    telling: Telling | None = None
    sheet: Sheet | None = None
    note: str = ""
    """Free text of the source that fits no field and that the person may show."""
    lint: tuple[Silence, ...] = ()
    """Lint rules silenced for this person, each with its reason."""
    provenance: Provenance | None = None

    def __hash__(self) -> int:
        # texts made of a person are kept; to hash all that is known of them would cost as much as to make the text
        return hash(self.id)


class Profile(PartialProfile):
    """A whole person."""

    situation: Situation
    person: Person

    @model_validator(mode="after")
    def _telling_fits(self) -> Self:
        if self.telling is not None:
            told, guarded = {item.fact for item in self.telling.guarded}, {item.id for item in self.situation.guarded}
            if told != guarded:
                msg = f"telling.guarded must tell each guarded fact once: {', '.join(sorted(told ^ guarded))} differs"
                raise ValueError(msg)
        return self
