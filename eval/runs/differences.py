"""Whether a run can be gone on with, and what differs between two runs: by their manifests."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from emoharbor.eval.assembly import Assembly
from emoharbor.eval.plain import plain
from emoharbor.eval.runs.describe import make_manifest
from emoharbor.eval.runs.manifest import Manifest
from emoharbor.eval.runs.shard import Shard
from emoharbor.profiles.population import POPULATION
from emoharbor.state.errors import RunFolderError

_MAY_DIFFER = ("limits", "prices", "audit")
"""Sections of a config that say how a run is done, not what it is."""


def must_fit(saved: Manifest, assembly: Assembly, folder: Path, shard: Shard | None = None) -> None:
    """Check that a run can be gone on with: everything but its limits is as it was.

    Args:
        saved: the run.
        assembly: what it is to go on with.
        folder: where it is, for the message.
        shard: which part is asked for; None takes the part that the run is.

    Raises:
        RunFolderError: naming the first difference.
    """
    if shard is not None and shard != saved.shard:
        held = f"shard {saved.shard}" if saved.shard else "a whole run"
        raise RunFolderError(f"{folder}: holds {held}, not shard {shard}; name another folder")
    found = first_difference(comparable(saved), comparable(make_manifest(assembly)))
    if found is not None:
        raise RunFolderError(
            f"{folder}: cannot go on with this run: {found}; name a new folder for a new run, or say --amend if it "
            "only adds people, supporters or repeats"
        )


def comparable(manifest: Manifest) -> dict[str, Any]:
    """Return what has to stay as it is when a run is gone on with, as JSON has it."""
    found = {what: plain(getattr(manifest, what)) for what in ("config", "profiles", "prompts", "rubric", "replay")}
    for name in _MAY_DIFFER:
        found["config"].pop(name)
    return found


def first_difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str | None:
    """Return the first difference as `place was ..., now it is ...`; None when there is none.

    Args:
        old: what `comparable` says of a run.
        new: what it says of what the run is to go on with.
    """
    if POPULATION not in old["prompts"]:  # begun before this file was told
        new = {**new, "prompts": {name: told for name, told in new["prompts"].items() if name != POPULATION}}
    return next((line for what in old for line in _differences(old[what], new[what], what)), None)


def differences(one: Manifest, other: Manifest) -> list[str]:
    """Return what differs between two runs, beside their names and limits: one line each."""
    found: list[str] = []
    for what in ("config", "profiles", "prompts", "rubric", "code"):
        old, new = plain(getattr(one, what)), plain(getattr(other, what))
        if what == "config":
            for name in _MAY_DIFFER:
                old.pop(name), new.pop(name)
            old["run"].pop("name"), new["run"].pop("name")
        found += _differences(old, new, what)
    # a hash says nothing but that it differs
    return [f"{line.partition(' was ')[0]} differs" if not line.startswith("config") else line for line in found]


def _differences(old: object, new: object, place: str) -> Iterator[str]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in [*old, *(name for name in new if name not in old)]:
            yield from _differences(old.get(name), new.get(name), f"{place}.{name}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, pair in enumerate(zip(old, new, strict=True)):
            yield from _differences(*pair, f"{place}.{index}")
    elif old != new:
        yield f"{place} was {_short(old)}, now it is {_short(new)}"


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."
