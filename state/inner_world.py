"""The inner world: what the person feels and thinks now. Only the user's roles change it.

Sources: appraisal checks, Scherer's component process model; felt understanding, Barrett-Lennard Relationship
Inventory; need types, Cutrona and Suhr's five kinds of support.
"""

from typing import Annotated, Literal

from pydantic import Field

from emoharbor.state.base import CheckValue, FilledText, Frozen, Intensity, Level, Text, Turn, Understood

EmotionLabel = Literal[
    # Where a profile may start. Lazarus' core relational themes name all but loneliness, frustration and numbness,
    # which help-seekers report in ESConv (Liu et al., ACL 2021) and which blunted affect in low mood adds.
    "anxiety", "sadness", "anger", "frustration", "guilt", "loneliness", "shame", "fear", "numbness", "envy",
    # What support can bring: Lazarus (relief, hope, gratitude), Russell's low-arousal pleasant pole (calm),
    # attachment theory's felt security (closeness).
    "relief", "calm", "hope", "gratitude", "closeness",
    # What failed support can bring: Plutchik's dyad of surprise and sadness (disappointment), his mild anger
    # (irritation), Smith and Ellsworth's low certainty (confusion).
    "disappointment", "irritation", "confusion",
]  # fmt: skip
"""The closed list of emotions."""

NeedType = Literal["emotional", "esteem", "network", "informational", "tangible"]
"""The kind of support a need asks for (Cutrona and Suhr)."""

NeedStatus = Literal["unmet", "touched", "met"]
Intention = Literal["disclose", "elaborate", "ask", "push_back", "deflect", "accept", "thank", "leave"]
"""What the person means to do with the next message."""


class Emotion(Frozen):
    """One emotion felt now."""

    label: EmotionLabel
    intensity: Intensity


class Appraisal(Frozen):
    """What the last message (or, at turn 0, the situation) meant to the person: Scherer's four checks."""

    relevance: Annotated[int, Field(ge=0, le=3)]
    """Does it concern me? 0 not at all, 3 at the core."""
    conduciveness: CheckValue
    """Does it bring me nearer to what I need? -3 away, 3 nearer."""
    coping: CheckValue
    """Can I deal with things now? -3 less able, 3 more able."""
    norms: CheckValue
    """Does it fit what I hold right and who I am? -3 offends, 3 fits."""
    quote: Text
    """The words that caused it, from the message appraised; empty only at turn 0."""


class Need(Frozen):
    """One of the profile's needs and how far it has been answered."""

    id: FilledText
    type: NeedType
    status: NeedStatus = "unmet"
    turn: Turn | None = None
    """The turn that last changed the status."""


class Disclosure(Frozen):
    """A guarded fact that was said, with the words in the sent message that said it."""

    fact: FilledText
    turn: Turn
    quote: FilledText
    released: bool
    """Whether `think` had released it: False means that `speak` gave away what was to be held back."""
    claimed: bool
    """Whether `speak` reported it itself: False means that it was found in the message."""


class Thought(Frozen):
    """The inner monologue of one turn and the decision it comes to. `speak` never sees the first three fields."""

    monologue: FilledText
    view_of_supporter: Text = ""
    continue_reason: Text = ""
    intention: Intention
    gist: Text = ""
    """What to say, in a few words. A gist that quotes a fact still held back is emptied on the way in."""
    release: tuple[FilledText, ...] = ()
    """Ids of the guarded facts that may be said now."""
    wants_to_continue: bool = True
    got_what_i_came_for: bool = False
    """Decides between `user_satisfied` and `user_left` when the person goes."""


class InnerWorld(Frozen):
    """What the person feels and thinks now."""

    turn: Turn = 0
    """The turn this picture belongs to."""
    emotions: Annotated[tuple[Emotion, ...], Field(max_length=3)] = ()
    distress: Level
    trust: Level
    felt_understood: Understood | None = None
    """None before the first reply."""
    readiness: Level = 0
    """Readiness to disclose."""
    needs: tuple[Need, ...] = ()
    released: tuple[FilledText, ...] = ()
    """Guarded facts that `think` has ever released; once released, a fact stays so."""
    disclosed: tuple[Disclosure, ...] = ()
    appraisal: Appraisal | None = None
    thought: Thought | None = None
