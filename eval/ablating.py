"""Running the arms of an ablation, and what came of them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path

from pydantic import Field

from emoharbor.eval.ablations import FULL, Arm, left
from emoharbor.eval.api import evaluate, judge_run
from emoharbor.eval.assembly import Estimate, OpensModels, RoleEstimate, assemble, estimate
from emoharbor.eval.config import RunConfig
from emoharbor.eval.judging.request import Request
from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.run import Run
from emoharbor.eval.runs.progress import OnProgress
from emoharbor.eval.runs.stop import Stopped
from emoharbor.eval.spent import Spent
from emoharbor.eval.statistics.ablated import ArmComparison, Observed, compare_arm
from emoharbor.eval.statistics.method import How
from emoharbor.eval.statistics.scores import DIMENSION, Entry, Scale, entry_of
from emoharbor.eval.store.folder import DATABASE, MANIFEST, write_whole
from emoharbor.eval.store.reader import Reader
from emoharbor.nodes.spec import UserRole
from emoharbor.state.base import Frozen, Role
from emoharbor.state.verdict import Judgement

RESULTS = "ablation.json"
OnArm = Callable[[Arm, Path], None]
"""Told of each arm before it is run."""


class ArmResult(Frozen):
    """What came of one arm."""

    arm: str
    says: str
    folder: str | None
    """Its run, relative to the folder of all; None for one that was not played."""
    calls_per_dialogue: int
    """Times a role is asked in a dialogue that runs to the turn cap, opening and judge included."""
    skipped: str = ""
    episodes: dict[str, int] = Field(default_factory=dict)
    """How many were scored, failed (by the supporter), invalid, unscored, unfinished."""
    against_full: ArmComparison | None = None


class Ablation(Frozen):
    """The arms of one ablation."""

    supporters: tuple[str, ...]
    how: How
    arms: tuple[ArmResult, ...]


@dataclass(frozen=True, slots=True)
class Ablated:
    """What a call came to.

    Attributes:
        ablation: the figures of what is there.
        stopped: why it ended early, and in which arm; None when it did not.
    """

    ablation: Ablation
    stopped: tuple[Stopped, str] | None = None


def look_at(arms: Sequence[Arm], models: OpensModels) -> dict[str, Estimate]:
    """Build the cast of each arm and return what it will ask of its models, before anything is called.

    Raises:
        UserError: for a cast that cannot be built.
    """
    found = {}
    for arm in arms:
        if not arm.skipped:
            people = len(assemble(arm.config, models).people)
            found[arm.name] = estimate_of(arm, people)
    return found


def estimate_of(arm: Arm, people: int) -> Estimate:
    """Return what an arm will ask of its models."""
    if arm.is_run:
        return estimate(arm.config, people)
    # what the judge reads without a log is what it reads of a chain that keeps none
    alone = arm.config.model_copy(update={"cast": arm.config.cast.model_copy(update={"user": ("speak",)})})
    found = estimate(alone, people)
    roles: dict[Role, RoleEstimate] = {role: item for role, item in found.roles.items() if role == "judge"}
    unpriced = tuple(name for name in found.unpriced if name == "judge")
    return Estimate(episodes=found.episodes, steps_per_dialogue=1, roles=roles, unpriced=unpriced)


async def ablate(  # noqa: PLR0913 - all but two keyword-only
    arms: Sequence[Arm],
    folder: Path,
    *,
    how: How = How(),  # noqa: B008 - a frozen value
    on_arm: OnArm | None = None,
    on_progress: OnProgress | None = None,
    heed_signals: bool = False,
) -> Ablated:
    """Run what is left to run of each arm, and compare all with the full chain.

    Args:
        arms: from `arms_of`; the full chain first.
        folder: of all arms; each has a folder of its own in it.
        how: resamples, seed and level of the figures.
        on_arm: told of each arm before it is run.
        on_progress: told how far it is.
        heed_signals: as for `evaluate`.

    Raises:
        UserError: for a mistake in config or folder, before any call is made.
    """
    stopped: tuple[Stopped, str] | None = None
    for arm in arms:
        if arm.skipped or stopped is not None:
            continue
        place = folder / (arm.name if arm.is_run else FULL)
        limits = left(arm.config.limits, spent_beside(folder, place))
        if limits is None:
            stopped = Stopped("budget", "the arms before have used up the limits of the config"), arm.name
            continue
        if on_arm is not None:
            on_arm(arm, place)
        config = arm.config.model_copy(update={"limits": limits})
        play = _played if arm.is_run else _rated_again
        ended = await play(config, place, on_progress, heed_signals=heed_signals)
        stopped = None if ended is None else (ended, arm.name)
    found = compared(arms, folder, how)
    write_whole(folder / RESULTS, found.model_dump_json(indent=2) + "\n")
    return Ablated(found, stopped)


async def _played(
    config: RunConfig, place: Path, on_progress: OnProgress | None, *, heed_signals: bool
) -> Stopped | None:
    resume = (place / MANIFEST).is_file()
    run = await evaluate(config, place, resume=resume, on_progress=on_progress, heed_signals=heed_signals)
    return run.stopped


async def _rated_again(
    config: RunConfig, place: Path, on_progress: OnProgress | None, *, heed_signals: bool
) -> Stopped | None:
    request = Request(repeats=config.judge_repeats, with_log=False)
    judged = await judge_run(
        place, request, limits=config.limits, on_progress=on_progress, heed_signals=heed_signals
    )  # fmt: skip
    return judged.stopped


def spent_beside(folder: Path, place: Path) -> Spent:
    """Return what the arms other than the one at `place` have used so far."""
    found = Spent()
    for path in sorted(folder.glob(f"*/{DATABASE}")):
        if path.parent != place:
            reader = Reader(path.parent)
            found += reader.spent()
            reader.close()
    return found


def compared(arms: Sequence[Arm], folder: Path, how: How) -> Ablation:
    """Return the figures of the arms, as far as their runs are there."""
    supporters = tuple(item.name for item in arms[0].config.supporters)
    whole = _run(folder / FULL)
    full = [] if whole is None else list(_observed(whole, arms[0].chain))
    results = [_result(arm, folder, whole, full, supporters, how) for arm in arms]
    return Ablation(supporters=supporters, how=how, arms=tuple(results))


def _result(  # noqa: PLR0913, PLR0917 - what every arm is held against
    arm: Arm, folder: Path, whole: Run | None, full: Sequence[Observed], supporters: Sequence[str], how: How
) -> ArmResult:
    calls = estimate_of(arm, people=1).steps_per_dialogue
    run = _run(folder / arm.name) if arm.is_run else whole
    if arm.skipped or run is None:
        return ArmResult(arm=arm.name, says=arm.says, folder=None, calls_per_dialogue=calls, skipped=arm.skipped)
    entries = list(_entries(run, arm))
    comparison = None
    if arm.name != FULL:
        seen = _observed(run, arm.chain) if arm.is_run else (_rated(entry, run.scale()) for entry in entries)
        comparison = compare_arm(full, seen, supporters, how)
    return ArmResult(
        arm=arm.name, says=arm.says, folder=arm.name if arm.is_run else FULL, calls_per_dialogue=calls,
        episodes=dict(Counter(entry.kind for entry in entries)), against_full=comparison,
    )  # fmt: skip


def _run(folder: Path) -> Run | None:
    return Run(folder) if (folder / MANIFEST).is_file() else None


def _entries(run: Run, arm: Arm) -> Iterator[Entry]:
    scale = run.scale()
    for result in run.results():
        yield entry_of(result, scale, None if arm.is_run else without_log(result.judgements))


def without_log(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Return the ratings of the run's own judge, as oneself, that were given without the inner-world log."""
    found = list(judgements)
    judge = next((item.judge_id for item in found if item.own), None)
    return [
        item
        for item in found
        if item.judge_id == judge and item.control is None and item.counterfactual is None and not item.with_log
    ]


