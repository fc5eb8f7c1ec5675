"""Ablations: the same people, seeds and supporters with a part of the simulated user left out or swapped.

Each arm is an ordinary run in a folder of its own, below the folder of all. The arm without the inner-world log is no
run: it rates the dialogues of the full chain again, so that nothing differs but what the judge reads.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emoharbor.eval.config import Limits, RunConfig
from emoharbor.eval.spent import Spent
from emoharbor.nodes.spec import CALL_NOTHING, CastSpec, PartSpec, UserRole
from emoharbor.state.errors import ConfigError
from emoharbor.state.yamlfile import nearest

FULL = "full"
NO_LOG = "no-log"
WHOLE: tuple[UserRole, ...] = ("feel", "think", "speak")
_SIMULATOR = "simulator"
_CHAINS: Mapping[str, tuple[UserRole, ...]] = {
    FULL: WHOLE, "no-feel": ("think", "speak"), "no-think": ("feel", "speak"), "fused": ("fused",),
    "speak-only": ("speak",),
}  # fmt: skip
SAYS: Mapping[str, str] = {
    FULL: "feel, think and speak: what the others are held against",
    "no-feel": "without feel: distress and trust stay where they started",
    "no-think": "without think: speak decides by itself what to tell and when to leave",
    "fused": "feel, think and speak in one call",
    "speak-only": "one call a turn, no inner world, and the judge has no log",
    NO_LOG: "the dialogues of the full chain, rated again without the inner-world log",
}
"""What each arm is."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One condition.

    Attributes:
        name: what it is called, and its folder.
        says: what it is.
        config: its run; of `no-log`, the run whose dialogues are rated again.
        skipped: why this cast cannot play it; empty when it can.
    """

    name: str
    says: str
    config: RunConfig
    skipped: str = ""

    @property
    def chain(self) -> tuple[UserRole, ...]:
        """The person's roles."""
        return self.config.cast.user

    @property
    def is_run(self) -> bool:
        """Whether it has dialogues of its own."""
        return self.name != NO_LOG


def arms_of(config: RunConfig, simulators: Sequence[str] = (), only: Iterable[str] = ()) -> list[Arm]:
    """Return the arms of a config, the full chain first.

    Args:
        config: the run with the full chain.
        simulators: other models to play the person: names of the config's `models`, or of models behind the same
            endpoint.
        only: names of arms; none for all. The full chain is always there.

    Raises:
        ConfigError: when the config has no full chain or no judge, or a name is not known.
    """
    if config.cast.user != WHOLE:
        written = ", ".join(config.cast.user)
        raise ConfigError(f"cast.user is [{written}]; an ablation starts from the full chain, [feel, think, speak]")
    if config.cast.judge is None:
        raise ConfigError("cast.judge is missing; an ablation compares ratings")
    found = [*_arms(config), *(_simulated(config, name) for name in simulators)]
    wanted = [*only]
    for name in wanted:
        known = [arm.name for arm in found]
        if name not in known:
            hint = "; name the model: --simulator MODEL" if name == _SIMULATOR else f"; {nearest(name, known)}"
            raise ConfigError(f"no arm is called {name!r}{hint}")
    return [arm for arm in found if not wanted or arm.name in (FULL, *wanted)]


def _arms(config: RunConfig) -> Iterator[Arm]:
    for name, chain in _CHAINS.items():
        cast = config.cast.model_copy(update={"user": chain})
        skipped = ""
        if name == "fused":
            cast, skipped = _fused(cast, config.cast)
        yield Arm(name, SAYS[name], _named(config, name, cast), skipped)
    yield Arm(NO_LOG, SAYS[NO_LOG], _named(config, FULL, config.cast))


def _named(config: RunConfig, name: str, cast: CastSpec) -> RunConfig:
    run = config.run.model_copy(update={"name": f"{config.run.name}-{name}"})
    return config.model_copy(update={"run": run, "cast": cast})


def _fused(cast: CastSpec, whole: CastSpec) -> tuple[CastSpec, str]:
    """Return the cast with its fused role, and why there is none."""
    if "fused" in whole.model_fields_set:
        return cast, ""
    parts = [whole.feel, whole.think, whole.speak]
    kinds = {part.use for part in parts}
    if kinds == {"offline"}:
        return cast, ""
    models = [part.args.get("model") for part in parts]
    if kinds == {"llm"} and all(model == models[0] for model in models):
        return cast.model_copy(update={"fused": PartSpec.model_validate({"use": "llm", "model": models[0]})}), ""
    return cast, "feel, think and speak are not all of one kind and model; say who plays it: cast.fused"


def _simulated(config: RunConfig, model: str) -> Arm:
    name = f"{_SIMULATOR}-{model.replace('/', '_')}"
    cast, models, swapped = config.cast, dict(config.models), False
    for role in WHOLE:
        part: PartSpec = getattr(cast, role)
        if part.use in CALL_NOTHING or "model" not in part.args:
            continue
        other = model if model in config.models else _elsewhere(config, part.args["model"], model)
        swapped = True
        cast = cast.model_copy(update={role: PartSpec.model_validate({"use": part.use, **part.args, "model": other})})
    says = f"another model plays the person: {model}"
    skipped = "" if swapped else "no role of this cast's person asks a model"
    return Arm(name, says, _named(config.model_copy(update={"models": models}), name, cast), skipped)


def _elsewhere(config: RunConfig, old: object, model: str) -> Any:
    """Return the settings of another model behind the endpoint that a role has."""
    known = config.models.get(old) if isinstance(old, str) else old
    if isinstance(known, Mapping):
        return {**known, "model": model}
    return known.model_copy(update={"model": model}) if known is not None and hasattr(known, "model_copy") else old


def left(limits: Limits, spent: Spent) -> Limits | None:
    """Return what of a budget is left for an arm when the others have spent so much; None when nothing is.

    The limits of a config hold for all its arms together.
    """
    tokens, money = limits.budget_tokens, limits.budget_usd
    if tokens is not None:
        tokens -= spent.tokens or 0
    if money is not None:
        money -= spent.cost_usd or 0.0
    if (tokens is not None and tokens <= 0) or (money is not None and money <= 0):
        return None
    return limits.model_copy(update={"budget_tokens": tokens, "budget_usd": money})
