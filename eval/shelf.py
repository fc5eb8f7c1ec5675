"""The models of a config."""

from typing import Protocol

from pydantic import ValidationError

from emoharbor.eval.config import RunConfig
from emoharbor.nodes.models.protocol import ChatModel
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.state.errors import ConfigError
from emoharbor.state.yamlfile import nearest, problem


class OpensModels(Protocol):
    """What opens models; `emoharbor.nodes.models.client.Models` does."""

    def open(self, settings: ModelSettings) -> ChatModel:
        """Return the model behind an endpoint."""


class Shelf:
    """The models of a config: found by name or written in place, each opened once.

    Attributes:
        used: settings of those that were asked for, by place.
    """

    def __init__(self, config: RunConfig, models: OpensModels) -> None:
        self._named = config.models
        self._models = models
        self._open: list[tuple[ModelSettings, ChatModel]] = []
        self.used: dict[str, ModelSettings] = {}

    def get(self, value: object, place: str) -> ChatModel:
        """Return the model that a part of the config names.

        Raises:
            ConfigError: naming the place, for an unknown name, wrong settings, or a key that is not set.
        """
        settings = self._settings(value, place)
        self.used[place] = settings
        for known, model in self._open:
            if known == settings:
                return model
        try:
            model = self._models.open(settings)
        except ConfigError as error:
            raise ConfigError(f"{place}: {error}") from None
        self._open.append((settings, model))
        return model

    def _settings(self, value: object, place: str) -> ModelSettings:
        if isinstance(value, ModelSettings):
            return value
        if isinstance(value, str):
            if value not in self._named:
                hint = nearest(value, self._named) if self._named else "the config has no models section"
                raise ConfigError(f"{place}: no model is called {value!r}; {hint}")
            return self._named[value]
        try:
            return ModelSettings.model_validate(value)
        except ValidationError as error:
            raise ConfigError(f"{place}: {problem(error, ModelSettings)}") from None
