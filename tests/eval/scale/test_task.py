"""The task of a worker, done in this process."""

from pathlib import Path
from typing import Any

import pytest

from emoharbor.eval.api import evaluate_sync
from emoharbor.eval.config import make_config
from emoharbor.eval.run import load_run
from emoharbor.eval.runs.plan import Selection
from emoharbor.eval.runs.shard import Shard
from emoharbor.eval.scale.task import Job, run_shard
from emoharbor.eval.store.folder import DATABASE, MANIFEST

OFFLINE: dict[str, Any] = {
    "run": {"name": "task", "seed": 3, "max_turns": 3},
    "profiles": ["P010", "P035", "P040"],
    "supporters": [{"name": "quiet", "use": "offline", "style": "silent"}],
}


def job(folder: Path, number: int = 1, of: int = 2, config: dict[str, Any] = OFFLINE) -> Job:
    shard = Shard(number=number, of=of)
    return Job(config=config, folder=str(folder / f"{number}of{of}"), shard=shard, only=Selection(), token="token")  # noqa: S106 - it is none


def test_a_task_goes_on_with_what_an_earlier_one_saved(tmp_path: Path) -> None:
    shard = Shard(number=1, of=2)
    first = evaluate_sync(make_config(OFFLINE), tmp_path / "1of2", only=Selection(shard=shard, limit=1))

    handed = run_shard(job(tmp_path))

    assert (handed.error, handed.stopped) == ("", None)
    run = load_run(tmp_path / "1of2")
    assert run.manifest.run_id == first.manifest.run_id
    assert len(list(run.episodes())) == 2


@pytest.mark.parametrize(
    ("found", "names"), [("token", []), ("another", [MANIFEST, DATABASE]), (None, [MANIFEST, DATABASE])]
)
def test_a_task_hands_back_its_folder_unless_the_driver_sees_it(
    found: str | None, names: list[str], tmp_path: Path
) -> None:
    if found is not None:
        (tmp_path / ".shared").write_text(found)

    handed = run_shard(job(tmp_path, 3, 3))

    assert list(handed.files) == names
    assert all(handed.files[name] == (tmp_path / "3of3" / name).read_bytes() for name in names)


def test_a_mistake_comes_back_as_one_line(tmp_path: Path) -> None:
    assert "P999" in run_shard(job(tmp_path, config={**OFFLINE, "profiles": ["P999"]})).error


def test_a_job_is_the_same_after_a_journey_as_json(tmp_path: Path) -> None:
    sent = job(tmp_path)

    assert Job.model_validate_json(sent.model_dump_json()) == sent
