"""What follows from a profile in numbers: where the inner world starts and how far it can move in one turn."""

from functools import lru_cache

from emoharbor.profiles.schema import PartialProfile, Sheet, Situation
from emoharbor.state.bounds import Bounds, Threshold
from emoharbor.state.inner_world import Emotion, EmotionLabel, InnerWorld, Need

_DISTRESS_STEP = {1: 1.5, 2: 2.0, 3: 2.5, 4: 3.0, 5: 4.0}
"""By volatility. SAGE's public logs show 24 to 41 % of turns at a crude clamp of 10 % of the scale; these are wider."""
_AVOIDANCE = {"low": 0.0, "mid": 0.9, "high": 1.8}
_MIDDLE = 3


@lru_cache(maxsize=512)  # every turn asks
def bounds_of(profile: PartialProfile) -> Bounds:
    """Return the person's limits; a missing `person` block counts as the middle of each scale."""
    person, situation = profile.person, profile.situation
    volatility = person.volatility if person else _MIDDLE
    resistance = person.resistance if person else _MIDDLE
    pace = person.disclosure_pace if person else _MIDDLE
    return Bounds(
        distress_step=_DISTRESS_STEP[volatility],
        trust_gain=round(2.0 - 0.2 * resistance, 1),
        trust_loss=round(1.5 + 0.3 * volatility, 1),
        releases_per_turn=1 if pace < 5 else 2,
        thresholds=tuple(Threshold(fact=fact.id, trust=fact.trust) for fact in situation.guarded) if situation else (),
    )


def starting_trust(profile: PartialProfile) -> float:
    """Trust in a stranger, 0 to 10: 4.5, less 0.9 for each step of avoidance and 0.4 for each step of resistance."""
    person = profile.person
    if person is None:
        return 2.8
    return round(4.5 - _AVOIDANCE[person.attachment.avoidance] - 0.4 * (person.resistance - 1), 1)


def starting_feeling(situation: Situation | None, sheet: Sheet | None) -> tuple[EmotionLabel | None, int | None]:
    """Return the main emotion at the start and its strength, 0 to 10: of the situation, else of a foreign sheet."""
    source = situation or sheet
    return (source.feeling, source.intensity) if source else (None, None)


def starting_distress(intensity: int | None) -> float:
    """Return the distress at the start; where no strength is known, it is in the middle."""
    return 5.0 if intensity is None else float(intensity)


@lru_cache(maxsize=512)  # every turn compares with it
def starting_world(profile: PartialProfile) -> InnerWorld:
    """Return the inner world before the first word is said."""
    person = profile.person
    feeling, intensity = starting_feeling(profile.situation, profile.sheet)
    needs: tuple[Need, ...] = ()
    if person is not None:
        needs = (Need(id="primary", type=person.needs.primary), Need(id="secondary", type=person.needs.secondary))
    return InnerWorld(
        emotions=(Emotion(label=feeling, intensity=intensity),) if feeling and intensity is not None else (),
        distress=starting_distress(intensity),
        trust=starting_trust(profile),
        readiness=round(2.0 * (person.disclosure_pace if person else _MIDDLE) - 1.0, 1),
        needs=needs,
    )
