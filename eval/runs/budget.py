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
        return self._tokens_ended(meter) or self._money_ended(meter)

    def _tokens_ended(self, meter: Meter) -> str | None:
        if self.tokens is None:
            return None
        if not meter.spent.counted:
            who = meter.uncounted or "a model that was called before"
            return (
                f"limits.budget_tokens cannot be kept: {who} does not state its tokens; leave the limit out, and bound "
                "the run by people, repeats and max_turns"
            )
        used = meter.spent.tokens or 0
        return f"limits.budget_tokens is used up: {used} of {self.tokens} tokens" if used >= self.tokens else None

    def _money_ended(self, meter: Meter) -> str | None:
        if self.usd is None:
            return None
        if meter.unpriced is not None:
            return (
                f"limits.budget_usd cannot be kept: the price of {meter.unpriced} is not known; give it under `prices`"
            )
        if not meter.spent.priced:
            return "limits.budget_usd cannot be kept: the run has calls from before whose price was not known"
        cost = meter.spent.cost_usd or 0.0
        return f"limits.budget_usd is used up: ${cost:.4f} of ${self.usd:.2f}" if cost >= self.usd else None
