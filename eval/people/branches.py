"""The branches that a run has: read from its folder."""

from dataclasses import dataclass
from pathlib import Path

from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.runs.manifest import BranchOf, read_manifest
from emoharbor.eval.store.folder import MANIFEST
from emoharbor.state.errors import RunFolderError

FOLDER = "branches"
"""Where the branches of a run lie, in its folder."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch that exists.

    Attributes:
        folder: its run folder.
        of: the episode and turn it comes from.
        key: its episode.
    """

    folder: Path
    of: BranchOf
    key: EpisodeKey

    @property
    def name(self) -> str:
        """Name of its folder."""
        return self.folder.name


def branches(folder: Path | str, episode: EpisodeKey | None = None) -> list[Branch]:
    """Return the branches of a run, or of one of its episodes, by name."""
    found = [_read(item.parent) for item in sorted((Path(folder) / FOLDER).glob(f"*/{MANIFEST}"))]
    return [item for item in found if episode is None or item.of.episode == str(episode)]


def _read(folder: Path) -> Branch:
    manifest = read_manifest(folder)
    if manifest.branch_of is None:
        raise RunFolderError(f"{folder}: lies among branches and is none")
    repeat = EpisodeKey.parse(manifest.branch_of.episode).repeat
    key = EpisodeKey(profile=next(iter(manifest.profiles)), supporter=manifest.config.supporters[0].name, repeat=repeat)
    return Branch(folder, manifest.branch_of, key)