def _observed(run: Run, chain: Sequence[UserRole]) -> Iterator[Observed]:
    """Yield the figures of a run's episodes: rated ones, and what its chain knows of the inner world."""
    scale = run.scale()
    for record in run.episodes():
        entry = entry_of(record, scale)
        person, supporter, figures = _rated(entry, scale)
        world = dict(_world(record, chain)) if entry.kind in ("scored", "unscored") else {}
        yield person, supporter, {**figures, **world}


def _rated(entry: Entry, scale: Scale | None) -> Observed:
    values = None if scale is None else entry.treated(scale, "lowest")
    figures: Mapping[str, float] = {}
    if scale is not None and values is not None:
        named = zip(scale.figures, values, strict=True)
        figures = {name.removeprefix(DIMENSION): value for name, value in named if not isnan(value)}
    return entry.profile, entry.supporter, figures


def _world(record: EpisodeRecord, chain: Sequence[UserRole]) -> Iterator[tuple[str, float]]:
    """Yield the figures of the inner world that some role of the chain moves; the others stay where they started."""
    worlds = [turn.inner_world for turn in record.turns if turn.inner_world is not None]
    if worlds:
        last = worlds[-1]
        if "feel" in chain or "fused" in chain:
            yield "distress_end", last.distress
            yield "trust_end", last.trust
        if "think" in chain or "fused" in chain:
            yield "needs_met", float(sum(need.status == "met" for need in last.needs))
        yield "facts_told", float(len(last.disclosed))
    yield "turns", float(sum(turn.supporter is not None for turn in record.turns))
