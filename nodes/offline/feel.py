"""The offline `feel`: appraises the last reply by rules, and moves distress and trust in proportion to the person."""

from random import Random

from emoharbor.nodes.contract import FeelNode, Runtime
from emoharbor.nodes.offline.english import sentences
from emoharbor.nodes.offline.impact import Impact, impact
from emoharbor.nodes.offline.reading import Reading, readings
from emoharbor.nodes.offline.shaken import shaken
from emoharbor.nodes.offline.ways import Ways, ways_of
from emoharbor.nodes.pressure import happening
from emoharbor.profiles.bounds import bounds_of, starting_feeling, starting_world
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.base import Understood
from emoharbor.state.episode import Channels
from emoharbor.state.inner_world import Appraisal, Emotion, EmotionLabel, InnerWorld
from emoharbor.state.updates import FeelUpdate

_NEW: frozenset[EmotionLabel] = frozenset(
    {"relief", "calm", "hope", "gratitude", "closeness", "disappointment", "irritation", "confusion"}
)
"""What support, or its failure, adds to what was felt before."""
_UNDERSTOOD: tuple[tuple[float, Understood], ...] = ((2.2, 3), (1.4, 2), (0.7, 1), (0.25, -1), (-0.4, -2))


def offline_feel() -> FeelNode:
    """Make the rule-based `feel`. It draws on the seed only for a wobble as large as the person is volatile."""

    async def feel(state: Channels, runtime: Runtime) -> FeelUpdate:
        wobble = Random(runtime.seed).uniform(-1, 1)  # noqa: S311 - variety, not secrecy
        return appraise(state, runtime.profile, wobble)

    return feel


def appraise(state: Channels, profile: PartialProfile, wobble: float = 0.0) -> FeelUpdate:
    """Return what the last reply, or before the first one the situation, does to this person.

    Args:
        state: needs `inner` and `messages`.
        profile: the person.
        wobble: -1 to 1; how the person happens to be at this moment.
    """
    found = readings(state["messages"])
    if not found:
        return _situation(profile)
    world, ways = state["inner"], ways_of(profile)
    mine = [emotion.label for emotion in world.emotions if emotion.label not in _NEW]
    taken = impact(found, ways, mine)
    reading = found[-1]
    update = FeelUpdate(
        appraisal=_checks(taken, reading),
        emotions=_emotions(taken, reading, world, profile),
        distress=_distress(taken, world, profile, wobble),
        trust=_trust(taken, reading, world, profile, ways),
        felt_understood=_understood(taken),
        cause=f"{taken.cause}: {reading.quote(taken.marks, taken.stems)}",
    )
    return shaken(update, happening(state), world, profile)


def _situation(profile: PartialProfile) -> FeelUpdate:
    """Appraise the situation. What is not known is left out."""
    feeling, intensity = starting_feeling(profile.situation, profile.sheet)
    if feeling is None or intensity is None:
        return FeelUpdate(cause="nothing is known of the situation")
    pressed = -3 if intensity >= 8 else -2 if intensity >= 5 else -1
    checks = Appraisal(relevance=3, conduciveness=pressed, coping=_can_deal(profile), norms=_offends(feeling), quote="")
    told = profile.situation.now if profile.situation else (profile.sheet and profile.sheet.story) or feeling
    return FeelUpdate(appraisal=checks, cause=(sentences(told) or (told,))[0])


def _can_deal(profile: PartialProfile) -> int:
    if profile.person is None:
        return 0
    active = {"planful problem solving", "confrontive", "positive reappraisal"}
    power = 1 if active & set(profile.person.coping) else 0
    return power - (2 if profile.person.traits.neuroticism >= 60 else 1)


def _offends(feeling: EmotionLabel) -> int:
    return -2 if feeling in ("anger", "guilt", "shame", "envy") else -1


