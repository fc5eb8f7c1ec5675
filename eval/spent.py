"""What an episode or a run has used: tokens, and money where every price is known."""

from dataclasses import dataclass
from typing import Self, TypeVar

N = TypeVar("N", int, float)


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens and money. Missing is None, never 0.

    Attributes:
        prompt, completion, cached: tokens, as far as endpoints stated them.
        cost_usd: None when no call was seen, or the cost of one is not known.
        priced: False when the cost of a call is not known.
    """

    prompt: int | None = None
    completion: int | None = None
    cached: int | None = None
    cost_usd: float | None = None
    priced: bool = True

    @property
    def tokens(self) -> int | None:
        """Prompt and completion together; None when neither is known."""
        return _sum(self.prompt, self.completion)

    @classmethod
    def stored(cls, prompt: int | None, completion: int | None, cached: int | None, cost_usd: float | None) -> Self:
        """Return what a row says; tokens without a cost are tokens whose price was not known."""
        return cls(prompt, completion, cached, cost_usd, priced=cost_usd is not None or prompt is completion is None)

    def __add__(self, other: "Spent") -> "Spent":
        """Return both together."""
        priced = self.priced and other.priced
        cost = _sum(self.cost_usd, other.cost_usd) if priced else None
        return Spent(
            _sum(self.prompt, other.prompt), _sum(self.completion, other.completion), _sum(self.cached, other.cached),
            cost, priced,
        )  # fmt: skip


def _sum(one: N | None, other: N | None) -> N | None:
    if one is None or other is None:
        return one if other is None else other
    return one + other
