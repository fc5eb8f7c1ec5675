"""Configs: what is read, and the one line for each mistake."""

from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest
import yaml

from emoharbor.eval.config import RunConfig, config_schema, load_config, make_config
from emoharbor.state.errors import ConfigError

DESIGN = """\
run: {name: pilot, seed: 7, max_turns: 15, repeats: 1, briefing: none}
profiles: core
models:
  user:  {model: gpt-4.1-mini, base_url: https://models.example/v1, api_key_env: OPENAI_API_KEY, temperature: 0.8}
  judge: {model: gpt-4.1, api_key_env: OPENAI_API_KEY, temperature: 0}
cast:
  user: [feel, think, speak]
  feel:  {use: llm, model: user}
  think: {use: my_lab.nodes:stoic_think, model: user}
  speak: {use: llm, model: user}
  judge: {use: llm, model: judge, repeats: 1}
supporters:
  - {name: gpt-4o, use: chat, model: {model: gpt-4o, api_key_env: OPENAI_API_KEY}}
  - {name: ours, use: runnable, target: "my_bot.agent:graph"}
  - {name: baseline, use: offline, style: generic}
limits: {concurrency: 32, budget_usd: 20}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "config.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def mistake(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(write(folder, text))
    line = str(caught.value)
    assert "\n" not in line
    assert line.startswith(f"{folder / 'config.yaml'}:")
    return line.removeprefix(f"{folder / 'config.yaml'}:")


def test_the_config_of_the_design_is_read_and_survives_json(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, DESIGN))

    assert config.profiles == ("core",)
    assert [item.name for item in config.supporters] == ["gpt-4o", "ours", "baseline"]
    assert RunConfig.model_validate_json(config.model_dump_json()) == config


def test_the_published_schema_accepts_the_config_of_the_design() -> None:
    jsonschema.validate(yaml.safe_load(DESIGN), config_schema())


@pytest.mark.parametrize(
    ("was", "becomes", "line", "says"),
    [
        ("max_turns: 15", "max_turns: 0", 1, "run.max_turns: Input should be greater than or equal to 1"),
        ("max_turns", "max_turn", 1, "run.max_turn: unknown name; did you mean 'max_turns'?"),
        ("concurrency", "concurency", 16, "limits.concurency: unknown name; did you mean 'concurrency'?"),
        ("temperature: 0.8", "temprature: 0.8", 4, "models.user.temprature: unknown name; did you mean 'temperature'"),
        ("  think:", "  thonk:", 9, "cast.thonk: unknown name; did you mean 'think'?"),
        ("supporters:", "suporters:", 12, "suporters: unknown name; did you mean 'supporters'?"),
        ("briefing: none", "briefing: all", 1, "run.briefing: Input should be 'none', 'intake' or 'full'"),
        ("profiles: core", "profiles: []", 2, "profiles: List should have at least 1 item"),
        ("profiles: core", "profiles: core\nprofiles: all", 3, "broken YAML: key 'profiles' stands twice"),
        ("profiles: core", "profiles: [core", 3, "broken YAML"),
        ("[feel, think, speak]", "[feel]", 6, "cast: user ['feel'] is no chain that makes a person"),
        ("use: chat, ", "", 13, "supporters.0.use: Field required"),
        ("name: ours", "name: baseline", 1, "two supporters are called 'baseline'"),
        ("judge, repeats: 1", "judge, repeats: 0", 1, "cast.judge.repeats is how often to rate each episode: a whole"),
        ("judge, repeats: 1", "judge, repeats: two", 1, "a whole number from 1, not 'two'"),
    ],
)
def test_a_mistake_is_one_line_with_file_line_place_and_fix(
    tmp_path: Path, was: str, becomes: str, line: int, says: str
) -> None:
    assert was in DESIGN

    found = mistake(tmp_path, DESIGN.replace(was, becomes, 1))

    assert found.startswith(f"{line}: ")
    assert says in found


@pytest.mark.parametrize(
    ("was", "becomes", "place"),
    [
        ("api_key_env: OPENAI_API_KEY}}", "api_key: abcdef}}", "supporters.0.model.api_key"),
        ("api_key_env: OPENAI_API_KEY, temperature: 0.8", "api_key_env: sk-abcdef123456", "models.user.api_key_env"),
        ("style: generic", "token: abcdef", "supporters.2.token"),
        ("https://models", "https://me:abcdef@models", "models.user.base_url"),
        ("name: pilot", "name: 0123456789abcdef0123456789abcdef", "run.name"),
    ],
)
def test_a_key_in_a_config_is_refused_and_not_repeated(tmp_path: Path, was: str, becomes: str, place: str) -> None:
    assert was in DESIGN

    found = mistake(tmp_path, DESIGN.replace(was, becomes, 1))

    assert f"{place}: looks like a key" in found
    assert "api_key_env" in found
    assert "abcdef" not in found


def test_a_dict_is_checked_like_a_file() -> None:
    with pytest.raises(ConfigError, match=r"^supporters\.0\.key looks like a key"):
        make_config({"supporters": [{"name": "a", "use": "chat", "key": "xyz"}]})


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"- a\n", "1: the file holds no mapping"),
        (b"", "1: the file holds no mapping"),
        (b"run: \xff\n", "1: not UTF-8"),
        (b"? [a]\n: 1\n", "1: broken YAML"),
        (b"a: " + b"[" * 5000, "broken YAML"),
    ],
)
def test_what_is_no_config_at_all_is_one_line_too(tmp_path: Path, raw: bytes, says: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(raw)

    with pytest.raises(ConfigError) as caught:
        load_config(path)

    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml: cannot be read: No such file"):
        load_config(tmp_path / "none.yaml")
