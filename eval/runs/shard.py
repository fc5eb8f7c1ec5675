"""A shard: one of n parts of a plan, which runs by itself in a folder of its own and is merged later."""

import re
from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import Field, model_validator

from emoharbor.eval.record import EpisodeKey
from emoharbor.state.base import Frozen
from emoharbor.state.errors import ConfigError


class Shard(Frozen):
    """Part `number` of `of`, counted from 1."""

    number: Annotated[int, Field(ge=1)]
    of: Annotated[int, Field(ge=1)]

    @model_validator(mode="after")
    def _is_one_of_them(self) -> Self:
        if self.number > self.of:
            msg = f"there is no part {self.number} of {self.of}"
            raise ValueError(msg)
        return self

    def __str__(self) -> str:
        """Return what people type: `2/3`."""
        return f"{self.number}/{self.of}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what people type.

        Raises:
            ConfigError: when it is not `i/n` with i from 1 to n.
        """
        found = re.fullmatch(r"(\d+)/(\d+)", text.strip())
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise ConfigError(f"--shard {text}: write i/n with i from 1 to n, such as 2/3")
        return cls(number=int(found[1]), of=int(found[2]))


def portion(whole: int, shard: Shard | None) -> int:
    """Return a shard's part of a number; the parts differ by one at most and add up to the whole. None is all of it."""
    if shard is None:
        return whole
    return whole // shard.of + (shard.number <= whole % shard.of)


def part_of(plan: Sequence[EpisodeKey], shard: Shard | None) -> list[EpisodeKey]:
    """Return a shard's part of a whole plan, in the plan's order; None is all of it.

    The episodes of one person and repeat stay together, since they share an opening; they are dealt out like cards.
    """
    if shard is None:
        return list(plan)
    groups = {group: index for index, group in enumerate(dict.fromkeys((key.profile, key.repeat) for key in plan))}
    return [key for key in plan if groups[key.profile, key.repeat] % shard.of == shard.number - 1]
