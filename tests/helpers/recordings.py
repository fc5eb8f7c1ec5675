"""Small recordings, written here: nobody's real words."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from emoharbor.eval.replay.play import play_replay
from emoharbor.eval.replay.source import Replay
from emoharbor.eval.run import Run
from emoharbor.eval.runs.start import Options
from emoharbor.nodes.recording import RecordedDialogue, Recording

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
ESCONV = SHARED / "esconv"


def dialogue(name: str, *lines: str, stars: Sequence[float] = (), **more: Any) -> RecordedDialogue:
    """Return a dialogue of lines by turns, the person first.

    Args:
        name: id of the person.
        lines: what is said; an odd number ends with a message that nobody answered.
        stars: feedback of the second message, the third ...
        more: other fields.
    """
    turns = [
        {
            "user": lines[at],
            "supporter": lines[at + 1] if at + 1 < len(lines) else None,
            "feedback": [stars[at // 2 - 1]] if at and at // 2 <= len(stars) else [],
        }
        for at in range(0, len(lines), 2)
    ]
    profile = {"id": name, "sheet": {"story": "The shop closed.", "feeling": "sadness", "intensity": 8}}
    return RecordedDialogue.model_validate({"profile": profile, "turns": turns, **more})


def replay(*dialogues: RecordedDialogue) -> Replay:
    """Return them as something to play."""
    return Replay(Recording(dialogues), "jsonl", {"dialogues.jsonl": "0" * 64}, "tests", "none")


async def played(folder: Path, *dialogues: RecordedDialogue, cast: Any = None, **options: Any) -> Run:
    """Play them with the offline cast, or another one."""
    return await play_replay(replay(*dialogues), {"cast": cast} if cast else {}, folder, Options(**options))


SHORT = dialogue("ann", "I lost my job.", "That is hard.", "Yes, it is.", "What hurts most?", "The quiet at home.")
ANSWERED = dialogue(
    "bob", "My cat died.", "I'm so sorry about your cat.", "Thank you so much.", "What was she like?",
    "Thank you so much.", "You miss her a lot.", stars=(5, 4),
)  # fmt: skip