def _checks(taken: Impact, reading: Reading) -> Appraisal:
    able = sum(1 for kind in ("tangible", "informational", "esteem") if reading.gives.get(kind, 0) > 0.5)
    return Appraisal(
        relevance=min(3, len(reading.picked) + (1 if taken.follow >= 0.5 else 0)),
        conduciveness=_whole(1.6 * taken.total),
        coping=_whole(able - 1.5 * taken.silence - taken.grates),
        norms=_whole(0.5 + 2 * taken.lands - 2 * taken.grates - 1.5 * taken.unasked - 1.5 * taken.silence),
        quote=reading.quote(taken.marks, taken.stems),
    )


def _whole(value: float) -> int:
    return max(-3, min(3, round(value)))


def _understood(taken: Impact) -> Understood:
    felt = 1.2 * taken.grasp + 0.8 * taken.follow + taken.fit + 0.6 * taken.warmth + 0.6 * taken.lands
    felt -= taken.grates + taken.unasked + 1.2 * taken.silence
    return next((level for least, level in _UNDERSTOOD if felt >= least), -3)


def _distress(taken: Impact, world: InnerWorld, profile: PartialProfile, wobble: float) -> float:
    """Move distress by at most a third of the person's step for the strongest replies, so that limits seldom bite."""
    bounds = bounds_of(profile)
    volatility = profile.person.volatility if profile.person else 3
    move = -0.15 * bounds.distress_step * taken.total
    if taken.total > 0:
        move *= 0.6 + world.distress / 12  # the more there is, the more can be lifted
    return _level(world.distress + move + 0.05 * volatility * wobble)


def _trust(taken: Impact, reading: Reading, world: InnerWorld, profile: PartialProfile, ways: Ways) -> float:
    """Trust grows slowly towards the top, and falls at once; just after a confidence everything weighs more."""
    bounds = bounds_of(profile)
    stakes = 1.3 if world.disclosed and world.disclosed[-1].turn == reading.turn else 1.0
    if taken.total >= 0:
        reach = 1.15 - world.trust / 16 - 0.05 * ways.keeps_away
        return _level(world.trust + 0.42 * bounds.trust_gain * taken.total * reach * stakes)
    return _level(world.trust + 0.26 * bounds.trust_loss * taken.total * (1 + 0.1 * ways.clings) * stakes)


def _level(value: float) -> float:
    return round(max(0.0, min(10.0, value)), 1)


def _emotions(
    taken: Impact, reading: Reading, world: InnerWorld, profile: PartialProfile
) -> tuple[Emotion, ...] | None:
    """Keep what was felt, as strong as the distress is, and add what this reply brought."""
    start = starting_world(profile)
    share = world.distress / start.distress if start.distress else 1.0
    felt = [
        Emotion(label=emotion.label, intensity=max(1, min(10, round(emotion.intensity * share))))
        for emotion in start.emotions
    ]
    new = _new_emotion(taken, reading, profile)
    if new is not None:
        felt.append(new)
    return tuple(felt) or None


def _new_emotion(taken: Impact, reading: Reading, profile: PartialProfile) -> Emotion | None:
    strength = max(1, min(10, round(abs(taken.total) * 3)))
    if taken.total >= 0.8:
        return Emotion(label=_good(reading, ways_of(profile)), intensity=strength)
    if taken.total <= -0.25:
        label: EmotionLabel = "disappointment"
        if taken.silence:
            label = "confusion"
        if taken.grates or taken.unasked or (taken.warmth < 0 and ways_of(profile).resistance >= 3):
            label = "irritation"
        return Emotion(label=label, intensity=strength)
    return None


def _good(reading: Reading, ways: Ways) -> EmotionLabel:
    brings: dict[str, EmotionLabel] = {
        "emotional": "relief", "esteem": "gratitude", "network": "closeness", "informational": "calm",
        "tangible": "hope",
    }  # fmt: skip
    wanted = [kind for kind in sorted(ways.wants, key=lambda kind: -ways.wants[kind]) if reading.gives.get(kind, 0) > 0]
    return brings[wanted[0]] if wanted else "relief"
