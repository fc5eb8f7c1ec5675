"""A small run, and the viewer of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.viewer import opened, slug_of
from starlette.testclient import TestClient

from emoharbor.eval.api import evaluate_sync
from emoharbor.eval.viewer.library import Library

CONFIG = {
    "run": {"name": "small", "seed": 7, "max_turns": 4},
    "profiles": ["P010", "P035"],
    "supporters": [{"name": style, "use": "offline", "style": style} for style in ("attuned", "silent")],
}


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs that nobody may write to: the same people and supporters, the second without `feel`."""
    folder = tmp_path_factory.mktemp("runs")
    evaluate_sync(CONFIG, folder / "small")
    evaluate_sync(CONFIG | {"cast": {"user": ["think", "speak"]}}, folder / "no-feel")
    return folder


@pytest.fixture
def browser(runs: Path) -> Iterator[TestClient]:
    """Somebody who opened the address that the viewer printed."""
    with opened(Library(runs)) as client:
        yield client


@pytest.fixture
def slug(runs: Path) -> str:
    """The name of the small run in addresses."""
    return slug_of(runs, "small")
