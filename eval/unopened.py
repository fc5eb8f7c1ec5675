"""A model that is only named: for commands that look at a cast and call nothing."""

from dataclasses import dataclass
from typing import Any

from emoharbor.nodes.models.protocol import ChatModel
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.state.errors import ConfigError


@dataclass(frozen=True, slots=True)
class UnopenedModel:
    """Has a name and answers nothing."""

    name: str

    async def ask(self, *_: Any, **__: Any) -> Any:
        """Refuse."""
        raise ConfigError(f"model {self.name!r} is only looked at here, not called")

    async def say(self, *_: Any, **__: Any) -> Any:
        """Refuse."""
        raise ConfigError(f"model {self.name!r} is only looked at here, not called")


class Unopened:
    """Opens nothing: needs no key and no network."""

    def open(self, settings: ModelSettings) -> ChatModel:
        """Return a model that is only named."""
        return UnopenedModel(settings.model)
