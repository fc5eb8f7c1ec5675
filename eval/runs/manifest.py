"""The manifest: what was run, with everything needed to run it again. Written before the first call."""

import hashlib
import json
import platform
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from emoharbor.eval.assembly import Assembly
from emoharbor.eval.config import RunConfig
from emoharbor.eval.judging.identity import is_file
from emoharbor.eval.judging.records import DonorRecord, JudgeRecord, RubricRecord, judge_record
from emoharbor.eval.plain import plain
from emoharbor.eval.prices import price_table
from emoharbor.eval.replay.source import ReplayRecord
from emoharbor.eval.runs.shard import Shard
from emoharbor.eval.store.folder import MANIFEST, write_whole
from emoharbor.graphs.route import takes_in
from emoharbor.nodes.cast import Part
from emoharbor.nodes.models.client import ModelReport
from emoharbor.nodes.rubric import load_rubric
from emoharbor.profiles.population import POPULATION
from emoharbor.state.base import Frozen
from emoharbor.state.errors import RunFolderError
from emoharbor.state.verdict import Control, Stance

FORMAT = 1
_PACKAGES = ("langgraph", "langchain-core", "langchain-openai", "langsmith", "openai", "pydantic", "sqlalchemy")
_ROOMS = ("state", "profiles", "nodes", "graphs", "eval")
_TEXTS = (".md", ".yaml")


class PartRecord(Frozen):
    """Who played one role."""

    role: str
    name: str
    """Of the supporter; the role itself for the others."""
    use: str
    args: dict[str, Any]
    version: str
    model: str | None


class Amendment(Frozen):
    """What was added to a run that existed."""

    at: str
    """Date and time, UTC."""
    emoharbor: str
    profiles: tuple[str, ...] = ()
    supporters: tuple[str, ...] = ()
    repeats: int = 0
    """How many more."""


class BranchOf(Frozen):
    """Where a run that branches off from another one's episode comes from."""

    run_id: str
    episode: str
    """As `P010/attuned/0`, in the run it comes from."""
    turn: int
    """The first turn that was played anew."""
    edits: dict[str, Any] = Field(default_factory=dict)
    """What was changed in the inner world before that turn, by field."""


class Manifest(Frozen):
    """`manifest.json`. Holds no secret: a config cannot carry one."""

    format: int
    run_id: str
    created: str
    """Date and time, UTC."""
    emoharbor: str
    config: RunConfig
    profiles: dict[str, str]
    """sha256 of each person, in the order of the run."""
    prompts: dict[str, str]
    """sha256 of each prompt, rubric and rule file: those of `emoharbor.nodes` and `emoharbor.profiles`, and those the
    cast names."""
    code: str
    """sha256 over EmoHarbor's own modules."""
    rubric: RubricRecord | None
    cast: tuple[PartRecord, ...]
    models: dict[str, dict[str, Any]]
    """Settings of each model, by place."""
    packages: dict[str, str]
    platform: dict[str, str]
    prices: str | None = None
    """Version of the bundled price table."""
    amendments: tuple[Amendment, ...] = ()
    """What was added later, oldest first."""
    shard: Shard | None = None
    """Which part of the config's episodes this is; None for all of them."""
    merged: tuple[str, ...] = ()
    """Run ids of the shards that this run was joined from, in order."""
    replay: ReplayRecord | None = None
    """For a run of recorded dialogues: where they come from."""
    branch_of: BranchOf | None = None
    """For a run of one episode that goes on from a turn of another run's episode."""
    judges: tuple[JudgeRecord, ...] = ()
    """Who rated, the run's own judge first; empty in runs from before judges were recorded."""
    donors: dict[Control, dict[str, DonorRecord]] = Field(default_factory=dict)
    """For each control: who rated in whose stead."""
    endpoints: tuple[dict[str, Any], ...] = ()
    """What each model turned out to do, as of the end of the last `run`: how it was asked for JSON, parameters it
    refused, calls, faults (see `ModelReport`)."""


