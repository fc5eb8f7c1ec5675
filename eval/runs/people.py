"""The people of a run, for whoever reads it: tables, pages, forms."""

from collections.abc import Mapping
from pathlib import Path

from emoharbor.eval.replay.source import recording_of
from emoharbor.eval.runs.manifest import Manifest
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.errors import ProfileError


def people_of(manifest: Manifest, folder: Path | None = None) -> dict[str, PartialProfile]:
    """Return the people of a run by id, in its order; only the id of one whose file is no longer where it was.

    Args:
        manifest: of the run.
        folder: the run's, where a replay keeps its people.

    Raises:
        RunFolderError: when a replay's recording is gone.
    """
    if manifest.replay is not None and folder is not None:
        return recording_of(folder).people
    found: dict[str, PartialProfile] = {}
    for source in manifest.config.profiles if manifest.replay is None else ():
        found |= _found(source)
    return {name: found.get(name) or PartialProfile(id=name) for name in manifest.profiles}


def _found(source: str) -> Mapping[str, PartialProfile]:
    try:
        return load_people(source)
    except ProfileError:
        return {}
