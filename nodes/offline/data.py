"""The word lists and lines beside the code, read once and typed."""

from functools import cache
from importlib.resources import files
from typing import Literal, TypeVar

import yaml

from emoharbor.state.base import FilledText, Frozen
from emoharbor.state.event import EventKind
from emoharbor.state.inner_world import EmotionLabel, Intention, NeedType

Phrases = tuple[str, ...]
F = TypeVar("F", bound=Frozen)


class Device(Frozen):
    """Something a message may do, and how a profile and a reply speak of it."""

    profile: Phrases
    reply: Phrases


class Taste(Frozen):
    """What a way of coping takes to and turns from: names of devices and kinds of support."""

    likes: Phrases
    dislikes: Phrases


class Words(Frozen):
    """English word lists (`words.yaml`)."""

    stop: str
    feelings: dict[EmotionLabel, Phrases]
    near: dict[EmotionLabel, tuple[EmotionLabel, ...]]
    devices: dict[str, Device]
    kinds: dict[NeedType, Phrases]
    coping: dict[str, Taste]
    risk: Phrases


class Cues(Frozen):
    """Lines that show one need, for those who write little and those who write much."""

    spare: Phrases
    full: Phrases


class Unvoiced(Frozen):
    """Frames for a person whose own words are not known."""

    opening: str
    circumstance: str
    tried: str
    guarded: str


class Reasons(Frozen):
    """Why the person goes, or stays."""

    satisfied: FilledText
    gave_up: FilledText
    goes_on: FilledText


class PersonLines(Frozen):
    """Lines of the simulated person (`person.yaml`)."""

    cues: dict[NeedType, Cues]
    feelings: dict[EmotionLabel, Phrases]
    easing: Phrases
    telling: Phrases
    risk_answers: Phrases
    reacts_well: Phrases
    reacts_badly: Phrases
    reacts_quiet: Phrases
    deflects: Phrases
    events: dict[EventKind, Phrases]
    more: Phrases
    hello: Phrases
    goodbye: Phrases
    unvoiced: Unvoiced
    monologue: dict[str, Phrases | str]
    gist: dict[Intention, str]
    view: tuple[tuple[float, str], ...]
    reason: Reasons


class Threefold(Frozen):
    """Beginnings, middles and ends to combine."""

    first: Phrases
    middle: Phrases
    last: Phrases


class Tips(Frozen):
    """Advice for anybody."""

    first: Phrases
    tips: Phrases
    last: Phrases


class AttunedLines(Frozen):
    """Frames of the attuned supporter."""

    listens: dict[NeedType, Phrases]
    confides: Phrases
    blame_words: Phrases
    openings: Phrases
    listening: Phrases
    reflect_clause: Phrases
    reflect_quote: Phrases
    recall: Phrases
    recall_alone: Phrases
    blame: Phrases
    told: Phrases
    tally: Phrases
    emotional: Phrases
    esteem: Phrases
    esteem_deed: Phrases
    network: Phrases
    informational_lead: Phrases
    tangible_lead: Phrases
    what_helps: Phrases
    questions: Phrases
    deep_questions: Phrases
    risk_ask: str
    risk_after: str
    nouns: dict[EmotionLabel, str]


class Topic(Frozen):
    """What can be said in general about one kind of trouble."""

    words: Phrases
    facts: Phrases
    steps: Phrases


class SupporterLines(Frozen):
    """Lines of the offline supporters (`supporter.yaml`)."""

    silent: Phrases
    generic: Threefold
    advice: Tips
    attuned: AttunedLines
    topics: dict[str, Topic]


class Grades(Frozen):
    """A reason for each of three grades."""

    high: str
    middle: str
    low: str


class JudgeLines(Frozen):
    """Reasons of the offline judge (`judge.yaml`)."""

    reasons: dict[str, Grades]
    missing: dict[Literal["unknown", "person", "situation", "silence"], str]


@cache
def words() -> Words:
    """Return the word lists."""
    return _read("words", Words)


@cache
def person_lines() -> PersonLines:
    """Return the lines of the simulated person."""
    return _read("person", PersonLines)


@cache
def supporter_lines() -> SupporterLines:
    """Return the lines of the offline supporters."""
    return _read("supporter", SupporterLines)


@cache
def judge_lines() -> JudgeLines:
    """Return the reasons of the offline judge."""
    return _read("judge", JudgeLines)


def _read(name: str, shape: type[F]) -> F:
    text = files("emoharbor.nodes.offline").joinpath(f"{name}.yaml").read_text(encoding="utf-8")
    return shape.model_validate(yaml.safe_load(text))
