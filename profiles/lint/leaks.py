"""Rules about words that must not stand where they stand."""

import re
from collections.abc import Iterator

from emoharbor.profiles.lint.finding import Path, Remark, Subject, texts
from emoharbor.profiles.similarity import shingles
from emoharbor.state.text import contains, folded

_SHOWN: tuple[Path, ...] = (("person", "portrait"), ("person", "voice"), ("telling",))
_HAPPENED: tuple[Path, ...] = (("situation",),)
_CLASSED = {("situation", "problem"), ("situation", "feeling"), ("situation", "risk"), ("person", "voice", "style")}
"""Fields whose values come from a closed list."""
_QUOTED_WORDS, _QUOTED_CHARACTERS = 7, 14
"""A run so long in two blocks was carried over from one to the other."""
_SHORTEST_NAME = 3
_APOSTROPHE = re.compile("['\u2019]")


def named_traits(subject: Subject) -> Iterator[Remark]:
    """Traits are shown, not named, in portrait, voice and telling."""
    if (words := subject.words) is None:
        return
    for path, text in _prose(subject, _SHOWN):
        for hit in words.found(words.traits, text):
            yield Remark(path, f"{hit!r} names a trait; show it")


def rubric_words(subject: Subject) -> Iterator[Remark]:
    """The rubric's and the therapist's words stand in nobody's mouth."""
    if (words := subject.words) is None:
        return
    for path, text in _prose(subject, _SHOWN):
        for hit in words.found(words.rubric, text):
            yield Remark(path, f"{hit!r} is a word of the rubric or of therapy; say it as this person would")


def situation_person(subject: Subject) -> Iterator[Remark]:
    """The situation does not say who it happened to: no name, no trait, no gender, no words of the person block."""
    person, words = subject.profile.person, subject.words
    names = [part for part in person.name.split() if len(part) >= _SHORTEST_NAME] if person else []
    for path, text in _prose(subject, _HAPPENED):
        parts = set(_forms(text))
        for name in names:
            if folded(name) in parts:
                yield Remark(path, f"{name!r} is the person's name; the situation is joined to other people")
        for hit in words.found(words.traits, text) if words else ():
            yield Remark(path, f"{hit!r} names a trait; the situation is joined to other people")
    yield from _gender(subject)
    yield from _carried(subject, ("situation",), ("person",))


def _forms(text: str) -> Iterator[str]:
    """Yield each word whole, and what stands before an apostrophe in it: in many languages an ending follows there."""
    for word in text.split():
        yield folded(word)
        yield from (folded(word[: found.start()]) for found in _APOSTROPHE.finditer(word))


def _gender(subject: Subject) -> Iterator[Remark]:
    """A pronoun is the person's when nobody else is named before it."""
    if (words := subject.words) is None:
        return
    nobody = True
    for path, text in _prose(subject, _HAPPENED):
        if path[1] == "title":
            continue
        inner = [word for word in text.split()[1:] if word[:1].isupper()]
        nobody = nobody and not inner and not any(words.found(words.others, text))
        for hit in words.found(words.pronouns, text) if nobody else ():
            yield Remark(path, f"{hit!r} seems to be the person; write 'they', since others are joined to it")


def _carried(subject: Subject, source: Path, target: Path) -> Iterator[Remark]:
    known = {run for _, text in _prose(subject, (source,)) for run in _runs(text)}
    for path, text in _prose(subject, (target,)):
        for run in sorted(known & _runs(text))[:1]:
            yield Remark(path, f"{run!r} stands in the block `{source[0]}` too; the blocks are joined to others")


def guarded_given(subject: Subject) -> Iterator[Remark]:
    """A guarded fact is told in its own words and nowhere else: opening, open lines, voice, other facts."""
    situation, telling = subject.profile.situation, subject.profile.telling
    if situation is None or telling is None:
        return
    told = {item.fact: item.says for item in telling.guarded}
    for at, fact in enumerate(situation.guarded):
        if not any(contains(told.get(fact.id, ""), tell) for tell in fact.tells):
            yield Remark(("situation", "guarded", at, "tells"), f"none of the tells of {fact.id} stands in its telling")
        hidden = _runs(fact.fact) | _runs(told.get(fact.id, ""))
        for path, text in _elsewhere(subject, fact.id):
            for tell in fact.tells:
                if contains(text, tell):
                    yield Remark(path, f"{tell!r} gives away the guarded fact {fact.id}")
            for run in sorted(hidden & _runs(text))[:1]:
                yield Remark(path, f"{run!r} is told in the guarded fact {fact.id}")


def _elsewhere(subject: Subject, fact: str) -> Iterator[tuple[Path, str]]:
    told = subject.profile.telling.guarded if subject.profile.telling else ()
    for path, text in _prose(subject, (("telling",), ("person", "voice"))):
        at = path[2] if path[:2] == ("telling", "guarded") else None
        if path[-1] != "fact" and not (isinstance(at, int) and told[at].fact == fact):
            yield path, text


def guarded_trust(subject: Subject) -> Iterator[Remark]:
    """Guarded facts need different degrees of trust, so that they come out one by one."""
    situation = subject.profile.situation
    if situation is not None and len({fact.trust for fact in situation.guarded}) == 1:
        yield Remark(("situation", "guarded"), f"every fact needs trust {situation.guarded[0].trust:g}; spread them")


def _prose(subject: Subject, paths: tuple[Path, ...]) -> Iterator[tuple[Path, str]]:
    return ((path, text) for path, text in texts(subject, *paths) if path not in _CLASSED and path[-1] != "id")


def _runs(text: str) -> frozenset[str]:
    return shingles(text, _QUOTED_WORDS, _QUOTED_CHARACTERS)
