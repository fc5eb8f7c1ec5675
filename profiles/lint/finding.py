"""What rules look at and what they say."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from emoharbor.profiles.lint.words import Words
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.yamlfile import YamlFile, line_of

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """One person as the linter sees them.

    Attributes:
        profile: the person.
        file: where they were read from; knows the lines.
        words: the table of their language; None when there is none, and rules that need it find nothing.
    """

    profile: PartialProfile
    file: YamlFile
    words: Words | None

    def line(self, path: Path) -> int:
        """Return the line on which a field stands."""
        return line_of(self.file.root, path)


@dataclass(frozen=True, slots=True)
class Remark:
    """What a rule found in one person: the field, and what is wrong with it."""

    path: Path
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A remark with its place.

    Attributes:
        rule: id of the rule.
        file: the file; empty for a finding about the set.
        line: the line, from 1; 0 for a finding about the set.
        message: what is wrong.
        reason: why the person's file silences it; empty when it does not.
    """

    rule: str
    file: str
    line: int
    message: str
    reason: str = ""

    def __str__(self) -> str:
        """Return the finding as one line."""
        place = f"{self.file}:{self.line}: " if self.file else ""
        return f"{place}{self.rule}: {self.message}" + (f" (silenced: {self.reason})" if self.reason else "")


Each = Callable[[Subject], Iterable[Remark]]
"""A rule about one person."""
Together = Callable[[Sequence[Subject]], Iterable[tuple[Subject | None, Remark]]]
"""A rule about a set; None for what no single person can mend."""


def texts(subject: Subject, *paths: Path) -> Iterator[tuple[Path, str]]:
    """Yield every text below some fields of the file, with its own path."""
    for path in paths:
        value: object = subject.file.data
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        yield from _below(path, value)


def _below(path: Path, value: object) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _below((*path, str(key)), item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _below((*path, index), item)
