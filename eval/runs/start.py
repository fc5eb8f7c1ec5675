"""From an assembled run to a finished one: the folder, the manifest, the store and the runner."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from emoharbor.eval.assembly import Assembly
from emoharbor.eval.judging.again import own_bench, to_do
from emoharbor.eval.judging.rater import Rater
from emoharbor.eval.judging.request import Request
from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.replay.source import RECORDING
from emoharbor.eval.run import Run
from emoharbor.eval.runs.amend import amended
from emoharbor.eval.runs.describe import make_manifest
from emoharbor.eval.runs.differences import must_fit
from emoharbor.eval.runs.garbage import seldom_collected
from emoharbor.eval.runs.manifest import Manifest, project_name, read_manifest, with_endpoints, write_manifest
from emoharbor.eval.runs.plan import Selection, make_plan, planned, select
from emoharbor.eval.runs.progress import OnProgress
from emoharbor.eval.runs.runner import Runner
from emoharbor.eval.runs.shard import Shard, portion
from emoharbor.eval.runs.signals import stop_signals
from emoharbor.eval.runs.stop import EndpointGone, Stopped
from emoharbor.eval.runs.waiting import Answer
from emoharbor.eval.store.folder import prepare, write_whole
from emoharbor.eval.store.store import Store
from emoharbor.eval.traces.langsmith import langsmith_watch
from emoharbor.nodes.models.client import ModelReport

_IN_A_ROW = 3
"""Episodes that fail at one endpoint one after the other before the run is stopped."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to run.

    Attributes:
        resume: go on with the run that the folder holds.
        amend: and add to it what the config has more of.
        on_progress: told how far the run is.
        only: a part of the run.
        heed_signals: stop gracefully at SIGINT and SIGTERM; only where the event loop is ours.
        reports: says at the end what the models turned out to do.
        waited: says how long calls of models have waited for limits.
        answer: asked what a human supporter says.
        beside: the shard that this is, of shards that keep `limits.concurrency` together; None where it is of each.
    """

    resume: bool = False
    amend: bool = False
    on_progress: OnProgress | None = None
    only: Selection | None = None
    heed_signals: bool = False
    reports: Callable[[], list[ModelReport]] = list
    waited: Callable[[], float] = float
    answer: Answer | None = None
    beside: Shard | None = None


async def run_assembly(assembly: Assembly, folder: Path, how: Options = Options()) -> Run:
    """Do `evaluate` for a run that is assembled already: the cast may hold nodes that no config can name.

    Raises:
        UserError: for a mistake in selection or folder, before any call is made.
    """
    config = assembly.config
    plan = make_plan(list(assembly.people), [item.name for item in config.supporters], config.run.repeats)
    only = how.only or Selection()
    select(plan, only)  # a mistake in it ends here, before anything is written
    with ExitStack() as stack:
        stack.callback(prepare(folder, resume=how.resume or how.amend).release)
        manifest = _manifest(assembly, folder, how, only)
        if assembly.replay is not None:
            write_whole(folder / RECORDING, assembly.replay.recording.text())
        plan = planned(manifest) if manifest.branch_of or manifest.replay else plan
        wanted = select(plan, only.model_copy(update={"shard": manifest.shard}))
        if manifest.shard is not None:
            at_once = portion(config.limits.concurrency, how.beside)
            share = config.model_copy(update={"limits": config.limits.share(manifest.shard.of, at_once)})
            assembly = replace(assembly, config=share)
        store = Store(folder)
        stack.callback(store.close)
        langsmith = stack.enter_context(langsmith_watch(project_name(manifest)))
        runner = Runner(
            assembly, store, manifest.run_id, on_progress=how.on_progress, langsmith=langsmith, waited=how.waited,
            answer=how.answer,
            stop_rules=[EndpointGone(max(1, min(_IN_A_ROW, len(wanted))))],
        )  # fmt: skip
        if how.heed_signals:
            stack.enter_context(stop_signals(runner.wind_down))
        stack.enter_context(seldom_collected())
        stopped: Stopped | None = None
        try:
            await runner.run(wanted)
            stopped = runner.stopped
            if stopped is None and config.judge_repeats > 1:
                stopped = await _rate_further(assembly, store, wanted, how, runner.failures)
        finally:
            if found := how.reports():
                write_manifest(folder, with_endpoints(manifest, found))
        return Run(folder, stopped)


async def _rate_further(
    assembly: Assembly, store: Store, keys: Sequence[EpisodeKey], how: Options, failures: Mapping[str, int]
) -> Stopped | None:
    """Rate each episode as often as `cast.judge.repeats` says; the first rating is part of the episode."""
    jobs = to_do(keys, store, own_bench(assembly), Request(repeats=assembly.config.judge_repeats))
    if not jobs:
        return None
    rater = Rater(assembly, store, on_progress=how.on_progress, waited=how.waited, failures=failures)
    with stop_signals(rater.wind_down) if how.heed_signals else nullcontext():
        await rater.run(jobs)
    return rater.stopped


def _manifest(assembly: Assembly, folder: Path, how: Options, only: Selection) -> Manifest:
    """Return the manifest of the run, written: made anew, taken up, or amended."""
    if not (how.resume or how.amend):
        manifest = make_manifest(assembly, only.shard)
        write_manifest(folder, manifest)
        return manifest
    saved = read_manifest(folder)
    if not how.amend:
        must_fit(saved, assembly, folder, only.shard)
        return saved
    manifest = amended(saved, assembly, folder)
    if manifest is not saved:
        write_manifest(folder, manifest)
    return manifest
