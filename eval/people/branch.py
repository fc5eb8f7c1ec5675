"""Forks: another supporter, or another inner world, from one turn of an episode on.

A branch is a run folder of its own, `RUN/branches/NAME`, with one episode whose turns before the fork are copied.
Everything that reads or resumes runs works on it; the figures of the run it comes from never count it.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from emoharbor.eval.assembly import Assembly, assemble
from emoharbor.eval.config import RunConfig
from emoharbor.eval.people.branches import FOLDER
from emoharbor.eval.people.edits import edited
from emoharbor.eval.people.taken_up import people_of
from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.run import Run
from emoharbor.eval.runs.describe import make_manifest
from emoharbor.eval.runs.manifest import BranchOf, write_manifest
from emoharbor.eval.store.folder import prepare
from emoharbor.eval.store.reader import Reader
from emoharbor.eval.store.store import Store
from emoharbor.eval.targets import Target, as_supporter
from emoharbor.nodes.models.client import Models
from emoharbor.nodes.offline.supporter import Style
from emoharbor.nodes.spec import SupporterSpec
from emoharbor.nodes.supporters.human import HUMAN
from emoharbor.profiles.schema import Profile
from emoharbor.state.edits import edits_between
from emoharbor.state.episode import EpisodeState
from emoharbor.state.errors import ConfigError


async def make_branch(  # noqa: PLR0913 - what a branch is made of
    run: Run,
    episode: EpisodeKey | str,
    turn: int,
    supporter: Target,
    *,
    edits: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> Path:
    """Make a branch of an episode and return its folder. It is played by `resume_run`, or `Talk.resume` for a human.

    Args:
        run: the run.
        episode: the episode, as `P010/attuned/0`.
        turn: the first turn to be played anew; 0 starts before the person's first thought.
        supporter: who answers from there on: the name of one of the run's supporters, or a supporter in any form.
        edits: changes of the inner world before that turn (see `edits.edited`).
        name: of the branch; made of episode, turn and supporter otherwise.

    Raises:
        RunFolderError: when the episode did not get that far, or a branch has that name.
        ConfigError: for a supporter that cannot take over in mid-dialogue, or a wrong edit.
    """
    state = run.state(episode, turn)
    source = EpisodeKey(profile=state.profile_id, supporter=state.supporter, repeat=state.repeat)
    spec = named(run, supporter)
    config = run.manifest.config.model_copy(update={"supporters": (spec,)})
    person = people_of(run.manifest)[state.profile_id]
    assembly = await _assembled(config, person)
    if turn > 0 and spec.name in assembly.remembering:
        raise ConfigError(
            f"--supporter {spec.name}: keeps the dialogue itself (send: last), so it cannot take over at turn {turn}; "
            "say `send: history`, or fork at turn 0"
        )
    start = _edited(state, edits or {}, person).model_copy(update={"supporter": spec.name})
    branch_of = BranchOf(run_id=run.manifest.run_id, episode=str(source), turn=turn, edits=dict(edits or {}))
    folder = _folder(run.folder / FOLDER, name or f"{source}-turn{turn}-{spec.name}", exact=name is not None)
    lock = prepare(folder, resume=False)
    try:
        await _fill(folder, run, source, start)
        write_manifest(folder, make_manifest(assembly).model_copy(update={"branch_of": branch_of}))
    finally:
        lock.release()
    return folder


def named(run: Run, supporter: Target) -> SupporterSpec:
    """Return one of the run's supporters by its name, else the supporter that a target stands for.

    Raises:
        ConfigError: for a name that is none of these, with those there are.
    """
    ours = run.manifest.config.supporters
    for item in ours:
        if item.name == supporter:
            return item
    if isinstance(supporter, str) and ":" not in supporter and supporter not in (*get_args(Style), HUMAN):
        raise ConfigError(
            f"--supporter {supporter}: is no supporter of this run ({', '.join(item.name for item in ours)}), no "
            f"rule-based one ({', '.join(get_args(Style))}), not human, and no package.module:object"
        )
    return as_supporter({"use": HUMAN} if supporter == HUMAN else supporter)


async def _assembled(config: RunConfig, person: Profile) -> Assembly:
    async with Models() as models:
        return assemble(config, models, {person.id: person}, attended=True)


def _edited(state: EpisodeState, edits: Mapping[str, Any], person: Profile) -> EpisodeState:
    """Return the state with its inner world changed, and the changes in its log."""
    if not edits:
        return state
    world = edited(state.inner, edits, [fact.id for fact in person.situation.guarded])
    shifts = edits_between(state.inner, world, state.turn)
    if not shifts:
        raise ConfigError("--set: changes nothing; the inner world has these values at that turn")
    now = world.model_copy(update={"turn": state.turn})
    worlds = (*state.worlds, now) if state.turn else ()
    return state.model_copy(update={"inner": now, "worlds": worlds, "shifts": (*state.shifts, *shifts)})


async def _fill(folder: Path, run: Run, source: EpisodeKey, state: EpisodeState) -> None:
    """Write the episode up to the fork, and the opening it began with."""
    first = run.state(source, 0).model_copy(update={"supporter": state.supporter})
    if state.turn == 0:
        first = state
    reader, store = Reader(run.folder), Store(folder)
    try:
        opening = reader.opening(source.profile, source.repeat)
        if opening is not None and not (state.turn == 0 and state.shifts):
            await store.save_opening(opening, trace=reader.opening_trace(source.profile, source.repeat))
        await store.begin(first)
        if state.turn > 0 or state.shifts:
            await store.save_turn(state.channels())
    finally:
        store.close()
        reader.close()


def _folder(parent: Path, wanted: str, *, exact: bool) -> Path:
    """Return the folder of a new branch. A name that was asked for must be free; others get a number."""
    name = re.sub(r"[^\w.-]+", "-", wanted).strip(".-") or "branch"
    return next(path for path in _candidates(parent, name) if exact or not path.exists())


def _candidates(parent: Path, name: str) -> Iterator[Path]:
    yield parent / name
    number = 2
    while True:
        yield parent / f"{name}-{number}"
        number += 1
