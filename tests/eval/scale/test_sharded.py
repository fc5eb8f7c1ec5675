"""What every engine is spared: mistakes in folders, counts and configs end before anything starts."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from emoharbor.eval.api import evaluate_sync
from emoharbor.eval.config import make_config
from emoharbor.eval.runs.plan import Selection
from emoharbor.eval.runs.progress import Progress
from emoharbor.eval.scale.sharded import Report, evaluate_in_shards
from emoharbor.eval.scale.task import Handed, Job, run_shard
from emoharbor.eval.store.folder import DATABASE, MANIFEST
from emoharbor.state.errors import ConfigError, RunFolderError

OFFLINE: dict[str, Any] = {
    "run": {"name": "sharded", "seed": 3, "max_turns": 3},
    "profiles": ["P010", "P035", "P040"],
    "supporters": [{"name": "quiet", "use": "offline", "style": "silent"}],
}
MODEL = {"model": "m", "base_url": "http://127.0.0.1:9/v1", "concurrency": 3}
ASKING = {**OFFLINE, "supporters": [{"name": "chat", "use": "chat", "model": MODEL}]}


class Here:
    """Works on one shard after the other, in this process."""

    name = "here"

    def __init__(
        self, places: int = 2, *, one_machine: bool = False, does: Callable[[Job], Handed] = run_shard
    ) -> None:
        self.one_machine = one_machine
        self.entered = 0
        self.done: list[Job] = []
        self._places = places
        self._does = does

    def __enter__(self) -> Self:
        self.entered += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.entered -= 1

    def places(self) -> int:
        return self._places

    def work(self, jobs: Sequence[Job], report: Report) -> Iterator[tuple[Job, Handed]]:
        for job in jobs:
            report()
            self.done.append(job)
            yield job, self._does(job)


def test_a_run_in_shards_equals_a_whole_one(tmp_path: Path) -> None:
    seen: list[Progress] = []
    whole = evaluate_sync(OFFLINE, tmp_path / "whole")

    ended = evaluate_in_shards(make_config(OFFLINE), tmp_path / "run", Here(), on_progress=seen.append)

    assert ended.run is not None
    assert list(ended.run.episodes()) == list(whole.episodes())
    assert (seen[0].done, seen[-1].done, seen[-1].planned) == (0, 3, 3)
    assert seen[-1].turns == sum(turn.supporter is not None for episode in whole.episodes() for turn in episode.turns)


def test_a_shard_that_stops_leaves_the_shards_to_be_gone_on_with(tmp_path: Path) -> None:
    def stops(job: Job) -> Handed:
        return Handed.model_validate({"stopped": {"kind": "budget", "reason": "spent"}})

    ended = evaluate_in_shards(make_config(OFFLINE), tmp_path / "run", Here(does=stops))

    assert (ended.run, str(ended.stopped)) == (None, "spent")
    assert not (tmp_path / "run").exists()
    assert evaluate_in_shards(make_config(OFFLINE), tmp_path / "run", Here(5), resume=True).run is not None
    assert (tmp_path / "run.shards" / "1of2").is_dir()


def test_a_merge_that_was_broken_off_is_gone_on_with(tmp_path: Path) -> None:
    evaluate_in_shards(make_config(OFFLINE), tmp_path / "run", Here())
    whole = (tmp_path / "run" / DATABASE).stat().st_size
    (tmp_path / "run" / DATABASE).unlink()  # it is given its name last

    ended = evaluate_in_shards(make_config(OFFLINE), tmp_path / "run", Here(), resume=True)

    assert ended.run is not None
    assert len(list(ended.run.episodes())) == 3
    assert (tmp_path / "run" / DATABASE).stat().st_size == whole


def test_a_second_driver_is_refused_while_the_first_is_at_work(tmp_path: Path) -> None:
    refused: list[str] = []

    def meanwhile(job: Job) -> Handed:
        with pytest.raises(RunFolderError) as caught:
            evaluate_in_shards(make_config(OFFLINE), tmp_path / "run", Here(), resume=True)
        refused.append(str(caught.value))
        return run_shard(job)

    ended = evaluate_in_shards(make_config(OFFLINE), tmp_path / "run", Here(does=meanwhile))

    assert ended.run is not None
    assert len(list(ended.run.episodes())) == 3
    assert refused == [f"{tmp_path / 'run.shards'}: another run is writing into this folder; wait for it to end"] * 2


def test_a_mistake_in_one_shard_ends_all(tmp_path: Path) -> None:
    engine = Here(does=lambda job: Handed(error="no such thing"))

    with pytest.raises(RunFolderError, match="shard 1/2: no such thing"):
        evaluate_in_shards(make_config(OFFLINE), tmp_path / "run", engine)
    assert (len(engine.done), engine.entered) == (1, 0)


def test_folders_that_hold_something_are_refused_before_anything_starts(tmp_path: Path) -> None:
    config, engine = make_config(OFFLINE), Here()
    (tmp_path / "done").mkdir()
    (tmp_path / "done" / MANIFEST).touch()
    (tmp_path / "begun.shards" / "1of2").mkdir(parents=True)

    with pytest.raises(RunFolderError, match="name another folder"):
        evaluate_in_shards(config, tmp_path / "done", engine)
    with pytest.raises(RunFolderError, match="--resume without --engine here"):
        evaluate_in_shards(config, tmp_path / "done", engine, resume=True)
    with pytest.raises(RunFolderError, match="go on with them by --resume"):
        evaluate_in_shards(config, tmp_path / "begun", engine)
    with pytest.raises(RunFolderError, match="holds no shards to go on with"):
        evaluate_in_shards(config, tmp_path / "new", engine, resume=True)
    with pytest.raises(ConfigError, match="does not go with --limit"):
        evaluate_in_shards(config, tmp_path / "new", engine, only=Selection(limit=3))
    with pytest.raises(ConfigError, match=r"--shards 3: the run in .* is cut into 2"):
        evaluate_in_shards(config, tmp_path / "begun", engine, resume=True, shards=3)
    with pytest.raises(ConfigError, match="no supporter of this run is called 'loud'"):
        evaluate_in_shards(config, tmp_path / "new", engine, only=Selection(supporters=("loud",)))
    assert engine.done == []
    assert not (tmp_path / "new.shards").exists()


@pytest.mark.parametrize(
    ("config", "limits", "places", "shards"),
    [
        (OFFLINE, {"concurrency": 4}, 2, 2),  # one a core
        (OFFLINE, {"concurrency": 2}, 8, 2),  # no more than episodes at once
        (ASKING, {"concurrency": 8}, 8, 3),  # no more than calls in flight to a model
    ],
)
def test_shards_of_one_machine_are_as_many_as_its_limits_allow(
    config: dict[str, Any], limits: dict[str, int], places: int, shards: int, tmp_path: Path
) -> None:
    engine = Here(places, one_machine=True, does=lambda job: Handed.model_validate(STOPPED))

    evaluate_in_shards(make_config({**config, "limits": limits}), tmp_path / "run", engine)

    assert [str(job.shard) for job in engine.done] == [f"{number}/{shards}" for number in range(1, shards + 1)]
    assert all(job.one_machine for job in engine.done)


def test_more_shards_than_the_limits_allow_are_refused(tmp_path: Path) -> None:
    config = make_config({**ASKING, "limits": {"concurrency": 8}})

    with pytest.raises(ConfigError, match=r"--shards 4: .* no more than 3 in flight \(supporters.chat.model"):
        evaluate_in_shards(config, tmp_path / "run", Here(one_machine=True), shards=4)


STOPPED = {"stopped": {"kind": "interrupt", "reason": "interrupted"}}
