"""What the manifest says of a run before it begins."""

import hashlib
from importlib.resources import files
from pathlib import Path

import pytest

from emoharbor.eval.assembly import assemble
from emoharbor.eval.config import RunConfig
from emoharbor.eval.runs.describe import make_manifest
from emoharbor.eval.runs.differences import must_fit
from emoharbor.nodes.models.client import Models
from emoharbor.state.errors import RunFolderError

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


OFFLINE = RunConfig.model_validate(
    {"profiles": ["P010"], "supporters": [{"name": "quiet", "use": "offline", "style": "silent"}]}
)
PEOPLE_OUTSIDE = "population.yaml"


async def test_the_figures_that_a_person_is_held_against_are_hashed() -> None:
    async with Models() as models:
        prompts = make_manifest(assemble(OFFLINE, models)).prompts

    content = files("emoharbor.profiles").joinpath(PEOPLE_OUTSIDE).read_bytes()
    assert prompts[PEOPLE_OUTSIDE].startswith(hashlib.sha256(content).hexdigest()[:12])


async def test_a_run_with_other_figures_is_not_gone_on_with_and_one_from_before_they_were_hashed_is() -> None:
    async with Models() as models:
        assembly = assemble(OFFLINE, models)
        saved = make_manifest(assembly)
        before = saved.model_copy(
            update={"prompts": {name: told for name, told in saved.prompts.items() if name != PEOPLE_OUTSIDE}}
        )
        other = saved.model_copy(update={"prompts": {**saved.prompts, PEOPLE_OUTSIDE: "0"}})

        must_fit(saved, assembly, Path("run"))
        must_fit(before, assembly, Path("run"))
        with pytest.raises(RunFolderError, match=r"prompts\.population\.yaml was \"0\""):
            must_fit(other, assembly, Path("run"))
