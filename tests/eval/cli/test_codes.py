"""Exit codes, mistakes, and terminals of other kinds."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from emoharbor.eval.cli.main import call
from emoharbor.eval.endpoint.server import endpoint_in_thread

Command = Callable[..., Any]
SUPPORTER = "supporters:\n  - {name: a, use: offline, style: attuned}\n"
ONE = "profiles: [P010]\n"
PERSON = ONE + "run: {max_turns: 2}\n"
PARTS = """
async def blocking(state, runtime): ...
def no_arguments():
    async def node(): ...
    return node
def not_async():
    def node(state, runtime): ...
    return node
"""


def _start(*arguments: str, cwd: Path, **environment: str) -> subprocess.Popen[str]:
    code = "from emoharbor.eval.cli.main import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        env={**os.environ, "COLUMNS": "90", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ("supporters: [\n", "broken YAML"),
        ("", "config"),
        (SUPPORTER + "colour: red\n", "colour"),
        (SUPPORTER + "run: {max_turns: 0}\n", "max_turns"),
        (ONE + SUPPORTER + "models: {m: {model: x, api_key: hunter2hunter2}}\n", "api_key"),
        (ONE + SUPPORTER + "models: {m: {model: x, api_key_env: sk-abcdefghijklmnop}}\n", "api_key_env"),
        (SUPPORTER + "profiles: [P010, P010]\n", "P010"),
        (SUPPORTER + "profiles: [nobody]\n", "nobody"),
        (ONE + SUPPORTER + "cast: {think: {use: stoic}}\n", "known: llm, offline"),
        (ONE + SUPPORTER + "cast: {think: {use: stoic}}\n", "bad.yaml:4: cast.think: "),
        (
            ONE + SUPPORTER + "cast: {think: offline}\n",
            "bad.yaml:4: cast.think: should be a mapping, such as {use: ...}",
        ),
        (ONE + SUPPORTER + "cast:\n  think: {use: llm, model: user}\n", "bad.yaml:5: cast.think.model: no model"),
        (ONE + "supporters:\n  - {name: a.b, use: offlin}\n", "bad.yaml:3: supporters.a.b: no implementation"),
        (SUPPORTER + "run: {name: ../../elsewhere}\n", "bad.yaml:3: run.name: names the folder below runs/"),
        (SUPPORTER + 'run: {name: "a\\0b"}\n', "run.name: names the folder below runs/"),
        (SUPPORTER + "run: {max_turns: true}\n", "bad.yaml:3: run.max_turns: Input should be a valid integer"),
        (SUPPORTER + "run: &r {name: x, pressure: *r}\n", "bad.yaml:3: broken YAML: an alias stands inside"),
        (SUPPORTER + "---\na: 1\n", "expected a single document"),
        (ONE + SUPPORTER + "cast: {think: {use: 'my_parts:gone'}}\n", "gone"),
        (ONE + SUPPORTER + "cast: {think: {use: 'my_parts:no_arguments'}}\n", "(state, runtime)"),
        (ONE + SUPPORTER + "cast: {think: {use: 'my_parts:not_async'}}\n", "async"),
        (ONE + SUPPORTER + "cast: {think: {use: offline, mood: 3}}\n", "mood"),
        (ONE + "supporters:\n  - {name: a, use: chat, model: {model: x, api_key_env: NOT_SET_HERE}}\n", "NOT_SET_HERE"),
        (ONE + "supporters:\n  - {name: a, use: offline, style: loud}\n", "loud"),
    ],
)
@pytest.mark.parametrize("command", ["check", "run"])
def test_a_mistake_in_a_config_is_one_line_and_leaves_nothing_behind(
    command: str, config: str, says: str, emoharbor: Command, folder: Path
) -> None:
    (folder / "my_parts.py").write_text(PARTS, encoding="utf-8")
    (folder / "bad.yaml").write_text(config, encoding="utf-8")
    ended = emoharbor(command, "bad.yaml")

    assert ended.code == 2
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1
    assert says in ended.err
    assert "hunter2" not in ended.err
    assert "Traceback" not in ended.err
    assert {path.name for path in folder.iterdir()} <= {"bad.yaml", "my_parts.py", "__pycache__"}


def test_aliases_that_would_fill_the_memory_are_refused_at_once(emoharbor: Command, folder: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    (folder / "bad.yaml").write_text("\n".join(lines), encoding="utf-8")
    ended = emoharbor("check", "bad.yaml")

    assert ended.code == 2
    assert "too large: its aliases, written out" in ended.err


def test_two_files_with_one_profile_id_are_refused(emoharbor: Command, folder: Path) -> None:
    person = json.loads(emoharbor("profiles", "show", "P010", "--json").out)
    (folder / "people").mkdir()
    for name in ("one", "two"):
        (folder / "people" / f"{name}.yaml").write_text(json.dumps(person), encoding="utf-8")
    ended = emoharbor("profiles", "list", "people")

    assert ended.code == 2
    assert "P010" in ended.err
    assert "one.yaml" in ended.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["bogus"], "bogus"),
        (["demo", "--turns", "0"], "--turns"),
        (["demo", "--turns", "many"], "--turns"),
        (["demo", "--supporter", "loud"], "attuned"),
        (["demo", "--profile", "nobody"], "people P001 to P100"),
        (["demo", "--profile", "core"], "name one of them"),
        (["run"], "config"),
        (["run", "missing.yaml"], "missing.yaml"),
        (["check", "."], "."),
        (["show", "nowhere"], "nowhere"),
        (["leaderboard", "."], "."),
        (["export", "nowhere"], "nowhere"),
        (["try", "no_such_module_here:reply"], "--base-url"),
        (["try", "json:nothing"], "nothing"),
        (["try", "some-model", "--api-key-env", "NOT_SET_HERE"], "NOT_SET_HERE"),
        (["try", "json:loads", "--profiles", "0"], "--profiles 0"),
        (["try", "json:loads", "--profiles", "nobody"], "nobody"),
        (["graph", "-o", "no/such/folder/x.svg"], "no/such/folder"),
        (["endpoint", "missing.yaml"], "missing.yaml"),
    ],
)
def test_a_mistake_on_the_command_line_is_one_line(
    arguments: list[str], says: str, emoharbor: Command, folder: Path
) -> None:
    ended = emoharbor(*arguments)

    assert ended.code == 2
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1
    assert says in ended.err
    assert ended.out == ""
    assert list(folder.iterdir()) == []


def test_a_run_folder_that_is_taken_and_an_unknown_episode_are_refused(emoharbor: Command, folder: Path) -> None:
    (folder / "c.yaml").write_text(PERSON + SUPPORTER, encoding="utf-8")
    assert emoharbor("run", "c.yaml").code == 0
    before = emoharbor("export", "runs/run").out
    again, unknown = emoharbor("run", "c.yaml"), emoharbor("show", "runs/run", "P999/a/0")

    assert again.code == 2
    assert "--resume" in again.err
    assert emoharbor("export", "runs/run").out == before
    assert unknown.code == 2
    assert "P010/a/0" in unknown.err


def test_a_beginning_that_fits_several_episodes_is_refused_and_lists_them(emoharbor: Command, folder: Path) -> None:
    (folder / "c.yaml").write_text(
        PERSON + SUPPORTER + "  - {name: b, use: offline, style: silent}\n", encoding="utf-8"
    )
    emoharbor("run", "c.yaml")
    ended = emoharbor("show", "runs/run", "P010")

    assert ended.code == 2
    assert "P010/a/0, P010/b/0" in ended.err


def test_something_unscored_is_code_1(emoharbor: Command, folder: Path) -> None:
    (folder / "odd_judge.py").write_text(
        "from emoharbor.state.updates import JudgeUpdate\n"
        "from emoharbor.state.verdict import Judgement\n"
        "def make():\n"
        "    async def judge(state, runtime):\n"
        "        return JudgeUpdate(judgement=Judgement(judge='odd', rubric='none', unscored='no idea'))\n"
        "    return judge\n",
        encoding="utf-8",
    )
    (folder / "c.yaml").write_text(PERSON + SUPPORTER + "cast: {judge: {use: 'odd_judge:make'}}\n", encoding="utf-8")
    ended = emoharbor("run", "c.yaml")

    assert ended.code == 1
    assert "1 episode could not be scored" in ended.err
    assert "why: no idea (P010/a/0)" in ended.err
    assert "not scored: no idea" in emoharbor("show", "runs/run", "P010/a/0").out


def test_a_spent_budget_is_code_3(emoharbor: Command, folder: Path) -> None:
    with endpoint_in_thread() as endpoint:
        (folder / "c.yaml").write_text(
            "profiles: [P010, P013, P015]\nrun: {max_turns: 2}\nlimits: {budget_tokens: 1, concurrency: 1}\n"
            f"supporters:\n  - {{name: s, use: chat, model: {{model: m, base_url: '{endpoint.url}'}}}}\n",
            encoding="utf-8",
        )
        ended = emoharbor("run", "c.yaml")

    assert ended.code == 3
    assert "budget_tokens" in ended.err
    assert "--resume" in ended.err


@pytest.mark.slow
def test_a_run_that_is_interrupted_is_code_130_and_can_go_on(folder: Path) -> None:
    (folder / "slow.py").write_text(
        "import asyncio, sys\n"
        "async def reply(messages):\n"
        "    print('asked', file=sys.stderr, flush=True)\n"
        "    await asyncio.sleep(600)\n",
        encoding="utf-8",
    )
    (folder / "c.yaml").write_text(
        PERSON + "limits: {grace_s: 0.2}\nsupporters:\n  - {name: s, use: callable, target: 'slow:reply'}\n",
        encoding="utf-8",
    )
    started = _start("run", "c.yaml", cwd=folder)
    assert started.stderr is not None
    for line in started.stderr:
        if line == "asked\n":
            break
    started.send_signal(signal.SIGINT)
    _, err = started.communicate(timeout=60)

    assert started.returncode == 130
    assert "--resume" in err
    assert "Traceback" not in err


def test_a_bug_shows_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("emoharbor.eval.config.config_schema", broken)

    with pytest.raises(RuntimeError, match="a bug"):
        call(["schema"])


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.slow
def test_any_terminal_gets_a_readable_page(encoding: str, folder: Path) -> None:
    started = _start("demo", "--turns", "2", cwd=folder, PYTHONIOENCODING=encoding, TERM="dumb")
    out, err = started.communicate(timeout=120)

    assert (started.returncode, err) == (0, "")
    assert "tailoring gap" in out
    assert "\x1b" not in out


def test_json_on_an_ascii_terminal_loses_no_letter(folder: Path) -> None:
    started = _start("profiles", "show", "P010", "--json", cwd=folder, PYTHONIOENCODING="ascii")
    out, _ = started.communicate(timeout=60)

    assert out.isascii()
    assert json.loads(out)["id"] == "P010"


def test_a_reader_that_leaves_early_is_no_error(folder: Path) -> None:
    with _start("profiles", "list", cwd=folder) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.close()
        err = started.stderr.read()

    assert (started.returncode, err) == (0, "")


def test_help_lists_the_commands_without_loading_what_they_need() -> None:
    code = (
        "import sys; from emoharbor.eval.cli.main import call; call(['--help']); "
        "print([name for name in ('langgraph', 'pydantic', 'rich.console', 'yaml', 'polars') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    for command in ("demo", "try", "init", "check", "run", "show", "leaderboard", "export", "graph", "nodes"):
        assert f"  {command} " in done.stdout
    assert done.stdout.endswith("[]\n")


def test_version_is_the_installed_one(emoharbor: Command) -> None:
    assert emoharbor("--version").out == f"{version('emoharbor')}\n"
