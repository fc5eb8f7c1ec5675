"""Adding people, supporters or repeats to a run that exists."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from emoharbor.eval.assembly import Assembly
from emoharbor.eval.runs.describe import make_manifest
from emoharbor.eval.runs.differences import comparable, first_difference
from emoharbor.eval.runs.manifest import Amendment, Manifest
from emoharbor.state.errors import RunFolderError


def amended(saved: Manifest, assembly: Assembly, folder: Path) -> Manifest:
    """Return the manifest of a run with what a config adds to it; the same one when it adds nothing.

    Args:
        saved: the run.
        assembly: what it is to be from now on.
        folder: where it is, for the message.

    Raises:
        RunFolderError: naming the first difference that adds nothing but changes what is there, or when the run is a
            shard or a branch.
    """
    if saved.shard is not None:
        raise RunFolderError(f"{folder}: holds shard {saved.shard}, which cannot be amended; merge the shards first")
    if saved.branch_of is not None:
        raise RunFolderError(f"{folder}: is a branch of one episode, and cannot be amended; fork again")
    fresh = make_manifest(assembly)
    old, new = comparable(saved), comparable(fresh)
    found = first_difference(old, _without_additions(old, new))
    if found is not None:
        raise RunFolderError(f"{folder}: an amendment only adds people, supporters or repeats, but {found}")
    change = _change(saved, fresh)
    if change is None:
        return saved
    return saved.model_copy(
        update={
            "config": fresh.config, "profiles": fresh.profiles, "prompts": fresh.prompts, "cast": fresh.cast,
            "models": fresh.models, "amendments": (*saved.amendments, change),
        }
    )  # fmt: skip


def _without_additions(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the new run says about all that the old one has; additions are left out, the rest is as it is."""
    was, now = old["config"], new["config"]
    config = {
        **now,
        "profiles": was["profiles"],  # how they are named; the people themselves are compared below
        "models": _of(now["models"], was["models"]),
        "supporters": _supporters(was["supporters"], now["supporters"]),
        "run": {**now["run"], "repeats": min(now["run"]["repeats"], was["run"]["repeats"])},
    }
    names = ("profiles", "prompts")
    return {**new, "config": config, **{name: _of(new[name], old[name]) for name in names}}


def _of(new: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    return {name: new[name] for name in old if name in new}


def _supporters(was: list[dict[str, Any]], now: list[dict[str, Any]]) -> list[dict[str, Any]]:
    by_name = {item["name"]: item for item in now}
    return [by_name[item["name"]] for item in was if item["name"] in by_name]


def _change(saved: Manifest, fresh: Manifest) -> Amendment | None:
    known = {item.name for item in saved.config.supporters}
    profiles = tuple(name for name in fresh.profiles if name not in saved.profiles)
    supporters = tuple(item.name for item in fresh.config.supporters if item.name not in known)
    more = fresh.config.run.repeats - saved.config.run.repeats
    if not (profiles or supporters or more):
        return None
    when = datetime.now(UTC).isoformat(timespec="seconds")
    return Amendment(at=when, emoharbor=fresh.emoharbor, profiles=profiles, supporters=supporters, repeats=more)
