"""What depends on a language, as a table: `words.yaml`."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.resources import files
from typing import Literal

from pydantic import ValidationError

from emoharbor.state.base import Frozen
from emoharbor.state.errors import ProfileError
from emoharbor.state.inner_world import NeedType
from emoharbor.state.yamlfile import problem, read_yaml


class Length(Frozen):
    """How long a person's three blocks are together."""

    unit: Literal["words", "characters"]
    least: int
    most: int


class Pole(Frozen):
    """Wordings that do not go with a trait at one end of its scale: below `under`, or above `over`."""

    trait: str
    under: int = 0
    over: int = 100
    clash: tuple[str, ...]


class Words(Frozen):
    """The table of one language. Wordings are regular expressions; `edge` stands on both sides of each."""

    edge: str
    length: Length | None = None
    traits: tuple[str, ...] = ()
    """Words that name a trait where it should be shown."""
    rubric: tuple[str, ...] = ()
    """Words of the rubric, of therapy, and of this project."""
    danger: tuple[str, ...] = ()
    """Wordings of a danger to life, which risk none rules out."""
    years: tuple[str, ...] = ()
    """Patterns for a span of years of the person's own; group 1 is the number."""
    numbers: Mapping[str, int] = {}
    poles: tuple[Pole, ...] = ()
    lands: Mapping[NeedType, tuple[str, ...]] = {}
    """By primary need, wordings in `lands` that contradict it."""
    pronouns: tuple[str, ...] = ()
    """Pronouns that give a gender away."""
    others: tuple[str, ...] = ()
    """Words for other people, to whom such a pronoun may refer."""

    def found(self, wordings: tuple[str, ...], text: str) -> Iterator[str]:
        """Yield each part of `text` that one of the wordings matches."""
        if wordings:
            pattern = f"{self.edge}(?:{'|'.join(wordings)}){self.edge}"
            yield from (match[0] for match in re.finditer(pattern, text, re.IGNORECASE))

    def number(self, text: str) -> int | None:
        """Return the number that digits or a number word say."""
        return int(text) if text.isdecimal() else self.numbers.get(text.casefold())


class _Tables(Frozen):
    languages: Mapping[str, Words]


class Languages:
    """The tables by language, read when first asked for."""

    @cached_property
    def tables(self) -> Mapping[str, Words]:
        """All of them."""
        return language_tables()

    def of(self, language: str) -> Words | None:
        """Return the table of a language tag (`zh-CN` is `zh`), or None."""
        return self.tables.get(language.partition("-")[0].casefold())


def language_tables() -> Mapping[str, Words]:
    """Return the table of each language."""
    file = read_yaml(files("emoharbor.profiles.lint").joinpath("words.yaml"), ProfileError, "tables by language")
    try:
        return _Tables.model_validate(file.data).languages
    except ValidationError as error:
        raise ProfileError(problem(error, _Tables, file)) from None
