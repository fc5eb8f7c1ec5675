"""The Python API: one episode, a whole run, reading a run. Async, with sync forms that also work in a notebook."""

import asyncio
import uuid
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from langchain_core.runnables import Runnable
from langsmith import uuid7
from pydantic import ValidationError

from emoharbor.eval.assembly import Assembly, assemble
from emoharbor.eval.config import RunConfig, load_config, make_config
from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.run import Run
from emoharbor.eval.runs.manifest import (
    make_manifest,
    must_fit,
    project_name,
    read_manifest,
    with_endpoints,
    write_manifest,
)
from emoharbor.eval.runs.plan import Selection, make_plan, select
from emoharbor.eval.runs.progress import OnProgress
from emoharbor.eval.runs.runner import Runner
from emoharbor.eval.runs.stop import EndpointGone, StopRule
from emoharbor.eval.store.folder import prepare
from emoharbor.eval.store.store import Store
from emoharbor.eval.traces.feedback import feedback_of
from emoharbor.eval.traces.langsmith import langsmith_watch
from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import build_episode, step_limit
from emoharbor.nodes.briefing import Briefing
from emoharbor.nodes.models.client import ModelReport, Models
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.nodes.parts import load_target
from emoharbor.nodes.spec import CastSpec, SupporterSpec
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import Profile
from emoharbor.state.episode import MAX_TURNS, EpisodeState
from emoharbor.state.errors import ConfigError
from emoharbor.state.yamlfile import problem

T = TypeVar("T")
Target = SupporterSpec | Mapping[str, Any] | str | Callable[..., Any] | Runnable[Any, Any]
"""A supporter: a spec (or its dict), the style of a built-in offline one (`attuned`), `package.module:object`, a
function of messages, or a LangChain Runnable."""


async def run_episode(  # noqa: PLR0913 - the knobs of an episode, all keyword-only
    profile: Profile | str,
    supporter: Target,
    *,
    cast: CastSpec | Mapping[str, Any] | None = None,
    models: Mapping[str, ModelSettings | Mapping[str, Any]] | None = None,
    max_turns: int = MAX_TURNS,
    briefing: Briefing = "none",
    seed: int = 0,
    folder: Path | str | None = None,
) -> EpisodeRecord:
    """Play one episode. The default cast is the offline one: no model, no network.

    Args:
        profile: a person, the id of a bundled one, or the path of a profile file.
        supporter: the system under test.
        cast: who plays the person and the judge, as in a config.
        models: the models that cast and supporter name, as in a config.
        max_turns: turn cap.
        briefing: what the supporter is told about the person.
        seed: the run's seed.
        folder: a new run folder to keep the episode in; None keeps nothing.

    Raises:
        UserError: for a mistake in any of these, before any call is made.
    """
    spec, names = as_supporter(supporter), {}
    if not isinstance(profile, Profile):
        names = load_people(profile)
        if len(names) != 1:
            raise ConfigError(f"profile {profile!r} names {len(names)} people; an episode has one")
    people = {profile.id: profile} if isinstance(profile, Profile) else names
    config = make_config({
        "run": {"name": "episode", "seed": seed, "max_turns": max_turns, "briefing": briefing},
        "profiles": list(people),
        "cast": cast or {},
        "models": models or {},
        "supporters": [spec],
    })  # fmt: skip
    async with Models() as opened:
        assembly = assemble(config, opened, people)
        if folder is not None:
            run = await run_assembly(assembly, Path(folder))
            return next(run.episodes())
        return EpisodeRecord.of(await _play(assembly, next(iter(people.values())), spec.name))


async def evaluate(
    config: RunConfig | Mapping[str, Any] | Path | str,
    folder: Path | str,
    *,
    resume: bool = False,
    on_progress: OnProgress | None = None,
    only: Selection | None = None,
) -> Run:
    """Run every episode of a config into a run folder.

    Args:
        config: a config, its dict, or the path of its YAML file.
        folder: the run folder; must be new or empty unless resuming.
        resume: go on with a run of the same config: finished episodes are kept, broken-off ones go on from their last
            finished turn, unfinished outcomes are run again.
        on_progress: told how far the run is.
        only: a part of the run.

    Raises:
        UserError: for a mistake in config or folder, before any call is made.
    """
    if isinstance(config, str | Path):
        config = load_config(config)
    elif not isinstance(config, RunConfig):
        config = make_config(config)
    async with Models() as models:
        return await run_assembly(
            assemble(config, models),
            Path(folder),
            resume=resume,
            on_progress=on_progress,
            only=only,
            reports=models.report,
        )


def load_run(folder: Path | str) -> Run:
    """Open a run folder for reading, finished or not.

    Raises:
        RunFolderError: when it is no run folder, or was written by a newer version.
    """
    return Run(folder)


