"""The manifest: what was run, with everything needed to run it again. Written before the first call."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from emoharbor.eval.config import RunConfig
from emoharbor.eval.judging.records import DonorRecord, JudgeRecord, RubricRecord
from emoharbor.eval.replay.source import ReplayRecord
from emoharbor.eval.runs.shard import Shard
from emoharbor.eval.store.folder import MANIFEST, write_whole
from emoharbor.nodes.models.client import ModelReport
from emoharbor.state.base import Frozen
from emoharbor.state.errors import RunFolderError
from emoharbor.state.verdict import Control

FORMAT = 1


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
