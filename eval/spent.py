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
        counted: False when a call did not state all its tokens, so that there are more than those above.
    """

    prompt: int | None = None
    completion: int | None = None
    cached: int | None = None
    cost_usd: float | None = None
    priced: bool = True
    counted: bool = True

    @property
    def tokens(self) -> int | None:
        """Prompt and completion together; None when neither is known."""
        return _sum(self.prompt, self.completion)

    @classmethod
    def stored(
        cls,
        prompt: int | None,
        completion: int | None,
        cached: int | None,
        cost_usd: float | None,
        counted: bool,  # noqa: FBT001 - a column
    ) -> Self:
        """Return what a row says; calls without a cost are calls whose price was not known."""
        nothing = prompt is completion is None and counted
        return cls(prompt, completion, cached, cost_usd, priced=cost_usd is not None or nothing, counted=counted)

    def __add__(self, other: "Spent") -> "Spent":
        """Return both together."""
        priced = self.priced and other.priced
        cost = _sum(self.cost_usd, other.cost_usd) if priced else None
        return Spent(
            _sum(self.prompt, other.prompt), _sum(self.completion, other.completion), _sum(self.cached, other.cached),
            cost, priced, self.counted and other.counted,
        )  # fmt: skip


def _sum(one: N | None, other: N | None) -> N | None:
    if one is None or other is None:
        return one if other is None else other
    return one + other
