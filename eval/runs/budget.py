"""What a run may use: tokens, and money. It holds for the run as a whole, however often it was resumed."""

from dataclasses import dataclass

from emoharbor.eval.config import Limits
from emoharbor.eval.runs.meter import Meter


@dataclass(frozen=True, slots=True)
class Budget:
    """Most tokens and most USD; None for no limit."""

    tokens: int | None = None
    usd: float | None = None

    @classmethod
    def of(cls, limits: Limits) -> "Budget":
        """Return the budget of a config."""
        return cls(limits.budget_tokens, limits.budget_usd)

    def ended(self, meter: Meter) -> str | None:
        """Say in one line why the run has to stop, or None while it may go on."""
        tokens, cost = meter.spent.tokens, meter.spent.cost_usd
        if self.tokens is not None and tokens is not None and tokens >= self.tokens:
            return f"limits.budget_tokens is used up: {tokens} of {self.tokens} tokens"
        if self.usd is None:
            return None
        if meter.unpriced is not None:
            return (
                f"limits.budget_usd cannot be kept: the price of {meter.unpriced} is not known; give it under `prices`"
            )
        if not meter.spent.priced:
            return "limits.budget_usd cannot be kept: the run has calls from before whose price was not known"
        if cost is not None and cost >= self.usd:
            return f"limits.budget_usd is used up: ${cost:.4f} of ${self.usd:.2f}"
        return None
