"""Where a run's time, tokens and money go: one meter a run, read by progress, budget and summary."""

import time
from collections import defaultdict
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from emoharbor.eval.assembly import Assembly
from emoharbor.eval.prices import Price, Prices, host_of
from emoharbor.eval.spent import Spent
from emoharbor.graphs.work import validated
from emoharbor.nodes.cast import Cast, Part
from emoharbor.state.errors import BudgetReached, EndpointFault, ModelFault, NodeError, UserError

ROLE: ContextVar[str] = ContextVar("emoharbor_metered_role", default="supporter")
"""The role in whose time a model is called. Never set for a supporter: its context is its own."""
_SIDES = {"supporter": "supporter", "judge": "judge"}
"""Whose time a role's is; all other roles are the person's."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Who was called, and what it costs."""

    label: str
    price: Price | None


@dataclass(slots=True)
class EndpointTime:
    """Answers of one model behind one endpoint, and the seconds they took."""

    calls: int = 0
    seconds: float = 0.0

    @property
    def mean(self) -> float:
        """Seconds an answer."""
        return self.seconds / self.calls if self.calls else 0.0


class Meter:
    """Counts for a whole run.

    Attributes:
        spent: by the run so far, earlier calls of it included.
        seconds: of nodes at work, by side: `person`, `supporter`, `judge`. Episodes run side by side, so that this is
            more than the clock shows.
        endpoints: answers by model and host.
        unpriced: who was called without its price being known, the first of them.
        uncounted: who was called and did not state all its tokens, the first of them.
    """

    def __init__(self, assembly: Assembly, spent: Spent = Spent()) -> None:  # noqa: B008 - a frozen value
        self._prices = Prices(assembly.config.prices)
        self._models = assembly.models
        self._rates: dict[tuple[str, str], Rate] = {}
        self.spent = spent
        self.seconds: dict[str, float] = defaultdict(float)
        self.endpoints: dict[str, EndpointTime] = defaultdict(EndpointTime)
        self.unpriced: str | None = None
        self.uncounted: str | None = None

    def rate(self, place: str, model: str) -> Rate:
        """Return who a model is and what it costs.

        Args:
            place: the part that called it: `cast.judge`, `supporters.gpt-4o`.
            model: its name, as the call says.
        """
        found = self._rates.get((place, model))
        if found is None:
            found = self._rates[place, model] = self._found(place, model)
        return found

    def took(self, role: str, seconds: float) -> None:
        """Count a node's time."""
        self.seconds[_SIDES.get(role, "person")] += seconds

    def called(self, rate: Rate, seconds: float, spent: Spent) -> None:
        """Count one answer of a model."""
        entry = self.endpoints[rate.label]
        entry.calls += 1
        entry.seconds += seconds
        self.spent += spent
        if not spent.counted and self.uncounted is None:
            self.uncounted = rate.label
        if not spent.priced and self.unpriced is None:
            self.unpriced = rate.label if rate.price is None else f"{rate.label} (it does not state its tokens)"

    def _found(self, place: str, model: str) -> Rate:
        for where, settings in self._models.items():
            if settings.model == model and where.rpartition(".")[0] == place:  # a name may hold dots of its own
                return Rate(f"{model} at {host_of(settings)}", self._prices.of(settings))
        return Rate(model or f"the model of {place}", self._prices.of_foreign(model))


def metered(cast: Cast, meter: Meter) -> Cast:
    """Return the cast with every part's time counted, and a judge whose faults leave the dialogue as it is."""
    judge = cast.judge and _timed(replace(cast.judge, node=_kept(cast.judge)), meter)
    return replace(
        cast,
        user=tuple(_timed(part, meter) for part in cast.user),
        judge=judge,
        supporters={name: _timed(part, meter) for name, part in cast.supporters.items()},
    )


class JudgeBroke(EndpointFault):
    """The judge raised. Like one that cannot be reached: the dialogue is complete, and is judged on resume."""

    kind = "exception"


def _timed(part: Part, meter: Meter) -> Part:
    inner: Callable[..., Any] = part.node
    role = part.role

    async def node(*given: Any) -> Any:
        token = None if role == "supporter" else ROLE.set(role)
        began = time.perf_counter()
        try:
            return await inner(*given)
        finally:
            meter.took(role, time.perf_counter() - began)
            if token is not None:
                ROLE.reset(token)

    return replace(part, node=node)


def _kept(judge: Part) -> Any:
    inner: Callable[..., Any] = judge.node

    async def node(*given: Any) -> Any:
        try:
            return validated("judge", judge, await inner(*given))
        except (ModelFault, BudgetReached, UserError):
            raise
        except NodeError as error:
            raise JudgeBroke(str(error)) from error
        except Exception as error:
            # it may be other people's code, and it may fail in any way
            raise JudgeBroke(f"{type(error).__name__}: {error}") from error

    return node
