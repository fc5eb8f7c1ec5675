"""One fixed person, and golden files of the prompts.

`UPDATE_GOLDEN=1 pytest tests/nodes/llm` rewrites the golden files; read the difference before you keep it.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from helpers.llm_roles import Notes

from emoharbor.profiles.schema import Profile

HERE = Path(__file__).parent
Golden = Callable[[str, tuple[str, str]], None]


@pytest.fixture(scope="session")
def ilse() -> Profile:
    """A person whose text no other change touches."""
    return Profile.model_validate(yaml.safe_load((HERE / "person.yaml").read_text(encoding="utf-8")))


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture
def golden() -> Golden:
    def check(name: str, call: tuple[str, str]) -> None:
        file = HERE / "golden" / f"{name}.txt"
        text = f"===== system =====\n{call[0]}\n===== human =====\n{call[1]}\n"
        if os.environ.get("UPDATE_GOLDEN"):
            file.write_text(text, encoding="utf-8")
        assert text == file.read_text(encoding="utf-8"), f"{file.name} differs; UPDATE_GOLDEN=1 rewrites it"

    return check
