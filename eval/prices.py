"""What tokens cost: a table of list prices (`prices.yaml`), and before it a config's own. Unknown is never 0."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Annotated, Any
from urllib.parse import urlsplit

import yaml
from pydantic import Field

from emoharbor.nodes.models.address import OPENAI
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.state.base import Frozen

_VERSIONED = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$")
_MILLION = 1_000_000
Money = Annotated[float, Field(ge=0)]


class Price(Frozen):
    """USD per million tokens."""

    prompt: Money
    cached: Money | None = None
    """Of prompt tokens from the endpoint's cache; None counts them as the others."""
    completion: Money

    def cost(self, prompt: int, completion: int, cached: int | None = None) -> float:
        """Return what a call cost, in USD; `cached` is a part of `prompt`."""
        stored = min(cached or 0, prompt)
        of_stored = self.prompt if self.cached is None else self.cached
        return ((prompt - stored) * self.prompt + stored * of_stored + completion * self.completion) / _MILLION


@dataclass(frozen=True, slots=True)
class PriceTable:
    """List prices, by host and model.

    Attributes:
        version: its date.
        source: where the prices come from.
        hosts: prices by pattern of the model's name, by host.
    """

    version: str
    source: str
    hosts: Mapping[str, Mapping[str, Price]]


@cache
def price_table() -> PriceTable:
    """Return the bundled table."""
    data: dict[str, Any] = yaml.safe_load(files("emoharbor.eval").joinpath("prices.yaml").read_text(encoding="utf-8"))
    hosts = {
        host: {name: Price(prompt=row[0], cached=row[1], completion=row[2]) for name, row in models.items()}
        for host, models in data["endpoints"].items()
    }
    return PriceTable(data["version"], data["source"], hosts)


class Prices:
    """The prices of one run: its config's own go before the table's."""

    def __init__(self, own: Mapping[str, Price]) -> None:
        self._own = own
        self._table = price_table().hosts

    def of(self, settings: ModelSettings) -> Price | None:
        """Return the price of a model of ours; None when it is not known."""
        host = host_of(settings)
        return self._among(self._own, settings.model, host) or self._among(
            self._table.get(host, {}), settings.model, host
        )

    def of_foreign(self, model: str) -> Price | None:
        """Return the price of a model that somebody's agent called: its endpoint is not known, so only the config's."""
        return self._among(self._own, model, "")

    @staticmethod
    def _among(prices: Mapping[str, Price], model: str, host: str) -> Price | None:
        for name in _names(model, host):
            if name in prices:
                return prices[name]
        return next((price for pattern, price in prices.items()
                     if any(fnmatchcase(name, pattern) for name in _names(model, host))), None)  # fmt: skip


def host_of(settings: ModelSettings) -> str:
    """Return the host of a model's endpoint, with its port if it has one."""
    return urlsplit(settings.base_url or OPENAI).netloc.rpartition("@")[2].lower()


def _names(model: str, host: str) -> Iterator[str]:
    """Yield what a pattern may name: the model at its host, the model, the model without the date of its version."""
    plain = _VERSIONED.sub("", model)
    yield from (f"{model}@{host}", model, f"{plain}@{host}", plain)
