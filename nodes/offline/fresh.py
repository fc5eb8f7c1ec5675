"""Choosing lines so that a supporter does not repeat itself, from nothing but the dialogue and a seed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from langchain_core.messages import AIMessage, AnyMessage

from emoharbor.nodes.offline.english import flat
from emoharbor.state.dialogue import said


@dataclass(frozen=True, slots=True)
class Fresh:
    """What the supporter has said, and its dice.

    Attributes:
        replies: its earlier messages, folded, oldest first.
        rng: for the choice among what is left.
    """

    replies: tuple[str, ...]
    rng: Random

    def used(self, text: str) -> bool:
        """Tell whether a text stands in an earlier reply."""
        needle = flat(text)
        return any(needle in reply for reply in self.replies)

    def unused(self, pool: Sequence[str]) -> list[str]:
        """Return the frames whose longest fixed part stands in no earlier reply."""
        return [line for line in pool if not self.used(_fixed(line))]

    def pick(self, pool: Sequence[str]) -> str:
        """Return a line that is unused, or else among those used longest ago."""
        left = self.unused(pool)
        if left:
            return self.rng.choice(left)
        return min(pool, key=lambda line: max(i for i, reply in enumerate(self.replies) if flat(_fixed(line)) in reply))


def fresh(messages: Sequence[AnyMessage], rng: Random) -> Fresh:
    """Look at a dialogue from the supporter's side."""
    return Fresh(tuple(flat(text) for text in said(messages, AIMessage)), rng)


@lru_cache(maxsize=1024)
def _fixed(frame: str) -> str:
    """Return the longest part of a frame outside its braces."""
    parts = frame.replace("{", "\x00").replace("}", "\x00").split("\x00")
    return max(parts[::2], key=len)
