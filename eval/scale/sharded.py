"""A run as shards that an engine works on at once, merged by whoever started them.

Each shard is run into a folder beside the run's, in `FOLDER.shards`. One whose worker is lost is given to another
worker, which goes on from what is saved in that folder.
"""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from emoharbor.eval.assembly import Assembly, assemble
from emoharbor.eval.config import RunConfig
from emoharbor.eval.plain import plain
from emoharbor.eval.run import Run
from emoharbor.eval.runs.plan import Selection, make_plan, select
from emoharbor.eval.runs.progress import OnProgress
from emoharbor.eval.runs.shard import Shard
from emoharbor.eval.runs.stop import Stopped
from emoharbor.eval.scale.merge import merge
from emoharbor.eval.scale.standing import last_standing, standing
from emoharbor.eval.scale.task import TOKEN, Handed, Job
from emoharbor.eval.store.folder import DATABASE, MANIFEST, FolderLock
from emoharbor.eval.unopened import Unopened
from emoharbor.state.errors import ConfigError, RunFolderError

RETRIES = 3
"""How often a shard is given to another worker after its worker was lost."""
EVERY_S = 1.0
"""Between two looks at how far the shards are."""


class Report(Protocol):
    """Tells how far the shards are, as far as the driver sees their folders."""

    def __call__(self, *, stopping: bool = False) -> None:
        """Tell it, and whether they were asked to stop."""


class Engine(AbstractContextManager["Engine"], Protocol):
    """What works on shards. Entered before it is asked anything; when it is left, nobody works any more.

    Attributes:
        name: as `--engine` has it.
        one_machine: whether all workers are on this machine, and keep the limits of what is in flight together.
    """

    name: str
    one_machine: bool

    def places(self) -> int:
        """Return how many shards it can work on at once."""

    def work(self, jobs: Sequence[Job], report: Report) -> Iterator[tuple[Job, Handed]]:
        """Work on all jobs and yield what each handed back, as they end.

        Raises:
            RunFolderError: when the worker of a job was lost too often.
        """


@dataclass(frozen=True, slots=True)
class Sharded:
    """How a run in shards ended.

    Attributes:
        run: the merged run; None when a shard stopped early, which leaves the shards to be gone on with.
        stopped: why a shard stopped early.
        logs: files with what workers had to say.
    """

    run: Run | None
    stopped: Stopped | None = None
    logs: tuple[Path, ...] = ()


def evaluate_in_shards(  # noqa: PLR0913 - the knobs of a run, all keyword-only
    config: RunConfig,
    folder: Path,
    engine: Engine,
    *,
    shards: int | None = None,
    resume: bool = False,
    on_progress: OnProgress | None = None,
    only: Selection | None = None,
) -> Sharded:
    """Run every episode of a config on an engine.

    Args:
        config: what to run.
        folder: the run folder; its shards are kept beside it, in `FOLDER.shards`.
        engine: who works on the shards.
        shards: how many; by default as many as the engine has places, or as the run that is gone on with has.
        resume: go on with shards that were broken off.
        on_progress: told how far the run is.
        only: a part of the run, by profiles or supporters.

    Raises:
        UserError: for a mistake in config or folders, or when a shard could not be finished.
    """
    only = only or Selection()
    if only.limit is not None or only.shard is not None:
        raise ConfigError(
            f"--engine {engine.name}: does not go with --limit or --shard; take --profiles or --supporters"
        )
    parts = folder.with_name(f"{folder.name}.shards")
    before = _must_be_free(folder, parts, engine.name, resume=resume)
    assembly = assemble(config, Unopened())  # a mistake in people, cast or selection ends here, before anything starts
    plan = make_plan(list(assembly.people), [item.name for item in config.supporters], config.run.repeats)
    planned = len(select(plan, only))
    began = time.monotonic()
    with _held(parts):
        with engine:
            of = _count(shards, before, engine, parts, assembly)
            jobs = _jobs(config, parts, only, of, engine)
            stopped = _worked(engine, jobs, _reporter(jobs, planned, on_progress))
        logs = tuple(path for path in sorted(parts.glob("*.log")) if path.stat().st_size)
        if stopped is not None:
            return Sharded(None, stopped, logs)
        merge([Path(job.folder) for job in jobs], folder)
    if on_progress is not None:
        judged = config.cast.judge is not None
        on_progress(last_standing(folder, planned, time.monotonic() - began, judged=judged))
    return Sharded(Run(folder), logs=logs)


