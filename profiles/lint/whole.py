"""Rules about what has to be there, and how much of it."""

from collections.abc import Iterator

from emoharbor.profiles.lint.finding import Remark, Subject
from emoharbor.profiles.stats import character_count, word_count

_BLOCKS = ("situation", "person", "telling", "provenance")


def missing_field(subject: Subject) -> Iterator[Remark]:
    """A person needs the blocks situation, person, telling and provenance, filled in whole."""
    for name in _BLOCKS:
        if getattr(subject.profile, name) is None:
            yield Remark((), f"the block `{name}` is missing")


def file_name(subject: Subject) -> Iterator[Remark]:
    """A file is called after the id in it, since people are asked for by either."""
    if subject.file.source.name != f"{subject.profile.id}.yaml":
        yield Remark(("id",), f"id {subject.profile.id!r} stands in {subject.file.source.name}; use one name")


def drafted(subject: Subject) -> Iterator[Remark]:
    """What a model drafted waits for a person to read it."""
    provenance = subject.profile.provenance
    for index, name in enumerate(provenance.drafted if provenance else ()):
        path = ("provenance", "drafted", index)
        yield Remark(path, f"{name} was drafted by a model; read and mend it, then move it to `written`")


def length(subject: Subject) -> Iterator[Remark]:
    """A person has the length that the table of their language states."""
    band = subject.words.length if subject.words else None
    if band is None or subject.profile.situation is None or subject.profile.person is None:
        return
    blocks = {name: subject.file.data.get(name) for name in _BLOCKS[:3]}
    found = word_count(blocks) if band.unit == "words" else character_count(blocks)
    if not band.least <= found <= band.most:
        yield Remark((), f"{found} {band.unit} in situation, person and telling; {band.least} to {band.most} fit")
