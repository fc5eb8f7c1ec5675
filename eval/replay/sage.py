"""SAGE's published dialogues (Tencent/digitalhuman, MIT) as a run: its final emotion is the score.

They are not played again: SAGE's simulated people have spoken and felt already, some supporters answered with nothing,
and a figure computed from them has to be SAGE's own. So the import writes finished episodes. The files of one
simulator make one run.
"""

import asyncio
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from emoharbor.eval.assembly import Assembly
from emoharbor.eval.config import make_config
from emoharbor.eval.replay.sage_dialogues import HIGHEST, LOWEST, Known, SageDialogue, dialogues_of, files_of
from emoharbor.eval.replay.source import RECORDING, ReplayRecord
from emoharbor.eval.run import Run
from emoharbor.eval.runs.describe import make_manifest
from emoharbor.eval.runs.manifest import write_manifest
from emoharbor.eval.store.folder import prepare, write_whole
from emoharbor.eval.store.store import Store
from emoharbor.nodes.cast import Cast, Part
from emoharbor.nodes.recording import RecordedDialogue, RecordedTurn, Recording
from emoharbor.nodes.rubric import Anchor, Dimension, Rubric
from emoharbor.profiles.bounds import starting_world
from emoharbor.profiles.importers.sage import SOURCE
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.base import Role
from emoharbor.state.dialogue import exchanges
from emoharbor.state.episode import EpisodeState
from emoharbor.state.errors import CastError
from emoharbor.state.verdict import Judgement, Rating

LICENCE = "MIT"
ROUNDS = 10
"""SAGE's cap."""

SAGE_RUBRIC = Rubric(
    name="sage-final-emotion",
    version="1",
    low=LOWEST,
    high=HIGHEST,
    dimensions=(
        Dimension(
            id="final_emotion",
            asks="How do I feel after this conversation?",
            anchors=(
                Anchor(score=0, says="I feel so bad that I broke it off (below 10)."),
                Anchor(score=10, says="I feel low (from 10)."),
                Anchor(score=40, says="I feel as I did before (from 40, where everybody starts)."),
                Anchor(score=70, says="I feel well (from 70)."),
                Anchor(score=100, says="I feel as well as can be; I need no more."),
            ),
        ),
    ),
)
"""SAGE's emotion as a rubric of one dimension; its bands are its anchors."""


async def import_sage(paths: Sequence[Path], folder: Path) -> Run:
    """Write SAGE's dialogues into a new run folder.

    Args:
        paths: files of one simulator, or folders that hold such files and no other's.
        folder: where the run goes.

    Raises:
        ConfigError: for a file that cannot be read or is none of SAGE's, or files of several simulators.
        RunFolderError: when the folder holds something already.
    """
    simulator, files = files_of(paths)
    known: Known = {}
    read = {supporter: dict(dialogues_of(path, known)) for supporter, path in files.items()}
    people = {name: found.profile for dialogues in read.values() for name, found in dialogues.items()}
    recording = Recording(_recorded(read)).text()
    assembly = _assembly(folder.name, simulator, list(files), people)
    manifest = make_manifest(assembly).model_copy(update={
        "replay": ReplayRecord(
            format="sage",
            files={path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files.values()},
            source=SOURCE,
            licence=LICENCE,
            recording=hashlib.sha256(recording.encode()).hexdigest(),
            turns={
                f"{name}/{supporter}": len(exchanges(found.messages))
                for supporter, dialogues in read.items()
                for name, found in dialogues.items()
            },
        )
    })  # fmt: skip
    lock = prepare(folder, resume=False)
    try:
        write_manifest(folder, manifest)
        write_whole(folder / RECORDING, recording)
        judge_id = manifest.judges[0].judge_id
        await _store(folder, (
            _state(supporter, dialogues[name], judge_id)
            for name in people
            for supporter, dialogues in read.items()
            if name in dialogues
        ))  # fmt: skip
    finally:
        lock.release()
    return Run(folder)


def _recorded(read: Mapping[str, Mapping[str, SageDialogue]]) -> Iterator[RecordedDialogue]:
    """The dialogues in our own form; one with an empty message has none there, and stands in the store alone."""
    for supporter, dialogues in read.items():
        for found in dialogues.values():
            turns = exchanges(found.messages)
            if all(turn.user and turn.supporter != "" for turn in turns):
                spoken = tuple(RecordedTurn(user=turn.user, supporter=turn.supporter) for turn in turns)
                yield RecordedDialogue(profile=found.profile, supporter=supporter, turns=spoken)


def _assembly(name: str, simulator: str, supporters: Sequence[str], people: Mapping[str, PartialProfile]) -> Assembly:
    config = make_config({
        "run": {"name": name, "max_turns": ROUNDS},
        "profiles": list(people),
        "cast": {
            "user": ["speak"],
            "speak": {"use": "recorded", "simulator": simulator},
            "judge": {"use": "recorded", "rubric": SAGE_RUBRIC.name},
        },
        "supporters": [{"name": item, "use": "recorded"} for item in supporters],
    })  # fmt: skip
    judge = Part("judge", "sage", {}, "published", None, _said, SAGE_RUBRIC)
    speak = _part("speak", simulator, {"simulator": simulator})
    return Assembly(
        config, Cast((speak,), judge, {item: _part("supporter", item, {}) for item in supporters}), people, {}
    )


def _part(role: Role, model: str, args: Mapping[str, Any]) -> Part:
    return Part(role, "recorded", args, "published", model, _said)


async def _said(*_: object) -> NoReturn:
    """Stand where a node stands; nothing is played."""
    raise CastError("these dialogues were published, not played here; nobody can go on with them")


def _state(supporter: str, found: SageDialogue, judge_id: str) -> EpisodeState:
    outcome, reason = found.ending
    rating = Rating(
        dimension=SAGE_RUBRIC.dimensions[0].id,
        group=None,
        score=found.emotion,
        reason="the simulated person's emotion after their last message, as published",
    )
    return EpisodeState(
        profile_id=found.profile.id,
        supporter=supporter,
        max_turns=ROUNDS,
        recorded=True,
        turn=len(found.messages) // 2,
        last="judge",
        outcome=outcome,
        outcome_reason=reason,
        messages=list(found.messages),
        inner=starting_world(found.profile),
        verdict=Judgement(
            judge="sage", judge_id=judge_id, own=True, rubric=SAGE_RUBRIC.id, ratings=(rating,),
            scores=SAGE_RUBRIC.scores([rating]),
        ),
    )  # fmt: skip


async def _store(folder: Path, states: Iterable[EpisodeState]) -> None:
    store = Store(folder)
    try:
        async with asyncio.TaskGroup() as group:
            for state in states:
                group.create_task(_save(store, state))
    finally:
        store.close()


async def _save(store: Store, state: EpisodeState) -> None:
    # a store is told of an episode when it begins
    start = state.model_copy(
        update={"turn": 0, "last": None, "outcome": None, "outcome_reason": "", "messages": [], "verdict": None}
    )
    await store.begin(start)
    await store.finish(state)