def run_episode_sync(profile: Profile | str, supporter: Target, **options: Any) -> EpisodeRecord:
    """Do `run_episode` and wait for it; also inside a running event loop."""
    return _wait(partial(run_episode, profile, supporter, **options))


def evaluate_sync(config: RunConfig | Mapping[str, Any] | Path | str, folder: Path | str, **options: Any) -> Run:
    """Do `evaluate` and wait for it; also inside a running event loop."""
    return _wait(partial(evaluate, config, folder, **options))


def as_supporter(target: Target) -> SupporterSpec:
    """Return the spec of a supporter in any of its forms.

    Raises:
        ConfigError: when it is none of them.
    """
    try:
        if isinstance(target, SupporterSpec):
            return target
        if isinstance(target, Mapping):
            return SupporterSpec.model_validate({"name": target.get("use", ""), **target})
        if isinstance(target, str) and ":" not in target:
            return SupporterSpec.model_validate({"name": target, "use": "offline", "style": target})
    except ValidationError as error:
        raise ConfigError(f"supporter: {problem(error, SupporterSpec)}") from None
    name = target if isinstance(target, str) else getattr(target, "__name__", None) or type(target).__name__
    found = load_target(target, "supporter") if isinstance(target, str) else target
    use = "callable" if callable(found) and not isinstance(found, Runnable) else "runnable"
    return SupporterSpec.model_validate({"name": name, "use": use, "target": target})


async def _play(assembly: Assembly, profile: Profile, supporter: str) -> EpisodeState:
    """Play one episode and keep nothing."""
    run = assembly.config.run
    context = EpisodeContext(supporter=supporter, max_turns=run.max_turns, briefing=run.briefing, seed=run.seed)
    graph = build_episode(assembly.cast, assembly.people.__getitem__)
    root, thread = uuid7(), uuid.uuid4().hex
    with langsmith_watch(run.name) as langsmith:
        end = await graph.ainvoke(
            first_state(profile, context).channels(),
            {
                "recursion_limit": step_limit(run.max_turns),
                "run_id": root,
                "run_name": f"{profile.id}/{supporter}",
                "tags": ["emoharbor", profile.id, supporter],
                "metadata": {
                    "run": run.name, "profile": profile.id, "supporter": supporter, "repeat": 0, "attempt": thread,
                    "thread_id": thread,
                },
            },
        )  # fmt: skip
        state = EpisodeState.from_channels(end)
        verdicts = [state.verdict] if state.verdict else []
        langsmith.rate(root, list(feedback_of(state.outcome, state.outcome_reason, verdicts)))
    return state


async def run_assembly(  # noqa: PLR0913 - the knobs of a run, all keyword-only
    assembly: Assembly,
    folder: Path,
    *,
    resume: bool = False,
    on_progress: OnProgress | None = None,
    only: Selection | None = None,
    reports: Callable[[], list[ModelReport]] = list,
) -> Run:
    """Do `evaluate` for a run that is assembled already: the cast may hold nodes that no config can name.

    `reports` says at the end what the models turned out to do.
    """
    config = assembly.config
    plan = make_plan(list(assembly.people), [item.name for item in config.supporters], config.run.repeats)
    only = only or Selection()
    wanted = select(plan, only)  # a mistake in it ends here, before anything is written
    with ExitStack() as stack:
        stack.callback(prepare(folder, resume=resume).release)
        if resume:
            manifest = read_manifest(folder)
            must_fit(manifest, assembly, folder, only.shard)
            wanted = select(plan, only.model_copy(update={"shard": manifest.shard}))
        else:
            manifest = make_manifest(assembly, only.shard)
            write_manifest(folder, manifest)
        if manifest.shard is not None:
            config = config.model_copy(update={"limits": config.limits.share(manifest.shard.of)})
            assembly = replace(assembly, config=config)
        store = Store(folder)
        stack.callback(store.close)
        rules: list[StopRule] = [EndpointGone(max(1, min(3, len(wanted))))]
        langsmith = stack.enter_context(langsmith_watch(project_name(manifest)))
        runner = Runner(
            assembly, store, manifest.run_id, on_progress=on_progress, stop_rules=rules, langsmith=langsmith
        )
        try:
            await runner.run(wanted)
        finally:
            if found := reports():
                write_manifest(folder, with_endpoints(manifest, found))
        return Run(folder, runner.stopped)


def _wait(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to its end; in a thread of its own when this one has a running loop, as in a notebook."""
    if not _in_a_loop():
        return asyncio.run(make())
    with ThreadPoolExecutor(1, thread_name_prefix="emoharbor") as pool:
        return pool.submit(lambda: asyncio.run(make())).result()


def _in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
