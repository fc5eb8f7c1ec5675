"""What an event in the middle of a dialogue does to the offline person, on top of what the last reply did."""

from collections.abc import Mapping

from emoharbor.profiles.bounds import bounds_of
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.event import Event, EventKind
from emoharbor.state.inner_world import Emotion, EmotionLabel, InnerWorld, Intention
from emoharbor.state.updates import FeelUpdate

_DISTRESS: Mapping[EventKind, float] = {"bad_news": 0.55, "interruption": 0.15, "misunderstanding": 0.3}
"""Rise of distress, in the person's largest steps."""
_TRUST: Mapping[EventKind, float] = {"bad_news": 0.0, "interruption": 0.0, "misunderstanding": 0.35}
"""Loss of trust, in the person's largest losses."""
_FEELS: Mapping[EventKind, tuple[EmotionLabel, int]] = {
    "bad_news": ("fear", 5), "interruption": ("frustration", 3), "misunderstanding": ("disappointment", 4)
}  # fmt: skip
AFTER: Mapping[EventKind, Intention] = {
    "bad_news": "elaborate", "interruption": "deflect", "misunderstanding": "push_back"
}  # fmt: skip
"""What the next message is for."""
_TELLS_FROM = 2.0
"""Trust below which bad news is kept to oneself."""
_MOST = 3
"""Emotions that are felt at a time."""


def shaken(update: FeelUpdate, event: Event | None, world: InnerWorld, profile: PartialProfile) -> FeelUpdate:
    """Return what is felt when the last reply and an event came together.

    Args:
        update: what the reply did.
        event: what happened, or None.
        world: the inner world before both.
        profile: the person.
    """
    if event is None:
        return update
    bounds = bounds_of(profile)
    distress = (world.distress if update.distress is None else update.distress) + _DISTRESS[
        event.kind
    ] * bounds.distress_step
    trust = (world.trust if update.trust is None else update.trust) - _TRUST[event.kind] * bounds.trust_loss
    return update.model_copy(
        update={
            "distress": round(min(10.0, distress), 1),
            "trust": round(max(0.0, trust), 1),
            "emotions": _with(update.emotions or world.emotions, event.kind),
            "cause": f"{event.kind}: {event.text} | {update.cause}",
        }
    )


def says_it(event: Event, trust: float) -> bool:
    """Tell whether the person would mention it to somebody they trust so far."""
    return event.kind != "bad_news" or trust >= _TELLS_FROM


def _with(felt: tuple[Emotion, ...], kind: EventKind) -> tuple[Emotion, ...]:
    label, intensity = _FEELS[kind]
    if len(felt) >= _MOST or any(emotion.label == label for emotion in felt):
        return felt
    return (*felt, Emotion(label=label, intensity=intensity))
