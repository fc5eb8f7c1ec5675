"""From a new config to figures, as a user goes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from emoharbor.eval.config import config_schema
from emoharbor.eval.endpoint.server import endpoint_in_thread
from emoharbor.eval.record import EpisodeRecord

pytestmark = pytest.mark.slow  # whole runs from the command line

Command = Callable[..., Any]
SMALL = """
run: {name: small, seed: 3, max_turns: 3}
profiles: [P010, P013]
supporters:
  - {name: generic, use: offline, style: generic}
  - {name: attuned, use: offline, style: attuned}
"""


@pytest.fixture
def small(folder: Path) -> str:
    (folder / "small.yaml").write_text(SMALL, encoding="utf-8")
    return "small.yaml"


def test_init_check_run_leaderboard_show_export(emoharbor: Command, folder: Path) -> None:
    assert emoharbor("init").code == 0
    assert "2 supporters" in emoharbor("check", "emoharbor.yaml").out
    ran = emoharbor("run", "emoharbor.yaml", "--limit", "2", "--json")
    assert ran.code == 0
    assert [row["name"] for row in json.loads(ran.out)["supporters"]] == ["attuned", "generic"]
    board = json.loads(emoharbor("leaderboard", "runs/first", "--json").out)
    assert board == json.loads(ran.out)
    listed = json.loads(emoharbor("show", "runs/first", "--json").out)
    assert [item["episode"] for item in listed] == ["P010/attuned/0", "P010/generic/0"]
    shown = json.loads(emoharbor("show", "runs/first", "P010/att", "--json").out)
    lines = emoharbor("export", "runs/first", "--canonical").out.splitlines()

    assert EpisodeRecord.model_validate(shown) == EpisodeRecord.model_validate(json.loads(lines[0]))
    assert "tailoring gap" in emoharbor("show", "runs/first", "P010/attuned/0").out
    assert json.loads((folder / "emoharbor.schema.json").read_text(encoding="utf-8")) == config_schema()


def test_the_starter_config_names_its_schema_in_the_first_line_and_fits_it(emoharbor: Command, folder: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    emoharbor("init", "sub.yaml")
    text = (folder / "sub.yaml").read_text(encoding="utf-8")

    assert text.startswith("# yaml-language-server: $schema=./emoharbor.schema.json\n")
    jsonschema.validate(yaml.safe_load(text), config_schema())


def test_init_overwrites_nothing(emoharbor: Command, folder: Path) -> None:
    (folder / "emoharbor.yaml").write_text("mine", encoding="utf-8")
    ended = emoharbor("init")

    assert ended.code == 2
    assert "exists" in ended.err
    assert (folder / "emoharbor.yaml").read_text(encoding="utf-8") == "mine"
    assert [path.name for path in folder.iterdir()] == ["emoharbor.yaml"]


def test_a_run_in_parts_is_resumed_and_canonical_exports_of_equal_runs_are_equal(
    emoharbor: Command, small: str
) -> None:
    assert emoharbor("run", small, "--profiles", "P013").code == 0
    assert emoharbor("run", small, "--resume").code == 0
    assert "nothing was left to do" in emoharbor("run", small, "--resume").err
    assert emoharbor("run", small, "-o", "again").code == 0

    first = emoharbor("export", "runs/small", "--canonical").out
    assert first.count("\n") == 4
    assert first == emoharbor("export", "again", "--canonical").out


@pytest.mark.parametrize(("form", "read"), [("csv", pl.read_csv), ("parquet", pl.read_parquet)])
def test_export_writes_tables(form: str, read: Callable[[Path], pl.DataFrame], emoharbor: Command, small: str) -> None:
    emoharbor("run", small, "--supporters", "attuned")
    ended = emoharbor("export", "runs/small", "--format", form, "-o", "tables")

    assert ended.code == 0
    assert read(Path("tables") / f"episodes.{form}").height == 2
    assert read(Path("tables") / f"ratings.{form}").height == 20


def test_export_to_a_file_says_where(emoharbor: Command, small: str) -> None:
    emoharbor("run", small, "--limit", "1")
    ended = emoharbor("export", "runs/small", "-o", "out.jsonl")

    assert ended.out == ""
    assert ended.err == "wrote out.jsonl\n"
    assert len(Path("out.jsonl").read_text(encoding="utf-8").splitlines()) == 1


def test_try_takes_a_function_of_the_current_folder(emoharbor: Command, folder: Path) -> None:
    (folder / "my_bot.py").write_text("def reply(messages):\n    return 'Tell me more.'\n", encoding="utf-8")
    ended = emoharbor("try", "my_bot:reply", "--profiles", "P010,P013", "--turns", "2", "--json")
    again = emoharbor("try", "my_bot:reply", "--profiles", "1", "--turns", "2")

    assert ended.code == 0
    assert [item["profile"] for item in json.loads(ended.out)] == ["P010", "P013"]
    assert "Tell me more." in again.out
    assert sorted(path.name for path in (folder / "runs").iterdir()) == ["try-1", "try-2"]


def test_try_takes_an_agent(emoharbor: Command, folder: Path) -> None:
    (folder / "my_agent.py").write_text(
        "from langchain_core.runnables import RunnableLambda\n"
        "graph = RunnableLambda(lambda given: {'messages': [*given['messages'], ('ai', 'Go on.')]})\n",
        encoding="utf-8",
    )
    ended = emoharbor("try", "my_agent:graph", "--profiles", "P010", "--turns", "2")

    assert ended.code == 0
    assert "Go on." in ended.out


def test_try_takes_a_function_that_makes_an_agent(emoharbor: Command, folder: Path) -> None:
    (folder / "my_lab.py").write_text(
        "from langchain_core.runnables import RunnableLambda\n"
        "def build_graph():\n"
        "    return RunnableLambda(lambda given: {'messages': [*given['messages'], ('ai', 'Go on.')]})\n",
        encoding="utf-8",
    )
    ended = emoharbor("try", "my_lab:build_graph", "--profiles", "P010", "--turns", "2")

    assert ended.code == 0
    assert "Go on." in ended.out


def test_try_takes_a_model_behind_an_endpoint_and_a_model_as_person_and_judge(emoharbor: Command) -> None:
    with endpoint_in_thread() as endpoint:
        ended = emoharbor(
            "try", "any:model", "--base-url", endpoint.url, "--person-model", "person", "--person-base-url",
            endpoint.url, "--profiles", "P010", "--turns", "2", "--json",
        )  # fmt: skip

    assert ended.code == 0
    assert endpoint.stats.by_role == {"feel": 3, "think": 3, "speak": 2, "supporter": 2, "judge": 1}
    assert json.loads(ended.out)[0]["judgements"][0]["judge"] == "llm:person"


def test_the_order_of_json_and_messages_is_kept_apart(emoharbor: Command, small: str) -> None:
    ended = emoharbor("run", small, "--json")

    json.loads(ended.out)
    assert "4/4 episodes" in ended.err


def test_check_shows_parts_calls_and_keys_and_calls_nothing_without_a_probe(
    emoharbor: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "not-a-real-value")
    with endpoint_in_thread() as endpoint:
        model = f"{{model: m, base_url: '{endpoint.url}', api_key_env: SOME_KEY}}"
        (folder / "paid.yaml").write_text(
            f"profiles: [P010]\nsupporters:\n  - {{name: s, use: chat, model: {model}}}\n", encoding="utf-8"
        )
        page = emoharbor("check", "paid.yaml", "--no-probe")
        data = json.loads(emoharbor("check", "paid.yaml", "--no-probe", "--json").out)

    assert endpoint.stats.calls == 0
    assert "SOME_KEY" in page.out
    assert "not-a-real-value" not in page.out
    assert data["calls"] == 15
    assert data["keys"] == [{"variable": "SOME_KEY", "set": True}]


@pytest.mark.parametrize(("form", "begins"), [("text", "feel"), ("mermaid", "flowchart LR"), ("svg", "<svg ")])
def test_graph_draws_the_offline_cast_or_that_of_a_config(
    form: str, begins: str, emoharbor: Command, small: str
) -> None:
    printed = emoharbor("graph", "--format", form)
    written = emoharbor("graph", small, "--format", form, "-o", "picture")

    assert printed.out.startswith(begins)
    assert "silent" in printed.out
    assert written.err == "wrote picture\n"
    assert Path("picture").read_text(encoding="utf-8").startswith(begins)


def test_graph_of_a_paid_cast_needs_no_key(emoharbor: Command, folder: Path) -> None:
    (folder / "paid.yaml").write_text(
        "cast: {user: [fused], fused: {use: llm, model: m}}\n"
        "models:\n  m: {model: big, api_key_env: NOT_SET_HERE}\n  n: {model: small, api_key_env: NOT_SET_HERE}\n"
        "supporters:\n  - {name: s, use: chat, model: n}\n",
        encoding="utf-8",
    )

    assert "llm:big" in emoharbor("graph", "paid.yaml").out


def test_nodes_lists_every_built_in_and_how_to_bring_ones_own(emoharbor: Command) -> None:
    found = json.loads(emoharbor("nodes", "--json").out)

    assert [item for item in found if item["problem"]] == []
    assert {"llm", "offline"} <= {item["name"] for item in found if item["role"] == "judge"}
    assert "package.module:factory" in emoharbor("nodes").out


def test_profiles_list_and_show(emoharbor: Command) -> None:
    people = json.loads(emoharbor("profiles", "list", "P010,P013", "--json").out)

    assert [person["id"] for person in people] == ["P010", "P013"]
    assert json.loads(emoharbor("profiles", "show", "P010", "--json").out)["id"] == "P010"
    assert "holds back" in emoharbor("profiles", "show", "P010").out
    assert "Titik" in emoharbor("profiles", "list").out


def test_schema_prints_the_schema(emoharbor: Command) -> None:
    assert json.loads(emoharbor("schema").out) == config_schema()
