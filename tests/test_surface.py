"""What a stranger meets: every command explains itself, and every example in the documents runs as it stands."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import emoharbor.eval
from emoharbor.eval.cli.main import build_app

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?P<target>[^)#\s]+)[^)]*\)")


def blocks(document: Path, kind: str) -> list[str]:
    """Return the fenced blocks of one kind."""
    return [found["text"] for found in BLOCK.finditer(document.read_text(encoding="utf-8")) if found["kind"] == kind]


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Name every command of the command line, those of groups too."""
    for name, command in group.commands.items():
        yield " ".join((*path, name))
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))


@pytest.mark.parametrize("command", sorted(commands(get_command(build_app()))))
def test_each_command_explains_itself(command: str) -> None:
    result = CliRunner().invoke(build_app(), [*command.split(), "--help"])

    assert result.exit_code == 0
    assert f"Usage: emoharbor {command}" in result.output


def test_the_python_api_is_what_it_says_it_is() -> None:
    assert all(getattr(emoharbor.eval, name) is not None for name in emoharbor.eval.__all__)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_inside_the_project_lead_somewhere(document: Path) -> None:
    targets = [found["target"] for found in LINK.finditer(document.read_text(encoding="utf-8"))]
    inside = [target for target in targets if "://" not in target and not target.startswith("mailto:")]

    assert [target for target in inside if not (document.parent / target).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_of_make_that_are_named_exist(document: Path) -> None:
    named = set(re.findall(r"`make ([a-z-]+)", document.read_text(encoding="utf-8")))
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))

    assert named - targets == set()


@pytest.mark.slow
@pytest.mark.parametrize("document", [path for path in DOCUMENTS if blocks(path, "python")], ids=lambda path: path.name)
def test_python_examples_run(document: Path, tmp_path: Path) -> None:
    for number, text in enumerate(blocks(document, "python")):
        script = tmp_path / f"example_{number}.py"
        script.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(script)], cwd=tmp_path, env=_no_key(), capture_output=True, check=False
        )
        assert done.returncode == 0, f"{document.name}, example {number}:\n{done.stderr.decode()[-2000:]}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "document", [path for path in DOCUMENTS if blocks(path, "console")], ids=lambda path: path.name
)
def test_commands_in_the_documents_run(document: Path, tmp_path: Path) -> None:
    # one after the other in one folder, as a reader would; examples/ is at hand as in a checkout
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    _write_bot(tmp_path)
    for command in _commands(document):
        done = subprocess.run(
            [sys.executable, "-m", "emoharbor.eval.cli", *command],
            cwd=tmp_path,
            env=_no_key(),
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, f"emoharbor {shlex.join(command)}:\n{done.stderr.decode()[-2000:]}"


def _commands(document: Path) -> list[list[str]]:
    """Return the arguments of each `$ emoharbor ...` line."""
    lines = [line for text in blocks(document, "console") for line in text.splitlines()]
    return [shlex.split(line, comments=True)[2:] for line in lines if line.startswith("$ emoharbor ")]


def _write_bot(folder: Path) -> None:
    """Write the bot that the documents speak of."""
    package = folder / "my_bot"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "agent.py").write_text(
        "def reply(messages):\n    return 'You said: ' + messages[-1]['content']\n", encoding="utf-8"
    )


def _no_key() -> dict[str, str]:
    hidden = ("OPENAI", "LANGSMITH", "LANGCHAIN")
    return {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
