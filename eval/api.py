"""The Python API: an episode, a run, judging a run again. Async, with sync forms that also work in a notebook."""

import uuid
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langsmith import uuid7

from emoharbor.eval.assembly import Assembly, assemble
from emoharbor.eval.config import Limits, RunConfig, load_config, make_config
from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.runs.plan import Selection
from emoharbor.eval.runs.progress import OnProgress
from emoharbor.eval.runs.shard import portion
from emoharbor.eval.synchronous import wait_for
from emoharbor.eval.targets import Target, as_supporter
from emoharbor.eval.traces.feedback import feedback_of
from emoharbor.eval.traces.langsmith import langsmith_watch
from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import build_episode, step_limit
from emoharbor.nodes.briefing import Briefing
from emoharbor.nodes.models.client import Models
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.nodes.spec import CastSpec
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import PartialProfile, Profile
from emoharbor.state.episode import MAX_TURNS, EpisodeState
from emoharbor.state.errors import ConfigError

if TYPE_CHECKING:
    from emoharbor.eval.judging.again import Judged
    from emoharbor.eval.judging.request import Request
    from emoharbor.eval.run import Run

__all__ = [
    "Target", "as_supporter", "evaluate", "evaluate_sync", "judge_run", "judge_run_sync",
    "resume_run_sync", "run_episode", "run_episode_sync",
]  # fmt: skip


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
            from emoharbor.eval.runs.start import run_assembly  # noqa: PLC0415 - the store takes 0.2 s to import

            run = await run_assembly(assembly, Path(folder))
            return next(run.episodes())
        return EpisodeRecord.of(await _play(assembly, next(iter(people.values())), spec.name))


async def evaluate(  # noqa: PLR0913 - the knobs of a run, all keyword-only
    config: RunConfig | Mapping[str, Any] | Path | str,
    folder: Path | str,
    *,
    resume: bool = False,
    amend: bool = False,
    on_progress: OnProgress | None = None,
    only: Selection | None = None,
    together: bool = False,
    heed_signals: bool = False,
) -> "Run":
    """Run every episode of a config into a run folder.

    Args:
        config: a config, its dict, or the path of its YAML file.
        folder: the run folder; must be new or empty unless resuming.
        resume: go on with a run of the same config: finished episodes are kept, broken-off ones go on from their last
            finished turn, unfinished outcomes are run again.
        amend: go on with a run, and add the people, supporters or repeats that the config has more of.
        on_progress: told how far the run is.
        only: a part of the run.
        together: all shards of the run are on this machine at once, and the one that `only` names takes its portion of
            what the config allows in flight; else each shard has all of it.
        heed_signals: at Ctrl-C or SIGTERM, finish the turns under way within `limits.grace_s` and return. Takes the
            place of the process's own handlers while the run lasts.

    Raises:
        UserError: for a mistake in config or folder, before any call is made.
    """
    from emoharbor.eval.runs.start import Options, run_assembly  # noqa: PLC0415 - the store takes 0.2 s to import

    if isinstance(config, str | Path):
        config = load_config(config)
    elif not isinstance(config, RunConfig):
        config = make_config(config)
    beside = only.shard if only is not None and together else None
    async with Models(partial(portion, shard=beside)) as models:
        how = Options(
            beside=beside, resume=resume, amend=amend, on_progress=on_progress, only=only, heed_signals=heed_signals,
            reports=models.report, waited=models.waited,
        )  # fmt: skip
        return await run_assembly(assemble(config, models), Path(folder), how)


async def judge_run(  # noqa: PLR0913 - the knobs of judging, all but two keyword-only
    folder: Path | str,
    request: "Request | None" = None,
    *,
    limits: Limits | None = None,
    on_progress: OnProgress | None = None,
    on_warning: Callable[[str], None] | None = None,
    heed_signals: bool = False,
    people: Mapping[str, PartialProfile] | None = None,
) -> "Judged":
    """Rate the finished episodes of a run again, without simulating again. What is rated already is left alone.

    Args:
        folder: the run folder.
        request: who rates, how often, as whom; by default the run's own judge, once.
        limits: what it may use, in place of the run's own limits.
        on_progress: told how far it is.
        on_warning: told what deserves a look.
        heed_signals: at Ctrl-C or SIGTERM, finish the ratings under way within `limits.grace_s` and return.
        people: the run's people, when its config cannot name them: those of `run_episode` given as values.

    Raises:
        UserError: for a mistake in the request or the folder, before any call is made.
    """
    from emoharbor.eval.judging.again import How, judge_again  # noqa: PLC0415 - the store takes 0.2 s to import
    from emoharbor.eval.judging.request import Request  # noqa: PLC0415 - as above

    async with Models() as models:
        how = How(
            limits=limits, on_progress=on_progress, on_warning=on_warning, heed_signals=heed_signals,
            reports=models.report, waited=models.waited, people=people,
        )  # fmt: skip
        return await judge_again(Path(folder), request or Request(), models, how)


def resume_run_sync(folder: Path | str, **options: Any) -> "Run":
    """Go on with a run by its folder alone (`emoharbor.eval.people.taken_up.resume_run`), and wait for it."""
    from emoharbor.eval.people.taken_up import resume_run  # noqa: PLC0415 - the store takes 0.2 s to import

    return wait_for(partial(resume_run, folder, **options))


def run_episode_sync(profile: Profile | str, supporter: Target, **options: Any) -> EpisodeRecord:
    """Do `run_episode` and wait for it; also inside a running event loop."""
    return wait_for(partial(run_episode, profile, supporter, **options))


def evaluate_sync(config: RunConfig | Mapping[str, Any] | Path | str, folder: Path | str, **options: Any) -> "Run":
    """Do `evaluate` and wait for it; also inside a running event loop."""
    return wait_for(partial(evaluate, config, folder, **options))


async def _play(assembly: Assembly, profile: Profile, supporter: str) -> EpisodeState:
    """Play one episode and keep nothing."""
    from emoharbor.eval.runs.describe import own_stance  # noqa: PLC0415 - what a run records takes time to import

    run = assembly.config.run
    context = EpisodeContext(
        supporter=supporter, max_turns=run.max_turns, briefing=run.briefing, seed=run.seed, pressure=run.pressure
    )
    graph = build_episode(assembly.cast, assembly.people.__getitem__, stance=own_stance(assembly))
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
            version="v2",
        )  # fmt: skip
        state = EpisodeState.from_channels(end.value)
        verdicts = [state.verdict] if state.verdict else []
        langsmith.rate(root, list(feedback_of(state.outcome, state.outcome_reason, verdicts)))
    return state


def judge_run_sync(folder: Path | str, request: "Request | None" = None, **options: Any) -> "Judged":
    """Do `judge_run` and wait for it; also inside a running event loop."""
    return wait_for(partial(judge_run, folder, request, **options))
