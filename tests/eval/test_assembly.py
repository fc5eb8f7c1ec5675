"""Assembling a run, and counting what it will ask for."""

from typing import Any

import pytest

from emoharbor.eval.assembly import assemble, estimate
from emoharbor.eval.config import RunConfig, make_config
from emoharbor.nodes.models.client import Models
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.state.errors import CastError, ConfigError

LLM = {"use": "llm", "model": "m"}
HERE = {"model": "tiny", "base_url": "http://127.0.0.1:9/v1"}
CHAT = {"name": "a", "use": "chat", "model": {**HERE, "model": "other"}}


def config(*, chain: tuple[str, ...] = ("feel", "think", "speak"), **changes: Any) -> RunConfig:
    cast = {"user": list(chain), **dict.fromkeys((*chain, "judge"), LLM)}
    data = {"profiles": ["P010"], "models": {"m": HERE}, "cast": cast, "supporters": [CHAT], **changes}
    return make_config(data)


@pytest.mark.parametrize(
    ("chain", "turns", "calls"),
    [
        (("feel", "think", "speak"), 15, 63),
        (("fused",), 10, 22),
        (("fused",), 15, 32),
        (("speak",), 15, 31),
    ],
)
def test_one_dialogue_makes_the_calls_that_the_design_counts(chain: tuple[str, ...], turns: int, calls: int) -> None:
    found = estimate(config(chain=chain, run={"max_turns": turns}))

    assert found.calls == calls
    assert found.steps_per_dialogue == calls


def test_the_opening_is_counted_once_for_all_supporters() -> None:
    others = [{**CHAT, "name": name} for name in ("a", "b", "c")]

    found = estimate(config(run={"max_turns": 15, "repeats": 2}, supporters=others), profiles=4)

    assert found.episodes == 4 * 2 * 3
    assert found.calls == 4 * 2 * (3 + 3 * 60)


def test_what_is_rule_based_calls_no_model() -> None:
    found = estimate(make_config({"supporters": [{"name": "a", "use": "offline", "style": "generic"}]}))

    assert found.calls == 0


async def test_models_are_found_by_name_or_written_in_place() -> None:
    async with Models() as models:
        found = assemble(config(), models)

    assert found.models["cast.judge.model"] == ModelSettings.model_validate(HERE)
    assert found.models["supporters.a.model"].model == "other"
    assert found.cast.chain == ("feel", "think", "speak")


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        (
            {"supporters": [{**CHAT, "model": "mm"}]},
            ConfigError,
            "supporters.a.model: no model is called 'mm'; did you",
        ),
        ({"supporters": [{**CHAT, "model": {"model": "x", "modle": 1}}]}, ConfigError, "supporters.a.model: modle:"),
        ({"models": {"m": {**HERE, "api_key_env": "NOT_SET"}}}, ConfigError, "NOT_SET is not set"),
        ({"supporters": [{**CHAT, "model": "m"}]}, ConfigError, "would be rated by itself"),
        ({"supporters": [{"name": "a", "use": "chatt"}]}, CastError, "no implementation is called 'chatt'"),
    ],
)
async def test_a_mistake_is_found_before_any_call(changes: dict[str, Any], error: type[Exception], says: str) -> None:
    async with Models() as models:
        with pytest.raises(error) as caught:
            assemble(config(**changes), models)

    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_self_judging_can_be_allowed() -> None:
    allowed = config(run={"allow_self_judging": True}, supporters=[{**CHAT, "model": "m"}])

    async with Models() as models:
        assert assemble(allowed, models).models["supporters.a.model"] == allowed.models["m"]


async def test_what_deserves_a_look_is_said() -> None:
    doubtful = config(cast={"judge": {"use": "offline", "repeats": 1}}, supporters=[{**CHAT, "send": "last"}],
                      limits={"budget_tokens": 3})  # fmt: skip

    async with Models() as models:
        found = assemble(doubtful, models)

    assert [warning.split(" ")[0].rstrip(":") for warning in found.warnings] == [
        "cast.judge", "supporters.a",
    ]  # fmt: skip
    assert found.remembering == {"a"}
