"""What a manifest says of a run that is about to begin: its parts, and the fingerprints of all they consist of."""

import hashlib
import platform
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from emoharbor.eval.assembly import Assembly
from emoharbor.eval.config import RunConfig
from emoharbor.eval.judging.identity import is_file
from emoharbor.eval.judging.records import JudgeRecord, RubricRecord, judge_record
from emoharbor.eval.plain import plain
from emoharbor.eval.prices import price_table
from emoharbor.eval.runs.manifest import FORMAT, Manifest, PartRecord
from emoharbor.eval.runs.shard import Shard
from emoharbor.graphs.route import takes_in
from emoharbor.nodes.cast import Part
from emoharbor.nodes.rubric import load_rubric
from emoharbor.profiles.population import POPULATION
from emoharbor.state.verdict import Stance

_PACKAGES = ("langgraph", "langchain-core", "langchain-openai", "langsmith", "openai", "pydantic", "sqlalchemy")
_ROOMS = ("state", "profiles", "nodes", "graphs", "eval")
_TEXTS = (".md", ".yaml")


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


@cache  # of what this process runs, whatever happens to the files
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


@cache  # reading it parses all that a package says of itself
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