def make_manifest(assembly: Assembly, shard: Shard | None = None) -> Manifest:
    """Describe a run that is about to begin."""
    config = RunConfig.model_validate(plain(assembly.config))
    return Manifest(
        format=FORMAT,
        run_id=uuid.uuid4().hex,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        emoharbor=_version("emoharbor"),
        config=config,
        profiles={name: _sha(person.model_dump_json().encode()) for name, person in assembly.people.items()},
        prompts=dict(_prompts(assembly)),
        code=_code(),
        rubric=_rubric(assembly.cast.judge),
        cast=tuple(_parts(assembly)),
        models={place: settings.model_dump(mode="json") for place, settings in assembly.models.items()},
        packages={name: _version(name) for name in _PACKAGES},
        platform={"python": platform.python_version(), "system": platform.system(), "machine": platform.machine()},
        prices=price_table().version,
        shard=shard,
        judges=tuple(filter(None, [own_judge(assembly)])),
        replay=assembly.replay.record if assembly.replay else None,
    )


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write it, whole or not at all.

    Raises:
        RunFolderError: when it cannot be written.
    """
    write_whole(folder / MANIFEST, json.dumps(manifest.model_dump(mode="json"), ensure_ascii=False, indent=2) + "\n")


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a run folder.

    Raises:
        RunFolderError: when the folder is no run folder, or was written by a newer version.
    """
    path = folder / MANIFEST
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        found = data.get("format")
    except OSError:
        raise RunFolderError(f"{folder}: is no run folder: it has no readable {MANIFEST}") from None
    except (ValueError, AttributeError):
        raise RunFolderError(f"{path}: is broken: no JSON object") from None
    if isinstance(found, int) and found > FORMAT:
        raise RunFolderError(f"{path}: has format {found}, this emoharbor knows up to {FORMAT}; update emoharbor")
    try:
        return Manifest.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise RunFolderError(f"{path}: is broken: {place}: {first['msg']}") from None


def with_endpoints(manifest: Manifest, reports: Iterable[ModelReport]) -> Manifest:
    """Return a manifest that says what the models turned out to do; models that were not asked keep what was said."""
    known = {(item["endpoint"], item["model"]): item for item in manifest.endpoints}
    fresh = {(report.endpoint, report.model): asdict(report) for report in reports if report.calls}
    return manifest.model_copy(update={"endpoints": tuple({**known, **fresh}.values())})


def project_name(manifest: Manifest) -> str:
    """Return the name of a run's LangSmith project: a run is one project, and runs may share a name."""
    return f"{manifest.config.run.name}-{manifest.run_id[:8]}"


def _parts(assembly: Assembly) -> Iterator[PartRecord]:
    cast = assembly.cast
    for part in [*cast.user, *([cast.judge] if cast.judge else [])]:
        yield _part(part, part.role)
    for name, part in cast.supporters.items():
        yield _part(part, name)


def _part(part: Part, name: str) -> PartRecord:
    return PartRecord(
        role=part.role, name=name, use=part.use, args=plain(part.args), version=part.version, model=part.model
    )


def own_judge(assembly: Assembly) -> JudgeRecord | None:
    """Describe the judge of a cast; None without one."""
    judge = assembly.cast.judge
    if judge is None:
        return None
    return judge_record(judge, assembly.models.get("cast.judge.model"), name="judge", own=True)


def own_stance(assembly: Assembly) -> Stance:
    """Return how the run's own judge rates: as oneself, with the inner-world log if there is one."""
    judge = own_judge(assembly)
    return Stance(judge_id=judge.judge_id if judge else "", own=True, with_log=takes_in(assembly.cast.chain))


def _rubric(judge: Part | None) -> RubricRecord | None:
    if judge is None:
        return None
    return RubricRecord.of(judge.rubric or load_rubric())


def _prompts(assembly: Assembly) -> Iterator[tuple[str, str]]:
    nodes = files("emoharbor.nodes")
    for name, item in sorted(_walk(nodes, "")):
        if name.endswith(_TEXTS):
            yield name, _sha(item.read_bytes())
    # a person is told how far they stand from other people
    yield POPULATION, _sha(files("emoharbor.profiles").joinpath(POPULATION).read_bytes())
    parts = [*assembly.cast.user, *([assembly.cast.judge] if assembly.cast.judge else [])]
    for part in [*parts, *assembly.cast.supporters.values()]:
        for value in part.args.values():
            if is_file(value):
                yield value, _sha(Path(value).read_bytes())


def _code() -> str:
    digest = hashlib.sha256()
    for room in _ROOMS:
        for name, item in sorted(_walk(files(f"emoharbor.{room}"), room)):
            if name.endswith(".py"):
                digest.update(name.encode() + b"\0" + item.read_bytes())
    return digest.hexdigest()


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for item in folder.iterdir():
        name = f"{prefix}/{item.name}" if prefix else item.name
        if item.is_dir():
            yield from _walk(item, name)
        else:
            yield name, item


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
