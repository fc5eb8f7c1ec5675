"""What a replayed run says of each dialogue, beside what the person said: the raw material of agreement."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean

from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.replay.survey import mean_feedback
from emoharbor.nodes.recording import RecordedDialogue, Recording
from emoharbor.state.verdict import Judgement


@dataclass(frozen=True, slots=True)
class TurnPair:
    """One reply: what the person gave for it, and how understood the simulated inner world felt.

    Attributes:
        dialogue: its number in the recording.
        turn: of the reply.
        feedback: the mean of what was given for it.
        felt: felt understanding, -3 to 3 without 0; None without an inner world.
        length: of the reply, in characters.
    """

    dialogue: int
    turn: int
    feedback: float
    felt: float | None
    length: int


@dataclass(frozen=True, slots=True)
class DialoguePair:
    """One dialogue.

    Attributes:
        number: in the recording.
        told: what the person said of it, by name; their mean feedback is `feedback`.
        label: its group.
        scores: the judge's mean score by dimension; what is missing is left out.
        blind: the same by the same judge's ratings that saw no inner-world log.
        inner: `felt_understood`, its mean; `relief`, the fall of distress; `trust`, at the end.
        turns: how many.
        would_leave: the turn at which the simulated person first meant to go although the real one stayed; None never.
        parts: this dialogue's turns with feedback.
        asked: the dimensions that the judge was asked, scored or not.
    """

    number: int
    told: Mapping[str, float]
    label: str | None
    scores: Mapping[str, float]
    blind: Mapping[str, float]
    inner: Mapping[str, float]
    turns: int
    would_leave: int | None
    parts: tuple[TurnPair, ...] = field(repr=False)
    asked: frozenset[str] = frozenset()


def pairs_of(recording: Recording, records: Iterable[EpisodeRecord]) -> list[DialoguePair]:
    """Return the dialogues of a replay that are finished, in the order of the recording."""
    by_key = {(record.profile, record.supporter): record for record in records}
    return [
        _pair(number, dialogue, record)
        for number, dialogue in enumerate(recording.dialogues)
        if (record := by_key.get(dialogue.key)) is not None and record.outcome is not None and record.outcome.judged
    ]


def _pair(number: int, dialogue: RecordedDialogue, record: EpisodeRecord) -> DialoguePair:
    feedback = mean_feedback(dialogue)
    told = {**dialogue.ratings, **({} if feedback is None else {"feedback": feedback})}
    if "before" in told and "after" in told:
        told["relief"] = told["before"] - told["after"]
    own = record.primary
    judges = {item.judge_id for item in own}
    plain = [item for item in record.judgements if item.control is None and item.counterfactual is None]
    return DialoguePair(
        number=number,
        told=told,
        label=dialogue.label,
        scores=mean_scores(own),
        blind=mean_scores([item for item in plain if not item.with_log and item.judge_id in judges]),
        inner=_inner(record),
        turns=len(dialogue.turns),
        would_leave=_would_leave(record, len(dialogue.turns)),
        parts=tuple(_turns(number, dialogue, record)),
        asked=frozenset(rating.dimension for judgement in own for rating in judgement.ratings),
    )


def mean_scores(judgements: Iterable[Judgement]) -> dict[str, float]:
    """Return the mean of each dimension over several judgements; a dimension without any score is left out."""
    found: dict[str, list[float]] = {}
    for judgement in judgements:
        for rating in judgement.ratings:
            if rating.score is not None:
                found.setdefault(rating.dimension, []).append(rating.score)
    return {name: fmean(values) for name, values in found.items()}


def _inner(record: EpisodeRecord) -> dict[str, float]:
    worlds = [turn.inner_world for turn in record.turns if turn.inner_world is not None]
    felt = [world.felt_understood for world in worlds if world.felt_understood is not None]
    if not felt:
        return {}  # no feel in the chain: the inner world never moved
    return {
        "felt_understood": fmean(felt),
        "relief": worlds[0].distress - worlds[-1].distress,
        "trust": worlds[-1].trust,
    }


def _would_leave(record: EpisodeRecord, length: int) -> int | None:
    for number, turn in enumerate(record.turns[:length]):
        thought = turn.inner_world.thought if turn.inner_world else None
        if thought is not None and not thought.wants_to_continue:
            return number
    return None


def _turns(number: int, dialogue: RecordedDialogue, record: EpisodeRecord) -> Iterable[TurnPair]:
    """The feedback of a message is about the answer before it, which the inner world of that turn has taken in."""
    for turn in range(1, min(len(dialogue.turns), len(record.turns))):
        given, world = dialogue.turns[turn].feedback, record.turns[turn].inner_world
        if given:
            yield TurnPair(
                dialogue=number,
                turn=turn - 1,
                feedback=fmean(given),
                felt=world.felt_understood if world else None,
                length=len(dialogue.turns[turn - 1].supporter or ""),
            )
