"""A run to be judged again, and what its judges saw."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from helpers import judges

PEOPLE = ("P001", "P010", "P013")
CONFIG: dict[str, Any] = {
    "run": {"name": "judged", "seed": 7, "max_turns": 2},
    "profiles": list(PEOPLE),
    "models": {"other": {"model": "claude-x", "base_url": "http://127.0.0.1:9/v1"}},
    "supporters": [
        {"name": "generic", "use": "offline", "style": "generic"},
        {"name": "attuned", "use": "offline", "style": "attuned"},
    ],
}


@dataclass(frozen=True)
class Ended:
    """What a command left: exit code, stdout, stderr."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """What it printed as JSON."""
        return json.loads(self.out)


Command = Callable[..., Ended]


def watched(run: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(judges.LOG, str(run.parent / "seen.jsonl"))
    monkeypatch.setenv(judges.FAILS, "")
    return run.parent / "seen.jsonl"


def rows(seen: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in seen.read_text(encoding="utf-8").splitlines()] if seen.exists() else []
