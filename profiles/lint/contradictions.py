"""Rules about values that cannot both be true."""

import re
from collections.abc import Iterator

from emoharbor.profiles.lint.finding import Remark, Subject, texts
from emoharbor.profiles.similarity import shingles

_STORY = (
    ("situation",), ("person", "portrait"), ("person", "occupation"), ("telling",),
)  # fmt: skip
_LEAST_AGE = {
    ("children", "grown up"): 34, ("children", "13 to 17"): 28, ("children", "5 to 12"): 20,
    ("education", "graduate degree"): 22, ("education", "college degree"): 20, ("occupation_group", "retired"): 50,
}  # fmt: skip
_PACE = {"guarded": (1, 3), "verbose": (2, 5)}
"""By style, how soon such a person can open up."""
_QUOTED = 4
"""Words in a row that `lands` and `backfires` may share before they seem to name the same thing."""


def age_history(subject: Subject) -> Iterator[Remark]:
    """No span of years is longer than the person is old, and family, schooling and work fit the age."""
    person, words = subject.profile.person, subject.words
    if person is None:
        return
    for (field, value), least in _LEAST_AGE.items():
        if getattr(person, field) == value and person.age < least:
            yield Remark(("person", "age"), f"age {person.age} with {field.replace('_', ' ')} {value!r}")
    if words is None:
        return
    for path, text in texts(subject, *_STORY):
        for pattern in words.years:
            for match in re.finditer(pattern, text, re.IGNORECASE):
                years = words.number(match[1])
                if years is not None and years > person.age:
                    yield Remark(path, f"{match[0]!r} is longer than the person is old ({person.age})")


def pace(subject: Subject) -> Iterator[Remark]:
    """How fast a person opens up goes with how they write and with their attachment."""
    person = subject.profile.person
    if person is None:
        return
    low, high = _PACE.get(person.voice.style, (1, 5))
    if not low <= person.disclosure_pace <= high:
        message = f"pace {person.disclosure_pace} with a {person.voice.style} style ({low} to {high})"
        yield Remark(("person", "disclosure_pace"), message)
    if person.attachment.avoidance == "high" and person.disclosure_pace == 5:
        yield Remark(("person", "disclosure_pace"), "opens up at once, yet avoids closeness")


def trait_voice(subject: Subject) -> Iterator[Remark]:
    """Portrait and voice do not contradict a trait at the end of its scale."""
    person, words = subject.profile.person, subject.words
    if person is None or words is None:
        return
    for pole in words.poles:
        score = getattr(person.traits, pole.trait)
        if score < pole.under or score > pole.over:
            for path, text in texts(subject, ("person", "portrait"), ("person", "voice", "description")):
                for hit in words.found(pole.clash, text):
                    yield Remark(path, f"{hit!r} does not go with {pole.trait} {score}")


def needs_lands(subject: Subject) -> Iterator[Remark]:
    """What lands answers the primary need, and is not what backfires."""
    person, words = subject.profile.person, subject.words
    if person is None:
        return
    need = person.needs.primary
    for hit in words.found(words.lands.get(need, ()), person.lands) if words else ():
        yield Remark(("person", "lands"), f"{hit!r} does not answer the primary need, {need}")
    for shared in sorted(shingles(person.lands, _QUOTED, 8) & shingles(person.backfires, _QUOTED, 8)):
        yield Remark(("person", "backfires"), f"{shared!r} both lands and backfires")


def risk_marked(subject: Subject) -> Iterator[Remark]:
    """Who speaks of not wanting to live has risk low, with a note on what a responsible supporter would do."""
    situation, words = subject.profile.situation, subject.words
    if situation is None or words is None or situation.risk != "none":
        return
    for path, text in texts(subject, ("situation",), ("telling",)):
        for hit in words.found(words.danger, text):
            yield Remark(path, f"{hit!r} with risk none; mark the risk, and write the risk_note")
