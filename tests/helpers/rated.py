"""Rated episodes made by hand, so that figures are tested apart from nodes and stores."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.statistics.method import How
from emoharbor.eval.statistics.sample import Sample
from emoharbor.eval.statistics.scores import Scale
from emoharbor.nodes.rubric import load_rubric
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Control, Judgement, Rating

RUBRIC = load_rubric()
GROUPS = {item.id: item.group for item in RUBRIC.dimensions}
SCALE = Scale(rubric=RUBRIC.id, low=RUBRIC.low, high=RUBRIC.high, groups=GROUPS)
FAST = How(resamples=500)


def rated(
    score: int | None = 3,
    *,
    own: bool = True,
    judge: str = "j",
    repeat: int = 0,
    control: Control | None = None,
    other: str | None = None,
    with_log: bool = True,
    **by_dimension: int | None,
) -> Judgement:
    """A judgement with one score for all dimensions but those named (by id, or by group)."""
    ratings = tuple(
        Rating(
            dimension=item.id, group=item.group, reason="because",
            score=by_dimension.get(item.id, by_dimension.get(str(item.group), score)),
        )
        for item in RUBRIC.dimensions
    )  # fmt: skip
    scores = RUBRIC.scores(ratings)
    return Judgement(
        judge=judge, judge_id=judge, own=own, repeat=repeat, control=control, counterfactual=other, with_log=with_log,
        rubric=RUBRIC.id, ratings=ratings, scores=scores, unscored="all null" if scores is None else None,
    )  # fmt: skip


def unread() -> Judgement:
    """A judgement that could not be read."""
    return Judgement(judge="j", judge_id="j", own=True, rubric=RUBRIC.id, unscored="cut off")


def episode(
    supporter: str = "a",
    outcome: Outcome | None = Outcome.TURN_CAP,
    *judgements: Judgement,
    profile: str = "P010",
    repeat: int = 0,
) -> EpisodeRecord:
    """An episode without a dialogue."""
    return EpisodeRecord(
        episode=f"{profile}/{supporter}/{repeat}", profile=profile, supporter=supporter, repeat=repeat,
        outcome=outcome, outcome_reason="", turns=(), judgements=judgements,
    )  # fmt: skip


def sample(records: Iterable[EpisodeRecord], **planned: int) -> Sample:
    """The episodes as figures take them."""
    return Sample.of(records, SCALE, planned)


def drawn(means: dict[str, float], people: int, repeats: int = 1, seed: int = 0) -> Iterator[EpisodeRecord]:
    """Episodes whose scores scatter about each supporter's mean, with people who are harsher or milder."""
    rng = np.random.default_rng(seed)
    for person in range(people):
        harsh = rng.normal(0, 0.5)
        for name, mean in means.items():
            for repeat in range(repeats):
                scores = np.clip(np.round(mean + harsh + rng.normal(0, 0.8, len(GROUPS))), 1, 5)
                by_dimension: dict[str, int | None] = dict(zip(GROUPS, map(int, scores), strict=True))
                yield episode(name, Outcome.TURN_CAP, rated(3, **by_dimension), profile=f"P{person:03}", repeat=repeat)  # type: ignore[arg-type]  # dimensions by keyword


def scored(values: Mapping[str, Sequence[int]]) -> list[EpisodeRecord]:
    """One episode a person and supporter, the same score on all dimensions."""
    return [
        episode(name, Outcome.TURN_CAP, rated(score), profile=f"P{index:03}")
        for name, scores in values.items()
        for index, score in enumerate(scores)
    ]
