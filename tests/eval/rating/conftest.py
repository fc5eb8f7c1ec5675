"""A small finished run to rate."""

from pathlib import Path

import pytest

from emoharbor.eval.api import evaluate
from emoharbor.eval.run import Run


@pytest.fixture
async def rated_run(tmp_path: Path) -> Run:
    """Three people with two offline supporters, two turns."""
    config = {
        "run": {"name": "rated", "seed": 3, "max_turns": 2},
        "profiles": ["P010", "P035", "P040"],
        "supporters": [{"name": style, "use": "offline", "style": style} for style in ("attuned", "advice")],
    }
    return await evaluate(config, tmp_path / "run")
