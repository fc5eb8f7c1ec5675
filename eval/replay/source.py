"""What a replayed run plays: the recording, and what the manifest says of it."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from emoharbor.nodes.recording import Recording, load_recording
from emoharbor.state.base import Frozen
from emoharbor.state.episode import EpisodeState
from emoharbor.state.errors import CastError, RunFolderError

RECORDING = "recording.jsonl"
"""The file of a run folder that holds the dialogues, the people, and the people's own ratings."""


class ReplayRecord(Frozen):
    """Where a replayed run comes from."""

    format: str
    files: dict[str, str]
    """sha256 of each file, by name."""
    source: str
    licence: str
    recording: str
    """sha256 of the dialogues as they are played."""
    turns: dict[str, int]
    """How long each dialogue is, by person/supporter: its turn cap."""


@dataclass(frozen=True)
class Replay:
    """A recording to be played.

    Attributes:
        recording: the dialogues.
        format: of the files.
        files: sha256 by name.
        source: who published them.
        licence: under which terms.
    """

    recording: Recording
    format: str
    files: Mapping[str, str]
    source: str
    licence: str

    @cached_property
    def record(self) -> ReplayRecord:
        """What the manifest says."""
        return ReplayRecord(
            format=self.format,
            files=dict(self.files),
            source=self.source,
            licence=self.licence,
            recording=hashlib.sha256(self.recording.text().encode()).hexdigest(),
            turns={"/".join(found.key): len(found.turns) for found in self.recording.dialogues},
        )

    def begun(self, state: EpisodeState) -> EpisodeState:
        """Return the first state of a recorded dialogue: as long as the record, its words taken as they are."""
        found = self.recording.by_key.get((state.profile_id, state.supporter))
        turns = state.max_turns if found is None else len(found.turns)
        return state.model_copy(update={"recorded": True, "max_turns": turns})


def recording_of(folder: Path) -> Recording:
    """Read the recording of a replayed run.

    Raises:
        RunFolderError: when it is not there, or broken.
    """
    try:
        return load_recording(folder / RECORDING)
    except CastError as error:
        raise RunFolderError(str(error)) from None
