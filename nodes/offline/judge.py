"""The offline `judge`: rates by rules, as the person of the profile it is given, with words of the dialogue."""

from collections.abc import Mapping, Sequence
from random import Random

from emoharbor.nodes.contract import JudgeNode, Runtime
from emoharbor.nodes.offline.data import judge_lines
from emoharbor.nodes.offline.english import inner
from emoharbor.nodes.offline.scoring import DIMENSIONS, Heard, Measure, heard, measure
from emoharbor.nodes.rubric import Dimension, Rubric, load_rubric
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.episode import Channels
from emoharbor.state.text import contains
from emoharbor.state.updates import JudgeUpdate
from emoharbor.state.verdict import Evidence, Judgement, Rating

NAME = "offline"


def offline_judge(rubric: str = "ten") -> JudgeNode:
    """Make the rule-based judge.

    Args:
        rubric: name of a bundled rubric, or the path of one. Dimensions other than the ten are left without a score.
    """
    table = load_rubric(rubric)

    async def judge(state: Channels, runtime: Runtime) -> JudgeUpdate:
        return JudgeUpdate(judgement=rate(state, runtime, table))

    return judge


def rate(state: Channels, runtime: Runtime, rubric: Rubric) -> Judgement:
    """Rate every dimension. The seed only shuffles the order in which they are asked."""
    order = [item.id for item in rubric.dimensions]
    Random(runtime.seed).shuffle(order)  # noqa: S311 - an order, not a secret
    by_id = {item.id: item for item in rubric.dimensions}
    session = heard(state, runtime.profile)
    ratings = tuple(_rating(by_id[name], session, runtime.profile, rubric) for name in order)
    scores = rubric.scores(ratings)
    return Judgement(
        judge=NAME,
        repeat=runtime.repeat,
        counterfactual=runtime.rated_as,
        rubric=rubric.id,
        order=tuple(order),
        ratings=ratings,
        scores=scores,
        unscored=None if scores else "no dimension could be rated: " + ratings[0].reason,
    )


def _rating(dimension: Dimension, session: Heard, profile: PartialProfile, rubric: Rubric) -> Rating:
    missing = _missing(dimension.id, session, profile)
    if missing is not None:
        return Rating(dimension=dimension.id, group=dimension.group, score=None, reason=missing)
    found = measure(dimension.id, session)
    evidence = (Evidence(turn=found.turn, quote=found.quote),)
    return Rating(
        dimension=dimension.id,
        group=dimension.group,
        score=rubric.low + round(found.value * (rubric.high - rubric.low)),
        reason=_reason(dimension.id, found),
        evidence=evidence,
        evidence_ok=_checked(evidence, session.replies),
        certainty=_certainty(found, len(session.replies)),
    )


def _missing(name: str, session: Heard, profile: PartialProfile) -> str | None:
    """Return why a dimension cannot be rated, or None."""
    reasons = judge_lines().missing
    if name not in DIMENSIONS:
        return reasons["unknown"]
    if not session.replies:
        return reasons["silence"]
    if profile.person is None and name in ("need_fit", "personality_fit", "coping_fit"):
        return reasons["person"]
    if profile.situation is None and name == "discovery":
        return reasons["situation"]
    return None


def _reason(name: str, found: Measure) -> str:
    grades = judge_lines().reasons[name]
    text = grades.high if found.value >= 0.625 else grades.middle if found.value >= 0.375 else grades.low
    facts: Mapping[str, object] = {"quote": inner(found.quote), "turn": found.turn, **found.facts}
    return text.format(**facts)


def _checked(evidence: Sequence[Evidence], replies: Mapping[int, str]) -> bool:
    return all(contains(replies.get(item.turn, ""), item.quote) for item in evidence)


def _certainty(found: Measure, replies: int) -> int:
    """Surer the longer the dialogue, and the further the measure is from the border between two scores."""
    clear = 1 - 2 * abs(4 * found.value - round(4 * found.value))
    return round(min(95, 40 + 3 * replies + 20 * clear))
