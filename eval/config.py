"""A run's config: what a YAML file says, validated, with errors that name file, line and fix."""

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from emoharbor.eval.audit.limits import AuditLimits
from emoharbor.eval.prices import Price
from emoharbor.eval.secrets import Place, find_secrets
from emoharbor.nodes.briefing import Briefing
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.nodes.pressure import Pressure
from emoharbor.nodes.spec import CastSpec, PartSpec, SupporterSpec
from emoharbor.state.base import FilledText, Frozen
from emoharbor.state.episode import MAX_TURNS
from emoharbor.state.errors import ConfigError
from emoharbor.state.yamlfile import YamlFile, problem, read_yaml

REPEATS = "repeats"
SCHEMA_ID = "https://json-schema.org/draft/2020-12/schema"


def _listed(value: object) -> object:
    return (value,) if isinstance(value, str) else value


Names = Annotated[tuple[FilledText, ...], Field(min_length=1), BeforeValidator(_listed, str | list[str])]
"""One name or several."""


class RunSection(Frozen):
    """What all episodes share."""

    name: FilledText = "run"
    """Also that of its folder below `runs/`, unless another is asked for."""
    seed: int = 0
    """All randomness derives from it; the same config and seed on the offline cast give the same bytes."""
    max_turns: Annotated[int, Field(strict=True, ge=1, le=200)] = MAX_TURNS
    repeats: Annotated[int, Field(strict=True, ge=1)] = 1
    """Dialogues of each person with each supporter."""
    briefing: Briefing = "none"
    """What supporters are told about the person."""
    allow_self_judging: bool | Names = False
    """Names of the supporters that may be rated, or talked to, by the very model that they are (true: all of them);
    without this, such a config is refused."""

    pressure: Pressure = Pressure()
    """Events in the middle of the dialogues; none unless it says so."""

    @model_validator(mode="after")
    def _events_fit(self) -> Self:
        if found := self.pressure.problem(self.max_turns):
            msg = f"pressure: {found}"
            raise ValueError(msg)
        return self

    def allows_itself(self, supporter: str) -> bool:
        """Tell whether a supporter may meet its own model as judge or as the person."""
        allowed = self.allow_self_judging
        return allowed if isinstance(allowed, bool) else supporter in allowed


class Limits(Frozen):
    """What the run may use. These may differ when a run is resumed."""

    concurrency: Annotated[int, Field(strict=True, ge=1)] = 16
    """Episodes under way at once."""
    budget_usd: Annotated[float, Field(gt=0)] | None = None
    """Most money, counted from tokens and prices; refused when a model's price is not known."""
    budget_tokens: Annotated[int, Field(strict=True, gt=0)] | None = None
    """Most prompt and completion tokens together, as endpoints state them; an answer that states none ends the run."""
    grace_s: Annotated[float, Field(ge=0)] = 10
    """Seconds in which the episodes under way may finish their turn when the run is interrupted."""

    def share(self, of: int, concurrency: int | None = None) -> Self:
        """Return what one of so many shards may use: its part of the budgets.

        Args:
            of: how many there are.
            concurrency: its part of that; None leaves it as it is, of each process.
        """
        tokens = None if self.budget_tokens is None else max(1, self.budget_tokens // of)
        money = None if self.budget_usd is None else self.budget_usd / of
        return self.model_copy(
            update={
                "budget_tokens": tokens, "budget_usd": money, "concurrency": concurrency or self.concurrency,
            }
        )  # fmt: skip


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
    audit: AuditLimits = AuditLimits()
    """From when on the audit calls something a fault of the simulated person. May differ when a run is resumed."""
    prices: dict[FilledText, Price] = Field(default_factory=dict)
    """USD per million tokens by model (or model@host); before the bundled table. May differ when a run is resumed."""

    @model_validator(mode="before")
    @classmethod
    def _no_secrets(cls, data: object) -> object:
        for path in find_secrets(data):
            msg = f"{_place(path)} {_KEY_FOUND}"
            raise ValueError(msg)
        return data

    @property
    def judge(self) -> PartSpec | None:
        """The judge without its `repeats`, which say how often to rate and not how."""
        spec = self.cast.judge
        if spec is None:
            return None
        return PartSpec.model_validate({"use": spec.use, **{k: v for k, v in spec.args.items() if k != REPEATS}})

    @property
    def judge_repeats(self) -> int:
        """How often the run's own judge rates each episode."""
        return int(self.cast.judge.args.get(REPEATS, 1)) if self.cast.judge else 0

    @model_validator(mode="after")
    def _repeats_are_a_number(self) -> Self:
        found = self.cast.judge.args.get(REPEATS, 1) if self.cast.judge else 1
        if isinstance(found, bool) or not isinstance(found, int) or found < 1:
            msg = f"cast.judge.repeats is how often to rate each episode: a whole number from 1, not {found!r}"
            raise ValueError(msg)
        return self

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
    config = _validated(file.data, file)
    if not _stays_below(config.run.name):
        raise ConfigError(
            f"{file.at(('run', 'name'))}: run.name: names the folder below runs/ too, so it has no `..`, does not "
            "begin with a slash, and holds nothing that does not print"
        )
    return config


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


def _stays_below(name: str) -> bool:
    """Tell whether a run of this name gets a folder below `runs/`."""
    path = PurePath(name)
    return name.isprintable() and path.parts != () and not path.is_absolute() and ".." not in path.parts


def _place(path: Place) -> str:
    return ".".join(str(part) for part in path)
