"""A run's config: what a YAML file says, validated, with errors that name file, line and fix."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from emoharbor.eval.prices import Price
from emoharbor.eval.secrets import Place, find_secrets
from emoharbor.nodes.briefing import Briefing
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.nodes.spec import CastSpec, SupporterSpec
from emoharbor.state.base import FilledText, Frozen
from emoharbor.state.episode import MAX_TURNS
from emoharbor.state.errors import ConfigError
from emoharbor.state.yamlfile import YamlFile, problem, read_yaml

SCHEMA_ID = "https://json-schema.org/draft/2020-12/schema"


def _listed(value: object) -> object:
    return (value,) if isinstance(value, str) else value


Names = Annotated[tuple[FilledText, ...], Field(min_length=1), BeforeValidator(_listed, str | list[str])]
"""One name or several."""


class RunSection(Frozen):
    """What all episodes share."""

    name: FilledText = "run"
    seed: int = 0
    """All randomness derives from it; the same config and seed on the offline cast give the same bytes."""
    max_turns: Annotated[int, Field(ge=1, le=200)] = MAX_TURNS
    repeats: Annotated[int, Field(ge=1)] = 1
    """Dialogues of each person with each supporter."""
    briefing: Briefing = "none"
    """What supporters are told about the person."""
    allow_self_judging: bool = False
    """Whether a supporter may be rated by the very model that it is; without this, such a config is refused."""


class Limits(Frozen):
    """What the run may use. These may differ when a run is resumed."""

    concurrency: Annotated[int, Field(ge=1)] = 16
    """Episodes under way at once."""
    budget_usd: Annotated[float, Field(gt=0)] | None = None
    """Most money, counted from tokens and prices; refused when a model's price is not known."""
    budget_tokens: Annotated[int, Field(gt=0)] | None = None
    """Most prompt and completion tokens together."""
    grace_s: Annotated[float, Field(ge=0)] = 10
    """Seconds in which the episodes under way may finish their turn when the run is interrupted."""

    def share(self, of: int) -> Self:
        """Return what one of so many shards may use: its part of the budgets; `concurrency` is of each process."""
        tokens = None if self.budget_tokens is None else max(1, self.budget_tokens // of)
        money = None if self.budget_usd is None else self.budget_usd / of
        return self.model_copy(update={"budget_tokens": tokens, "budget_usd": money})


class RunConfig(Frozen):
    """A run: who talks with whom, who plays the person, who judges."""

    model_config = ConfigDict(title="EmoHarbor run config")

    run: RunSection = RunSection()
    profiles: Names = ("core",)
    """A set (`core`, `all`), ids, or paths of files or folders."""
    models: dict[FilledText, ModelSettings] = Field(default_factory=dict)
    """Models that cast and supporters call by name."""
    cast: CastSpec = CastSpec()
    supporters: Annotated[tuple[SupporterSpec, ...], Field(min_length=1)]
    limits: Limits = Limits()
    prices: dict[FilledText, Price] = Field(default_factory=dict)
    """USD per million tokens by model (or model@host); before the bundled table. May differ when a run is resumed."""

    @model_validator(mode="before")
    @classmethod
    def _no_secrets(cls, data: object) -> object:
        for path in find_secrets(data):
            msg = f"{_place(path)} {_KEY_FOUND}"
            raise ValueError(msg)
        return data

    @model_validator(mode="after")
    def _supporters_are_told_apart(self) -> Self:
        names = [item.name for item in self.supporters]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            msg = f"two supporters are called {twice!r}; give each its own name"
            raise ValueError(msg)
        return self


_KEY_FOUND = (
    "looks like a key, and a config never holds one; put the key into an environment variable and write that "
    "variable's name: `api_key_env: OPENAI_API_KEY`"
)


def load_config(path: Path | str) -> RunConfig:
    """Read a run config.

    Raises:
        ConfigError: one line: file, line, place, what is wrong, what to do.
    """
    file = read_yaml(Path(path), ConfigError, "a run config: run, profiles, cast, supporters ...")
    file.data.pop("$schema", None)
    for found in find_secrets(file.data):
        raise ConfigError(f"{file.at(found)}: {_place(found)}: {_KEY_FOUND}")
    return _validated(file.data, file)


def make_config(data: Mapping[str, Any]) -> RunConfig:
    """Return the config of a dict in the form of the YAML.

    Raises:
        ConfigError: one line: place, what is wrong, what to do.
    """
    return _validated(data, None)


def config_schema() -> dict[str, Any]:
    """Return the JSON schema of a config, for editors."""
    return {"$schema": SCHEMA_ID, **RunConfig.model_json_schema()}


def _validated(data: Mapping[str, Any], file: YamlFile | None) -> RunConfig:
    try:
        return RunConfig.model_validate(data)
    except ValidationError as error:
        raise ConfigError(problem(error, RunConfig, file)) from None


def _place(path: Place) -> str:
    return ".".join(str(part) for part in path)
