"""From a config to everything a run needs, checked before any call is made."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import ValidationError

from emoharbor.eval.config import RunConfig
from emoharbor.eval.estimate import Estimate, RoleEstimate, estimate
from emoharbor.eval.prices import Prices, host_of
from emoharbor.nodes.cast import Cast, build_cast
from emoharbor.nodes.models.protocol import ChatModel
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.nodes.parts import find_factory
from emoharbor.nodes.spec import CastSpec, PartSpec
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import Profile
from emoharbor.state.errors import ConfigError
from emoharbor.state.yamlfile import nearest, problem

_COUNTED = ("chat", "offline", "recorded")
"""Supporters whose calls are all ours, or that make none."""
__all__ = ["Assembly", "Estimate", "OpensModels", "RoleEstimate", "assemble", "estimate"]


class OpensModels(Protocol):
    """What opens models; `emoharbor.nodes.models.client.Models` does."""

    def open(self, settings: ModelSettings) -> ChatModel:
        """Return the model behind an endpoint."""


@dataclass(frozen=True, slots=True)
class Assembly:
    """A run, ready to start.

    Attributes:
        config: what was asked for.
        cast: who plays which role.
        people: the profiles by id, in the order asked for.
        models: the settings of every model in use, by place (`cast.judge.model`, `supporters.gpt-4o.model`).
        warnings: what is allowed but deserves a look, one line each.
        remembering: supporters that are sent only the last message, and so keep the dialogue themselves.
    """

    config: RunConfig
    cast: Cast
    people: Mapping[str, Profile]
    models: Mapping[str, ModelSettings]
    warnings: tuple[str, ...] = ()
    remembering: frozenset[str] = frozenset()


def assemble(config: RunConfig, models: OpensModels, people: Mapping[str, Profile] | None = None) -> Assembly:
    """Load the people and build the cast.

    Args:
        config: what to run.
        models: opens the models that the cast and the supporters name.
        people: the people, in place of those the config names.

    Raises:
        ConfigError, ProfileError, CastError, RubricError: naming the place and the fix.
    """
    who = load_people(config.profiles) if people is None else people
    shelf = _Shelf(config, models)
    cast = build_cast(_with_one_rating(config.cast), config.supporters, shelf.get)
    _check_judge(config, shelf.used)
    _check_prices(config, shelf.used)
    remembering = frozenset(item.name for item in config.supporters if _sends_last(item.use, item.args))
    return Assembly(config, cast, who, shelf.used, tuple(_warnings(config, remembering)), remembering)


class _Shelf:
    """The models of a config: found by name or written in place, each opened once."""

    def __init__(self, config: RunConfig, models: OpensModels) -> None:
        self._named = config.models
        self._models = models
        self._open: list[tuple[ModelSettings, ChatModel]] = []
        self.used: dict[str, ModelSettings] = {}

    def get(self, value: object, place: str) -> ChatModel:
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


def _with_one_rating(spec: CastSpec) -> CastSpec:
    """Take `repeats` out of the judge's arguments: it says how often to rate, not how."""
    if spec.judge is None or "repeats" not in spec.judge.args:
        return spec
    if spec.judge.args["repeats"] != 1:
        raise ConfigError("cast.judge.repeats: a run rates each episode once; write 1 or leave it out")
    rest = {name: value for name, value in spec.judge.args.items() if name != "repeats"}
    return spec.model_copy(update={"judge": PartSpec.model_validate({"use": spec.judge.use, **rest})})


def _check_judge(config: RunConfig, used: Mapping[str, ModelSettings]) -> None:
    judge = used.get("cast.judge.model")
    if judge is None or config.run.allow_self_judging:
        return
    for place, settings in used.items():
        if place.startswith("supporters.") and _same_model(settings, judge):
            raise ConfigError(
                f"{place}: {settings.model!r} would be rated by itself, since cast.judge is the same model; use "
                "another judge, or say `run: {allow_self_judging: true}`"
            )


def _check_prices(config: RunConfig, used: Mapping[str, ModelSettings]) -> None:
    """A budget of money needs the price of every model."""
    if config.limits.budget_usd is None:
        return
    prices = Prices(config.prices)
    for place, settings in used.items():
        if prices.of(settings) is None:
            raise ConfigError(
                f"limits.budget_usd: {place}: the price of {settings.model!r} at {host_of(settings)} is not known, so "
                "a budget of money cannot be kept; give it in USD per million tokens, "
                f"`prices: {{{settings.model!r}: {{prompt: 1.0, completion: 4.0}}}}`, or use limits.budget_tokens"
            )


def _same_model(one: ModelSettings, other: ModelSettings) -> bool:
    return (one.model, (one.base_url or "").rstrip("/")) == (other.model, (other.base_url or "").rstrip("/"))


def _warnings(config: RunConfig, remembering: frozenset[str]) -> list[str]:
    found = []
    rule_based = config.cast.judge is not None and config.cast.judge.use == "offline"
    if rule_based and any(item.use != "offline" for item in config.supporters):
        found.append("cast.judge is the rule-based offline one: good for trying, no evidence about a supporter")
    if config.limits.budget_usd is not None or config.limits.budget_tokens is not None:
        found += [
            f"supporters.{item.name}: what it spends counts for the budget only as far as it calls LangChain's models"
            for item in config.supporters
            if item.use not in _COUNTED
        ]
    found += [
        f"supporters.{name}: keeps the dialogue itself (send: last), so an episode that breaks off starts again"
        for name in sorted(remembering)
    ]
    return found


def _sends_last(use: str, args: Mapping[str, Any]) -> bool:
    if "send" in args:
        return bool(args["send"] == "last")
    default = inspect.signature(find_factory("supporter", use)).parameters.get("send")
    return default is not None and default.default == "last"
