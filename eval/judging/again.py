"""Judging a run again: its folder, its manifest, the plan of what is still to be rated, and the rater."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from emoharbor.eval.assembly import Assembly
from emoharbor.eval.config import Limits
from emoharbor.eval.judging.rater import Job, Rater
from emoharbor.eval.judging.records import Asked, JudgeRecord, now
from emoharbor.eval.judging.request import Bench, Request, is_rated, rated
from emoharbor.eval.judging.seats import Seats, people_of, take_seats
from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.replay.source import recording_of
from emoharbor.eval.run import Run
from emoharbor.eval.runs.describe import own_stance
from emoharbor.eval.runs.garbage import seldom_collected
from emoharbor.eval.runs.manifest import Manifest, project_name, read_manifest, with_endpoints, write_manifest
from emoharbor.eval.runs.plan import planned, select
from emoharbor.eval.runs.progress import OnProgress
from emoharbor.eval.runs.signals import stop_signals
from emoharbor.eval.runs.stop import Stopped
from emoharbor.eval.shelf import OpensModels
from emoharbor.eval.store.folder import prepare
from emoharbor.eval.store.store import Store
from emoharbor.eval.traces.langsmith import langsmith_watch
from emoharbor.nodes.models.client import ModelReport
from emoharbor.profiles.schema import PartialProfile


@dataclass(frozen=True, slots=True)
class How:
    """How to go about it.

    Attributes:
        limits: what it may use, in place of the run's own limits.
        on_progress: told how far it is.
        on_warning: told what deserves a look, a line each.
        heed_signals: stop gracefully at SIGINT and SIGTERM.
        reports: says at the end what the models turned out to do.
        waited: says how long calls of models have waited for limits.
        people: the run's people, where its config cannot name them.
    """

    limits: Limits | None = None
    on_progress: OnProgress | None = None
    on_warning: Callable[[str], None] | None = None
    heed_signals: bool = False
    reports: Callable[[], list[ModelReport]] = list
    waited: Callable[[], float] = float
    people: Mapping[str, PartialProfile] | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """What judging came to.

    Attributes:
        run: opened for reading.
        judge: who rated.
        planned: ratings there were to make; 0 when all were there already.
        stopped: why it ended early; None when it did not.
        failures: ratings that could not be made, or that hold no score, by kind.
        left_out: people whom the control leaves out, for want of a partner.
        why: the commonest reason of those failures; empty where nobody gave one.
    """

    run: Run
    judge: JudgeRecord
    planned: int
    stopped: Stopped | None = None
    failures: Mapping[str, int] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    why: str = ""


async def judge_again(folder: Path, request: Request, models: OpensModels, how: How = How()) -> Judged:
    """Rate the finished episodes of a run. What is rated already is left alone.

    Args:
        folder: the run's.
        request: what is asked for.
        models: opens the models.
        how: how to go about it.

    Raises:
        UserError: for a mistake in the request or the folder, before any call is made.
    """
    with ExitStack() as stack:
        stack.callback(prepare(folder, resume=True).release)
        manifest = read_manifest(folder)
        known = recording_of(folder).people if how.people is None and manifest.replay else how.people
        people = people_of(manifest, known)
        seats = take_seats(manifest, people, request, models, how.limits or manifest.config.limits)
        if how.on_warning is not None:
            for line in seats.warnings:
                how.on_warning(line)
        keys = select(planned(manifest), request.only)
        manifest = _amended(manifest, seats, request)
        store = Store(folder)
        stack.callback(store.close)
        jobs = to_do(keys, store, seats.bench, request)
        write_manifest(folder, manifest)
        langsmith = stack.enter_context(langsmith_watch(project_name(manifest)))
        stack.enter_context(seldom_collected())
        rater = Rater(seats.assembly, store, on_progress=how.on_progress, waited=how.waited, langsmith=langsmith)
        if how.heed_signals:
            stack.enter_context(stop_signals(rater.wind_down))
        try:
            await rater.run(jobs)
        finally:
            if found := how.reports():
                write_manifest(folder, with_endpoints(manifest, found))
    alone = [name for name in people if request.control and name not in seats.bench.donors]
    count = sum(len(job.stances) for job in jobs)
    why = next((reason for reason, _ in rater.reasons.most_common() if reason), "")
    return Judged(Run(folder), seats.record, count, rater.stopped, dict(rater.failures), tuple(alone), why)


def own_bench(assembly: Assembly) -> Bench:
    """Return who rates the episodes of a run for the run itself."""
    stance = own_stance(assembly)
    return Bench(stance.judge_id, own=True, has_log=stance.with_log, people=assembly.people)


def to_do(keys: Sequence[EpisodeKey], store: Store, bench: Bench, request: Request) -> list[Job]:
    """Return the ratings that are missing: everybody's first, then everybody's second, and so on.

    The ratings of a replay are one job, since they rest on one replay.
    """
    finished = {item.key: item.number for item in store.reader.standings() if item.outcome and item.outcome.judged}
    there = store.reader.stances()
    jobs = []
    for key in keys:
        number = finished.get(key)
        if number is None:
            continue
        known = rated(there.get(number, []))
        for arm in bench.arms(key.profile, request):
            missing = tuple(stance for stance in arm.stances() if not is_rated(stance, known))
            job = Job(key, number, arm.profile, missing, replay=arm.stance.control == "replay")
            jobs += [job] if job.replay and missing else [replace(job, stances=(one,)) for one in missing]
    return sorted(jobs, key=lambda job: job.stances[0].repeat)


def _amended(manifest: Manifest, seats: Seats, request: Request) -> Manifest:
    """Return the manifest that knows the judge, what it was asked for, and who rates in whose stead."""
    asked = Asked(at=now(), repeats=request.repeats, control=request.control, with_log=request.with_log)
    judge = seats.record
    judge = judge.model_copy(update={"asked": (*judge.asked, asked)})
    judges = {**{item.judge_id: item for item in manifest.judges}, judge.judge_id: judge}
    own_first = sorted(judges.values(), key=lambda item: not item.own)
    changes: dict[str, object] = {"judges": tuple(own_first), "rubric": manifest.rubric or judge.rubric}
    if request.control is not None:
        changes["donors"] = {**manifest.donors, request.control: dict(seats.bench.donors)}
    return manifest.model_copy(update=changes)
