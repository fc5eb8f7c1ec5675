"""From a config to everything a run needs, checked before any call is made."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from emoharbor.eval.config import RunConfig
from emoharbor.eval.estimate import Estimate, RoleEstimate, estimate
from emoharbor.eval.judging.kinship import check_self_judging, kinship
from emoharbor.eval.prices import Prices, host_of
from emoharbor.eval.replay.source import Replay
from emoharbor.eval.shelf import OpensModels, Shelf
from emoharbor.nodes.cast import Cast, build_cast
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.nodes.parts import find_factory
from emoharbor.nodes.spec import CALL_NOTHING
from emoharbor.nodes.supporters.human import HUMAN
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.episode import EpisodeState
from emoharbor.state.errors import ConfigError

_COUNTED = ("chat", *CALL_NOTHING)
"""Supporters whose calls are all ours, or that make none."""
__all__ = ["Assembly", "Estimate", "OpensModels", "RoleEstimate", "assemble", "estimate"]


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
        replay: for recorded dialogues: what is played.
    """

    config: RunConfig
    cast: Cast
    people: Mapping[str, PartialProfile]
    models: Mapping[str, ModelSettings]
    warnings: tuple[str, ...] = ()
    remembering: frozenset[str] = frozenset()
    replay: Replay | None = None

    def begun(self, state: EpisodeState) -> EpisodeState:
        """Return the first state of an episode, as it is begun in this run."""
        return state if self.replay is None else self.replay.begun(state)


def assemble(
    config: RunConfig,
    models: OpensModels,
    people: Mapping[str, PartialProfile] | None = None,
    *,
    attended: bool = False,
) -> Assembly:
    """Load the people and build the cast.

    Args:
        config: what to run.
        models: opens the models that the cast and the supporters name.
        people: the people, in place of those the config names.
        attended: whether somebody is there to answer for a human supporter.

    Raises:
        ConfigError, ProfileError, CastError, RubricError: naming the place and the fix.
    """
    who: Mapping[str, PartialProfile] = load_people(config.profiles) if people is None else people
    shelf = Shelf(config, models)
    if not attended:
        _check_humans(config)
    cast = build_cast(config.cast.model_copy(update={"judge": config.judge}), config.supporters, shelf.get)
    check_self_judging(config, shelf.used)
    check_prices(config, shelf.used)
    remembering = frozenset(item.name for item in config.supporters if _sends_last(item.use, item.args))
    return Assembly(config, cast, who, shelf.used, tuple(_warnings(config, remembering, shelf.used)), remembering)


def _check_humans(config: RunConfig) -> None:
    """A person at the keyboard answers one at a time, and a run has many episodes under way at once."""
    for item in config.supporters:
        if item.use == HUMAN:
            raise ConfigError(
                f"supporters.{item.name}: a human supporter is somebody at the keyboard, so it cannot be part of a "
                "run; be the supporter of one person at a time with: emoharbor chat P010"
            )


def check_prices(config: RunConfig, used: Mapping[str, ModelSettings]) -> None:
    """Refuse a budget of money that cannot be kept for want of a price.

    Raises:
        ConfigError: naming the model whose price is not known.
    """
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


def _warnings(config: RunConfig, remembering: frozenset[str], used: Mapping[str, ModelSettings]) -> list[str]:
    found = list(kinship(used))
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
