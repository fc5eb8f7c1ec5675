"""Everything one person can say, from the profile where it has words, else from what is known of the situation."""

from dataclasses import dataclass
from functools import lru_cache

from emoharbor.nodes.offline.data import PersonLines, person_lines
from emoharbor.nodes.offline.english import sentences
from emoharbor.profiles.bounds import starting_distress, starting_feeling
from emoharbor.profiles.schema import PartialProfile, Person, Sheet, Situation, Telling
from emoharbor.state.inner_world import NeedType

Guarded = tuple[tuple[str, str, str], ...]
"""Fact, the words that tell it, and the part of them to quote."""


@dataclass(frozen=True, slots=True)
class Lines:
    """One person's lines.

    Attributes:
        opening: the first message.
        open: what they would tell anybody, in order.
        touched: when something got through.
        missed: when something missed.
        asking: when they want something of the listener.
        closing: when they go.
        feelings: what the starting feeling is called when it is said; lines of ours.
        risk_answers: what is said when asked about acting on a passing hopelessness.
        start: distress at the start.
        data: lines that no profile holds.
    """

    opening: str
    open: tuple[str, ...]
    touched: tuple[str, ...]
    missed: tuple[str, ...]
    asking: tuple[str, ...]
    closing: tuple[str, ...]
    feelings: tuple[str, ...]
    risk_answers: tuple[str, ...]
    start: float
    data: PersonLines

    def cues(self, need: NeedType, *, little: bool) -> tuple[str, ...]:
        """Return the lines that show one need."""
        cues = self.data.cues[need]
        return cues.spare if little else cues.full

    def guarded(self, profile: PartialProfile) -> Guarded:
        """Return how each guarded fact in sight is told."""
        if profile.telling is not None:
            return tuple((item.fact, item.says, item.says) for item in profile.telling.guarded)
        facts = profile.situation.guarded if profile.situation else ()
        frame = self.data.unvoiced.guarded
        return tuple((fact.id, frame.format(tell="; ".join(fact.tells)), fact.tells[0]) for fact in facts)


def lines_of(profile: PartialProfile) -> Lines:
    """Return the lines of a profile; what needs a missing block is empty."""
    return _lines(profile.person, profile.telling, profile.situation, profile.sheet)


@lru_cache(maxsize=512)
def _lines(person: Person | None, telling: Telling | None, situation: Situation | None, sheet: Sheet | None) -> Lines:
    data = person_lines()
    voice = person.voice if person else None
    feeling, intensity = starting_feeling(situation, sheet)
    return Lines(
        opening=telling.opening if telling else _opening(situation, sheet, data),
        open=telling.open if telling else _open(situation, sheet, data),
        touched=voice.touched if voice else (),
        missed=voice.missed if voice else (),
        asking=voice.asking if voice else (),
        closing=voice.closing if voice else data.goodbye,
        feelings=data.feelings.get(feeling, ()) if feeling else (),
        risk_answers=data.risk_answers if situation and situation.risk == "low" else (),
        start=starting_distress(intensity),
        data=data,
    )


def _opening(situation: Situation | None, sheet: Sheet | None, data: PersonLines) -> str:
    if situation is not None:
        return data.unvoiced.opening.format(now=situation.now)
    return sheet.opening if sheet and sheet.opening else data.hello[0]


def _open(situation: Situation | None, sheet: Sheet | None, data: PersonLines) -> tuple[str, ...]:
    if situation is None:
        return _written(sheet)
    frames = data.unvoiced
    tried = [frames.tried.format(what=item.what, why=item.why_it_failed) for item in situation.tried]
    limits = [frames.circumstance.format(text=text) for text in situation.circumstances]
    return (*limits, *tried)


def _written(sheet: Sheet | None) -> tuple[str, ...]:
    """What they really wrote; else their story, sentence by sentence."""
    if sheet is None:
        return ()
    return sheet.lines or tuple(sentences(sheet.story or ""))
