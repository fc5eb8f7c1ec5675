"""The wheel: built, looked into, installed in an empty environment, and used from outside the checkout."""

import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("state", "profiles", "nodes", "graphs", "eval")
USE = """
import importlib, importlib.resources, pathlib, pkgutil, sys
for name in {packages!r}:
    package = importlib.import_module(name)
    for module in pkgutil.iter_modules(package.__path__, name + "."):
        importlib.import_module(module.name)
people = importlib.resources.files("emoharbor.profiles") / "people"
assert b"situation" in (people / "P040.yaml").read_bytes()
where = pathlib.Path(importlib.import_module("emoharbor.state").__file__)
assert where.is_relative_to(sys.prefix), where
"""


def _setuptools() -> Mapping[str, Any]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: Mapping[str, Any] = project["tool"]["setuptools"]
    return found


def _folders() -> set[str]:
    """Every folder of ours that is a package, written as its import name."""
    files = (file for room in ROOMS for file in (ROOT / room).rglob("__init__.py"))
    return {".".join(("emoharbor", *file.parent.relative_to(ROOT).parts)) for file in files}


def test_every_package_folder_is_listed() -> None:
    assert set(_setuptools()["packages"]) == _folders()


def test_every_listed_package_is_mapped_to_its_folder() -> None:
    mapped = {name: folder.replace("/", ".") for name, folder in _setuptools()["package-dir"].items()}

    assert mapped == {name: name.removeprefix("emoharbor.") for name in _folders()}


def test_the_type_checkers_links_lead_to_the_rooms() -> None:
    links = ROOT / ".links" / "emoharbor"

    assert {link.name: link.resolve() for link in links.iterdir()} == {room: ROOT / room for room in ROOMS}


def test_constraints_are_exact_and_name_no_place() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]

    assert pins
    assert [line for line in pins if line.count("==") != 1 or "/" in line or "@" in line] == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy of what git would give a stranger, so that no old build leaks in."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    _copy_project(source)
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), cwd=source)
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.slow
def test_the_wheel_holds_emoharbor_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()

    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"emoharbor"}
    for room in ROOMS:
        assert f"emoharbor/{room}/py.typed" in names


@pytest.mark.slow
def test_the_wheel_holds_every_file_that_is_read_at_run_time(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())

    data = {
        f"emoharbor/{file.relative_to(ROOT)}"
        for room in ROOMS
        for file in (ROOT / room).rglob("*")
        if file.is_file() and file.suffix not in (".py", ".pyc")
    }
    assert data - packed == set()


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of programs of an empty environment with only the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    python = str(programs / "python")
    wanted = ("--quiet", "--constraint", str(ROOT / "constraints.txt"), str(wheel))
    with_uv = (sys.executable, "-m", "uv", "pip", "install", "--python", python, *wanted)
    # in seconds instead of a minute; where only pip's own settings name an index that can be reached, pip does it
    if subprocess.run(with_uv, cwd=folder, capture_output=True, check=False).returncode != 0:
        _run(python, "-m", "pip", "install", "--no-compile", "--disable-pip-version-check", *wanted, cwd=folder)
    return programs


@pytest.mark.slow
class TestInstalled:
    def test_every_module_can_be_imported_and_a_profile_read(self, installed: Path, tmp_path: Path) -> None:
        script = USE.format(packages=sorted(_folders()))

        _run(str(installed / "python"), "-W", "error", "-c", script, cwd=tmp_path)

    def test_the_command_explains_itself(self, installed: Path, tmp_path: Path) -> None:
        text = _run(str(installed / "emoharbor"), "--help", cwd=tmp_path)

        assert "demo" in text

    def test_the_demo_ends_in_a_verdict(self, installed: Path, tmp_path: Path) -> None:
        text = _run(str(installed / "emoharbor"), "demo", "--json", cwd=tmp_path)

        assert '"ratings"' in text
        assert list(tmp_path.iterdir()) == []


def _copy_project(target: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        file = ROOT / name
        if file.is_file() and not file.is_symlink():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(file.read_bytes())


def _run(*command: str, cwd: Path) -> str:
    """Run a program without the checkout on its path; return what it printed."""
    hidden = ("PYTHONPATH", "VIRTUAL_ENV", "LANGSMITH", "LANGCHAIN", "OPENAI")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, check=False)
    shown = done.stdout.decode() + done.stderr.decode()
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{shown[-4000:]}"
    return shown
