"""Opening models. One `Models` serves a whole run, so that models behind one endpoint share what should be shared."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

from emoharbor.nodes.models.address import OPENAI
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.state.errors import ConfigError

if TYPE_CHECKING:
    from emoharbor.nodes.models.endpoint import Endpoint
    from emoharbor.nodes.models.model import EndpointModel
    from emoharbor.nodes.models.schema import Rung


@dataclass(frozen=True, slots=True)
class ModelReport:
    """What one model behind one endpoint turned out to do; for the manifest.

    Attributes:
        endpoint: its address.
        model: its name.
        rung: how structured answers are asked for; None while none has been read.
        dropped: parameters it refused, which are no longer sent, in alphabetical order.
        calls: requests sent.
        faults: how many requests ended in each kind of fault, by kind.
        reports_usage: whether every reply stated its tokens; None without a reply.
        concurrency: the limit on calls in flight, at its lowest.
    """

    endpoint: str
    model: str
    rung: "Rung | None"
    dropped: tuple[str, ...]
    calls: int
    faults: dict[str, int]
    reports_usage: bool | None
    concurrency: int


class Models:
    """The models of one run.

    Belongs to the event loop of the first call; use one for each loop. Clients, limits on calls in flight and what was
    learned about an endpoint are shared between the models behind it.

        async with Models() as models:
            model = models.open(ModelSettings(model="gpt-4.1-mini", api_key_env="OPENAI_API_KEY"))
    """

    def __init__(self, portion: Callable[[int], int] = int) -> None:
        """Open nothing yet.

        Args:
            portion: told how many calls settings allow in flight, returns how many of them are ours: less than all
                where processes beside this one call the same endpoints.
        """
        self._portion = portion
        self._endpoints: dict[tuple[str, str | None], Endpoint] = {}

    def open(self, settings: ModelSettings) -> "EndpointModel":
        """Return the model of some settings. Sends nothing.

        Raises:
            ConfigError: when the variable for the key is not set, naming it.
        """
        # the OpenAI client takes a second to import, and an offline run never needs it
        from emoharbor.nodes.models.chat import open_chat  # noqa: PLC0415 - see above
        from emoharbor.nodes.models.endpoint import Endpoint  # noqa: PLC0415 - see above
        from emoharbor.nodes.models.line import Line  # noqa: PLC0415 - see above
        from emoharbor.nodes.models.model import EndpointModel  # noqa: PLC0415 - see above

        key = _key(settings)
        place = ((settings.base_url or OPENAI).rstrip("/"), settings.api_key_env)
        endpoint = self._endpoints.get(place)
        if endpoint is None:
            endpoint = self._endpoints[place] = Endpoint(settings, key)
        endpoint.throttle.lower_to(self._portion(settings.concurrency))
        return EndpointModel(Line(settings, endpoint, open_chat(settings, endpoint)))

    def report(self) -> list[ModelReport]:
        """Return what each model turned out to do, in the order they were opened."""
        return [
            ModelReport(
                endpoint=endpoint.url,
                model=name,
                rung=known.works,
                dropped=tuple(sorted(known.dropped)),
                calls=known.calls,
                faults=dict(sorted(known.faults.items())),
                reports_usage=known.reports_usage,
                concurrency=endpoint.throttle.lowest,
            )
            for endpoint in self._endpoints.values()
            for name, known in endpoint.models.items()
        ]

    def waited(self) -> float:
        """Return the seconds that calls have waited for limits so far, all together."""
        return sum(endpoint.throttle.waited for endpoint in self._endpoints.values())

    async def aclose(self) -> None:
        """Close all connections."""
        for endpoint in self._endpoints.values():
            await endpoint.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _key(settings: ModelSettings) -> str | None:
    if settings.api_key_env is None:
        if settings.base_url is None:
            raise ConfigError(
                f"model {settings.model}: OpenAI's endpoint needs a key; name its variable in api_key_env"
            )
        return None
    key = os.environ.get(settings.api_key_env, "").strip()
    if not key:
        raise ConfigError(f"model {settings.model}: the environment variable {settings.api_key_env} is not set")
    if not key.isascii():
        raise ConfigError(f"model {settings.model}: the key in {settings.api_key_env} holds characters no key has")
    return key
