"""A recorded person as `speak`: says what they really said, word for word."""

from pathlib import Path

from emoharbor.nodes.contract import Runtime, SpeakNode
from emoharbor.nodes.recording import Recording, load_recording
from emoharbor.state.episode import Channels
from emoharbor.state.errors import CastError
from emoharbor.state.updates import SpeakUpdate


def recorded_speak(recording: Recording | str) -> SpeakNode:
    """Make a `speak` that plays real people.

    Args:
        recording: the dialogues, or the path of a file that holds them.

    Raises:
        CastError: when the file cannot be read.
    """
    book = load_recording(Path(recording)) if isinstance(recording, str) else recording

    async def speak(state: Channels, runtime: Runtime) -> SpeakUpdate:
        del runtime
        dialogue, turn = book.heard_by(state["profile_id"], state["messages"]), state["turn"]
        if turn >= len(dialogue.turns):
            raise CastError(f"{dialogue.id}: the record has {len(dialogue.turns)} turns, not {turn + 1}")
        found = dialogue.turns[turn]
        return SpeakUpdate(message=found.user, ends="over" if found.supporter is None else None)

    return speak
