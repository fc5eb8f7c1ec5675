"""What the manifest says of a run before it begins."""

import hashlib
from pathlib import Path

import pytest

from emoharbor.eval.assembly import assemble
from emoharbor.eval.config import RunConfig
from emoharbor.eval.runs.manifest import make_manifest
from emoharbor.nodes.models.client import Models

LONG = "You are kind, and you ask one question at a time. " * 20
"""Longer than the name of a file may be."""


async def test_an_argument_that_names_a_file_is_hashed_and_a_long_text_is_not_taken_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lines.txt").write_text("Hm.\n", encoding="utf-8")
    model = {"model": "m", "base_url": "http://127.0.0.1:9/v1"}
    supporters = [
        {"name": "chat", "use": "chat", "model": model, "system": LONG},
        {"name": "read", "use": "recorded", "path": "lines.txt"},
    ]
    config = RunConfig.model_validate({"profiles": ["P010"], "supporters": supporters})

    async with Models() as models:
        prompts = make_manifest(assemble(config, models)).prompts

    assert prompts["lines.txt"].startswith(hashlib.sha256(b"Hm.\n").hexdigest()[:12])
    assert LONG not in prompts
