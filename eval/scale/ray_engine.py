"""The `ray` engine: the shards of one run as Ray tasks, merged by whoever started them.

A task runs its shard just as `run --shard i/n` would, into a folder beside the run's. When its worker is lost, Ray
gives the task to another one, which goes on from what is saved in that folder. Workers that do not share the driver's
disk hand their folder back as bytes; such a shard is only gone on with on the same machine.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from emoharbor.eval.api import evaluate_sync
from emoharbor.eval.config import RunConfig, make_config
from emoharbor.eval.plain import plain
from emoharbor.eval.run import Run
from emoharbor.eval.runs.plan import Selection, make_plan, select
from emoharbor.eval.runs.progress import OnProgress
from emoharbor.eval.runs.shard import Shard
from emoharbor.eval.runs.stop import Stopped
from emoharbor.eval.scale.merge import merge
from emoharbor.eval.scale.standing import last_standing, standing
from emoharbor.eval.store.folder import DATABASE, MANIFEST
from emoharbor.profiles.loader import load_people
from emoharbor.state.errors import ConfigError, EmoHarborError, RunFolderError

RETRIES = 3
"""How often a shard is given to another worker after its worker was lost."""
_EVERY_S = 1.0
_TOKEN = ".shared"  # noqa: S105 - a file by which workers see that they have the driver's disk


@dataclass(frozen=True, slots=True)
class Job:
    """What a task is told."""

    config: Mapping[str, Any]
    folder: str
    only: Selection
    token: str


@dataclass(frozen=True, slots=True)
class Handed:
    """What a task hands back.

    Attributes:
        files: its run folder, name by name; empty when the driver sees it on a shared disk.
        stopped: why it ended early.
        error: a mistake of the user's, in one line.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    stopped: Stopped | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class OnRay:
    """How a run on Ray ended.

    Attributes:
        run: the merged run; None when a shard stopped early, which leaves the shards to be gone on with.
        stopped: why a shard stopped early.
    """

    run: Run | None
    stopped: Stopped | None = None


def evaluate_on_ray(  # noqa: PLR0913 - the knobs of a run, all keyword-only
    config: RunConfig,
    folder: Path,
    *,
    shards: int | None = None,
    resume: bool = False,
    on_progress: OnProgress | None = None,
    only: Selection | None = None,
) -> OnRay:
    """Run every episode of a config on a Ray cluster: the one that is connected, `RAY_ADDRESS`, or one of this machine.

    Args:
        config: what to run.
        folder: the run folder; its shards are kept beside it, in `FOLDER.shards`.
        shards: how many tasks; by default as many as the cluster has CPUs, or as the run that is gone on with has.
        resume: go on with shards that were broken off.
        on_progress: told how far the run is.
        only: a part of the run, by profiles or supporters.

    Raises:
        UserError: for a mistake in config or folders, or when Ray is not installed.
    """
    only = only or Selection()
    if only.limit is not None or only.shard is not None:
        raise ConfigError("--engine ray: does not go with --limit or --shard; take --profiles or --supporters")
    ray = _load_ray()
    parts = folder.with_name(f"{folder.name}.shards")
    before = _must_be_free(folder, parts, resume=resume)
    # a mistake in people or selection ends here, before a cluster is started
    plan = make_plan(list(load_people(config.profiles)), [item.name for item in config.supporters], config.run.repeats)
    planned = len(select(plan, only))
    began = time.monotonic()
    with ExitStack() as stack:
        _connect(ray, stack)
        of = _count(shards, before, ray, parts)
        jobs = _jobs(config, parts, only, of)
        handed = _wait(ray, jobs, _reporter(jobs, planned, on_progress))
    stopped = next((item.stopped for item in handed if item.stopped), None)
    if stopped is not None:
        return OnRay(None, stopped)
    merge([Path(job.folder) for job in jobs], folder)
    if on_progress is not None:
        judged = config.cast.judge is not None
        on_progress(last_standing(folder, planned, time.monotonic() - began, judged=judged))
    return OnRay(Run(folder))


