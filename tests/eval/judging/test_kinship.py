"""Who rates, or plays the person, must not be who is under test; kin are told of."""

from pathlib import Path
from typing import Any

import pytest
from helpers.judging import Command

from emoharbor.eval.config import make_config
from emoharbor.eval.judging.kinship import check_self_judging, families, kinship
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.state.errors import ConfigError


def used(**models: str) -> dict[str, ModelSettings]:
    return {place.replace("__", "."): ModelSettings(model=name) for place, name in models.items()}


def config(**run: Any) -> Any:
    return make_config({"run": run, "supporters": [{"name": "gpt", "use": "offline", "style": "silent"}]})


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("gpt-4.1-mini", {"GPT"}),
        ("openai/o3-mini", {"GPT"}),
        ("chatgpt-4o-latest", {"GPT"}),
        ("claude-sonnet-4", {"Claude"}),
        ("Qwen/Qwen2.5-72B-Instruct", {"Qwen"}),
        ("meta-llama/Llama-3.3-70B", {"Llama"}),
        ("gemma3:4b", {"Gemini"}),
        ("deepseek-r1-distill-llama-70b", {"DeepSeek", "Llama"}),
        ("mistralai/Mixtral-8x7B", {"Mistral"}),
        ("my-model", set()),
        ("egptian", set()),
    ],
)
def test_a_name_tells_its_family(name: str, found: set[str]) -> None:
    assert families(name) == found


@pytest.mark.parametrize(("seat", "does"), [("judge", "rated"), ("think", "played to"), ("fused", "played to")])
def test_a_supporter_that_meets_itself_is_refused_unless_allowed_by_name(seat: str, does: str) -> None:
    same = {"supporters.gpt.model": ModelSettings(model="m"), f"cast.{seat}.model": ModelSettings(model="m")}
    with pytest.raises(ConfigError, match=rf"supporters\.gpt\.model: 'm' would be {does} by itself.*\[gpt\]"):
        check_self_judging(config(), same)
    with pytest.raises(ConfigError, match="by itself"):
        check_self_judging(config(allow_self_judging=["other"]), same)
    check_self_judging(config(allow_self_judging="gpt"), same)
    check_self_judging(config(allow_self_judging=True), same)


def test_kin_are_told_of_and_strangers_are_not() -> None:
    found = list(
        kinship(used(supporters__gpt__model="gpt-4o", cast__judge__model="gpt-4.1", cast__feel__model="qwen3"))
    )

    assert len(found) == 1
    assert found[0].startswith("supporters.gpt: gpt-4o and cast.judge (gpt-4.1) are of one family (GPT)")


def test_the_same_name_at_another_endpoint_is_kin_but_not_itself() -> None:
    there = ModelSettings(model="qwen3", base_url="http://127.0.0.1:1/v1")
    models = {"supporters.gpt.model": ModelSettings(model="qwen3"), "cast.judge.model": there}
    check_self_judging(config(), models)

    assert len(list(kinship(models))) == 1


def test_a_judge_that_was_under_test_is_refused(run: Path, judge: Command) -> None:
    manifest = (run / "manifest.json").read_text(encoding="utf-8")
    under_test = '"models": {"supporters.generic.model": {"model": "claude-x", "base_url": "http://127.0.0.1:9/v1"}},'
    head, _, tail = manifest.partition('"models": {},')
    assert tail
    (run / "manifest.json").write_text(f"{head}{under_test}{tail}", encoding="utf-8")
    ended = judge("--judge", "other")

    assert ended.code == 2
    assert "supporters.generic.model: 'claude-x' would be rated by itself" in ended.err
