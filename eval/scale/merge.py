"""Joining the shards of a run into one run, equal to one that was never cut up.

The manifest is written first, and the database appears whole or not at all. So a merge that was broken off is simply
given again, and one that was done already does nothing.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emoharbor.eval.judging.records import DonorRecord
from emoharbor.eval.runs.differences import differences
from emoharbor.eval.runs.manifest import Manifest, read_manifest, write_manifest
from emoharbor.eval.runs.shard import Shard
from emoharbor.eval.scale.copying import Joined
from emoharbor.eval.store.folder import DATABASE, MANIFEST, FolderLock, prepare
from emoharbor.nodes.models.schema import RUNGS
from emoharbor.state.errors import RunFolderError
from emoharbor.state.verdict import Control

DRAFT = f".{DATABASE}.draft"
OnShard = Callable[[int, int], None]
"""Called after each shard: how many are done, of how many."""


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge gave.

    Attributes:
        folder: the run.
        finished, planned: episodes that need not be run again, and all of them.
        copied: False when the folder held these shards already.
    """

    folder: Path
    finished: int
    planned: int
    copied: bool


def merge(shards: Sequence[Path], folder: Path, on_shard: OnShard | None = None) -> Merged:
    """Join all shards of a run into one folder.

    Args:
        shards: the folders, in any order.
        folder: the run's; new, or one that these shards were to be merged into before.
        on_shard: told how far it is.

    Raises:
        RunFolderError: when the shards do not make one run (naming what differs, is missing or twice), one of them is
            still being run, or the folder holds something else.
    """
    parts = _in_order(shards)
    manifest = _joined([part for _, part in parts])
    folders = [path for path, _ in parts]
    with ExitStack() as stack:
        for path in folders:
            stack.callback(FolderLock(path).release)
        known = _take(folder, manifest, stack)
        begun = [(number, path) for number, path in enumerate(folders, 1) if (path / DATABASE).exists()]
        if known and (folder / DATABASE).exists():
            return _again(begun, folder, manifest)
        if not known:
            write_manifest(folder, manifest)
        finished = _copy(begun, folder, on_shard)
    return Merged(folder, finished, _planned(manifest), copied=True)


def _in_order(folders: Sequence[Path]) -> list[tuple[Path, Manifest]]:
    """Return the shards by number, with their manifests, once they are seen to make one run."""
    found: dict[int, tuple[Path, Manifest]] = {}
    first, of = None, 0
    for folder in folders:
        manifest = read_manifest(folder)
        if manifest.shard is None:
            raise RunFolderError(f"{folder}: is a whole run, not a shard (run it with --shard i/n)")
        if first is None:
            first, of = (folder, manifest), manifest.shard.of
        number = manifest.shard.number
        if manifest.shard.of != of:
            raise RunFolderError(f"{folder}: is shard {manifest.shard}, but {first[0]} is one of {of}")
        if number in found:
            raise RunFolderError(f"shard {manifest.shard} is given twice: {found[number][0]} and {folder}")
        unlike = differences(first[1], manifest)
        if unlike:
            more = f" (and {len(unlike) - 1} more)" if len(unlike) > 1 else ""
            raise RunFolderError(f"{folder}: is a shard of another run than {first[0]}: {unlike[0]}{more}")
        found[number] = (folder, manifest)
    missing = [str(Shard(number=number, of=of)) for number in range(1, of + 1) if number not in found]
    if missing:
        what = f"shard {missing[0]} is missing" if len(missing) == 1 else f"shards {', '.join(missing)} are missing"
        raise RunFolderError(f"{what}; run what is missing: emoharbor run CONFIG --shard {missing[0]} -o FOLDER")
    return [found[number] for number in sorted(found)]


def _joined(parts: Sequence[Manifest]) -> Manifest:
    """Return the manifest of the whole; the same shards give the same one."""
    ids = tuple(part.run_id for part in parts)
    run_id = hashlib.sha256(" ".join(ids).encode()).hexdigest()[:32]
    created = min(part.created for part in parts)
    endpoints = tuple(_together(item for part in parts for item in part.endpoints))
    judges = {record.judge_id: record for part in parts for record in part.judges}
    donors: dict[Control, dict[str, DonorRecord]] = {}
    for part in parts:
        for control, found in part.donors.items():
            donors[control] = {**donors.get(control, {}), **found}
    return parts[0].model_copy(
        update={
            "run_id": run_id, "created": created, "shard": None, "merged": ids, "endpoints": endpoints,
            "judges": tuple(sorted(judges.values(), key=lambda record: not record.own)), "donors": donors,
        }
    )  # fmt: skip


def _together(reports: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield what each model turned out to do in all shards: counts added up, else the most careful of the findings."""
    of: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for report in reports:
        of.setdefault((report["endpoint"], report["model"]), []).append(report)
    for found in of.values():
        faults = Counter[str]()
        for one in found:
            faults.update(one["faults"])
        stated = [one["reports_usage"] for one in found if one["reports_usage"] is not None]
        yield {
            **found[0],
            "rung": max((one["rung"] for one in found if one["rung"]), key=RUNGS.index, default=None),
            "dropped": sorted({name for one in found for name in one["dropped"]}),
            "calls": sum(one["calls"] for one in found),
            "faults": dict(sorted(faults.items())),
            "reports_usage": all(stated) if stated else None,
            "concurrency": min(one["concurrency"] for one in found),
        }


def _take(folder: Path, manifest: Manifest, stack: ExitStack) -> bool:
    """Take the folder's lock; return whether these shards were to be merged into it before."""
    known = (folder / MANIFEST).is_file()
    if known and read_manifest(folder).merged != manifest.merged:
        raise RunFolderError(f"{folder}: holds another run already; name a new folder")
    stack.callback(prepare(folder, resume=known).release)
    return known


def _again(shards: Sequence[tuple[int, Path]], folder: Path, manifest: Manifest) -> Merged:
    with Joined(folder / DATABASE) as joined:
        newer = next((path for _, path in shards if joined.lacks(path)), None)
        if newer is not None:
            raise RunFolderError(f"{folder}: holds these shards, but {newer} has gone on since; name a new folder")
        return Merged(folder, joined.finished(), _planned(manifest), copied=False)


def _copy(shards: Sequence[tuple[int, Path]], folder: Path, on_shard: OnShard | None) -> int:
    draft = folder / DRAFT
    with Joined.draft(draft) as joined:
        stale = any(joined.holds(number) and joined.lacks(path) for number, path in shards)
    if stale:  # a shard has gone on since the merge was broken off
        draft.unlink()
    with Joined.draft(draft) as joined:
        for number, path in shards:
            if not joined.holds(number):
                joined.add(number, path)
            if on_shard is not None:
                on_shard(number, len(shards))
        finished = joined.finished()
        joined.publish()
    return finished


def _planned(manifest: Manifest) -> int:
    return len(manifest.profiles) * len(manifest.config.supporters) * manifest.config.run.repeats