def run_shard(job: Job) -> Handed:
    """Run one shard, or go on with what is left of it. This is the task: it knows nothing of Ray."""
    folder = Path(job.folder)
    try:
        run = evaluate_sync(make_config(job.config), folder, resume=(folder / MANIFEST).is_file(), only=job.only)
    except EmoHarborError as error:
        return Handed(error=str(error))
    shared = (folder.parent / _TOKEN).is_file() and (folder.parent / _TOKEN).read_text(encoding="utf-8") == job.token
    names = () if shared else (MANIFEST, DATABASE)
    return Handed({name: (folder / name).read_bytes() for name in names}, run.stopped)


def _load_ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when Ray is loaded; nothing is sent unasked
    try:
        return import_module("ray")
    except ImportError:
        raise ConfigError("--engine ray: Ray is not installed; pip install 'emoharbor[ray]'") from None


def _must_be_free(folder: Path, parts: Path, *, resume: bool) -> list[int]:
    """Check the folders, and return the numbers of shards that earlier runs were cut into."""
    if (folder / MANIFEST).is_file():
        hint = "go on with it by --resume without --engine ray" if resume else "name another folder"
        raise RunFolderError(f"{folder}: already holds a run; {hint}")
    found = sorted({int(path.name.partition("of")[2]) for path in parts.glob("*of*") if path.is_dir()})
    if found and not resume:
        raise RunFolderError(f"{parts}: holds shards of a run; go on with them by --resume, or name another folder")
    if resume and not found:
        raise RunFolderError(f"{parts}: holds no shards to go on with; start a run without --resume")
    return found


def _connect(ray: Any, stack: ExitStack) -> None:
    if ray.is_initialized():
        return
    here = {} if "RAY_ADDRESS" in os.environ else {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    ray.init(log_to_driver=False, logging_level="error", **here)
    stack.callback(ray.shutdown)


def _count(wanted: int | None, before: Sequence[int], ray: Any, parts: Path) -> int:
    if before and wanted not in (None, before[0]):
        raise ConfigError(f"--shards {wanted}: the run in {parts} is cut into {before[0]}, which cannot be changed")
    return before[0] if before else wanted or max(1, int(ray.cluster_resources().get("CPU", 1)))


def _jobs(config: RunConfig, parts: Path, only: Selection, of: int) -> list[Job]:
    token = os.urandom(8).hex()
    try:
        parts.mkdir(parents=True, exist_ok=True)
        (parts / _TOKEN).write_text(token, encoding="utf-8")
        for number in range(1, of + 1):
            (parts / f"{number}of{of}").mkdir(exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{parts}: cannot be written: {error.strerror}") from None
    shards = [Shard(number=number, of=of) for number in range(1, of + 1)]
    return [
        Job(
            plain(config),
            str((parts / f"{shard.number}of{of}").resolve()),
            only.model_copy(update={"shard": shard}),
            token,
        )
        for shard in shards
    ]


def _wait(ray: Any, jobs: Sequence[Job], report: Callable[[], None]) -> list[Handed]:
    """Run the jobs and return what each handed back, its files in their place."""
    task = ray.remote(max_retries=RETRIES)(run_shard)
    waiting = {task.remote(job): job for job in jobs}
    found: list[Handed] = []
    while waiting:
        report()
        ended, _ = ray.wait(list(waiting), timeout=_EVERY_S)
        for reference in ended:
            job = waiting.pop(reference)
            found.append(_received(ray, reference, job))
    report()
    return found


def _received(ray: Any, reference: Any, job: Job) -> Handed:
    try:
        handed: Handed = ray.get(reference)
    except ray.exceptions.RayTaskError:
        raise  # a bug, with its traceback
    except ray.exceptions.RayError as error:
        raise RunFolderError(
            f"shard {job.only.shard}: its worker was lost {RETRIES + 1} times ({type(error).__name__}); what is saved "
            "is safe, go on with --resume"
        ) from None
    if handed.error:
        raise RunFolderError(f"shard {job.only.shard}: {handed.error}")
    for name, data in handed.files.items():
        (Path(job.folder) / name).write_bytes(data)
    return Handed(stopped=handed.stopped)


def _reporter(jobs: Sequence[Job], planned: int, on_progress: OnProgress | None) -> Callable[[], None]:
    """Return what tells how far the shards are, as far as the driver sees their folders."""
    began = time.monotonic()

    def report() -> None:
        if on_progress is not None:
            on_progress(standing([Path(job.folder) for job in jobs], planned, time.monotonic() - began))

    return report