@contextmanager
def _held(parts: Path) -> Iterator[None]:
    """Keep the folder of the shards to ourselves: two who give out the same shards would end one another's."""
    try:
        parts.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{parts}: cannot be written: {error.strerror}") from None
    lock = FolderLock(parts)
    try:
        yield
    finally:
        lock.release()


def _worked(engine: Engine, jobs: Sequence[Job], report: Report) -> Stopped | None:
    """Have all jobs done; return why one of them stopped early."""
    stopped: Stopped | None = None
    for job, handed in engine.work(jobs, report):
        if handed.error:
            raise RunFolderError(f"shard {job.shard}: {handed.error}")
        stopped = stopped or handed.stopped
    return stopped


def _reporter(jobs: Sequence[Job], planned: int, on_progress: OnProgress | None) -> Report:
    began, folders = time.monotonic(), [Path(job.folder) for job in jobs]

    def report(*, stopping: bool = False) -> None:
        if on_progress is not None:
            on_progress(replace(standing(folders, planned, time.monotonic() - began), stopping=stopping))

    return report


def _must_be_free(folder: Path, parts: Path, engine: str, *, resume: bool) -> int | None:
    """Check the folders, and return into how many shards an earlier call has cut the run."""
    merging = resume and parts.is_dir() and not (folder / DATABASE).exists()  # a merge was broken off
    if (folder / MANIFEST).is_file() and not merging:
        hint = f"go on with it by --resume without --engine {engine}" if resume else "name another folder"
        raise RunFolderError(f"{folder}: already holds a run; {hint}")
    found = {int(path.name.partition("of")[2]) for path in parts.glob("*of*") if path.is_dir()}
    if found and not resume:
        raise RunFolderError(f"{parts}: holds shards of a run; go on with them by --resume, or name another folder")
    if resume and not found:
        raise RunFolderError(f"{parts}: holds no shards to go on with; start a run without --resume")
    return min(found, default=None)


def _count(wanted: int | None, before: int | None, engine: Engine, parts: Path, assembly: Assembly) -> int:
    if before is not None and wanted not in (None, before):
        raise ConfigError(f"--shards {wanted}: the run in {parts} is cut into {before}, which cannot be changed")
    of = before or wanted
    if not engine.one_machine:
        return of or engine.places()
    limits = {f"{place}: concurrency": settings.concurrency for place, settings in assembly.models.items()}
    limits["limits.concurrency"] = assembly.config.limits.concurrency
    tightest = min(limits, key=limits.__getitem__)
    if of is None:
        return min(engine.places(), limits[tightest])
    if of > limits[tightest]:
        raise ConfigError(
            f"--shards {of}: together they may have no more than {limits[tightest]} in flight ({tightest})"
        )
    return of


def _jobs(config: RunConfig, parts: Path, only: Selection, of: int, engine: Engine) -> list[Job]:
    token = os.urandom(8).hex()
    try:
        parts.mkdir(parents=True, exist_ok=True)
        (parts / TOKEN).write_text(token, encoding="utf-8")
        for number in range(1, of + 1):
            (parts / f"{number}of{of}").mkdir(exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{parts}: cannot be written: {error.strerror}") from None
    return [
        Job(
            config=plain(config), folder=str((parts / f"{number}of{of}").resolve()),
            shard=Shard(number=number, of=of), only=only, token=token,
            one_machine=engine.one_machine,
        )
        for number in range(1, of + 1)
    ]  # fmt: skip


def lost(job: Job, how: str) -> RunFolderError:
    """Return the error for a job whose worker was lost too often."""
    return RunFolderError(
        f"shard {job.shard}: its worker was lost {RETRIES + 1} times ({how}); what is saved is safe, go on with "
        "--resume"
    )
