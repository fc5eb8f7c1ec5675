"""Which runs may stand in one table: the same simulator, judge, rubric and people, asked in the same way."""

from collections.abc import Mapping
from pathlib import Path

from emoharbor.eval.runs.manifest import Manifest
from emoharbor.eval.statistics.joined import why_not
from emoharbor.state.errors import RunFolderError

_HOW_ASKED = ("api_key_env", "timeout_s", "retries", "backoff_s", "concurrency", "rehearsal")
"""Settings of a model that say how it is reached, not what it answers."""
Opened = tuple[Path, Manifest]


def joinable(one: Opened, other: Opened) -> list[str]:
    """Return what a reader has to know of two runs that may be joined.

    Raises:
        RunFolderError: when they may not be, naming the first difference.
    """
    (folder, mine), (there, theirs) = one, other
    reason = why_not(_must_agree(mine), _must_agree(theirs))
    if reason is not None:
        raise RunFolderError(f"{there} cannot stand in one table with {folder}: {reason}")
    notes = []
    if mine.config.run.seed != theirs.config.run.seed:
        notes.append(f"{there} has another seed than {folder}: its people begin otherwise, so pairs are less alike.")
    if mine.code != theirs.code:
        notes.append(f"{there} was made by other code than {folder} (emoharbor {theirs.emoharbor}).")
    return notes


def _must_agree(manifest: Manifest) -> Mapping[str, object]:
    """What has to be the same: who plays the person and judges, how, on what, and the people."""
    run = manifest.config.run
    return {
        "the simulator": {role: _part(manifest, role) for role in manifest.config.cast.user},
        "the judge": _part(manifest, "judge"),
        "the rubric": manifest.rubric.id if manifest.rubric else None,
        "the people": dict(manifest.profiles),
        "the run": {
            "max_turns": run.max_turns, "briefing": run.briefing, "pressure": str(getattr(run, "pressure", None))
        },
        "the prompts": _prompts(manifest),
    }  # fmt: skip


def _part(manifest: Manifest, role: str) -> Mapping[str, object]:
    found = next((item for item in manifest.cast if item.role == role), None)
    if found is None:
        return {}
    settings = manifest.models.get(f"cast.{role}.model", {})
    kept = {name: value for name, value in settings.items() if name not in _HOW_ASKED}
    args = {name: value for name, value in found.args.items() if name != "model"}
    return {"use": found.use, "version": found.version, "args": args, "model": kept}


def _prompts(manifest: Manifest) -> dict[str, str]:
    """Those of the simulator and the judge; a rubric has its own hash."""
    given = {str(value) for item in manifest.cast if item.role == "supporter" for value in item.args.values()}
    return {
        name: found
        for name, found in manifest.prompts.items()
        if name not in given and not name.startswith(("rubrics/", "offline/supporter"))
    }
