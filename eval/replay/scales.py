"""Ratings of a recording on one scale: each dialogue may have been rated on its own."""

from collections import Counter

from emoharbor.nodes.recording import RecordedDialogue, Recording

Scale = tuple[int, int]


def on_one_scale(recording: Recording) -> tuple[Recording, int]:
    """Return a recording whose ratings all lie on the scale that most dialogues have, and how many had another.

    A value keeps its place between lowest and highest.
    """
    scales = Counter(item.scale for item in recording.dialogues)
    if len(scales) < 2:
        return recording, 0
    (common, count), *_ = scales.most_common()
    moved = Recording(item if item.scale == common else _moved(item, common) for item in recording.dialogues)
    return moved, len(recording.dialogues) - count


def _moved(dialogue: RecordedDialogue, to: Scale) -> RecordedDialogue:
    low, high = dialogue.scale

    def place(value: float) -> float:
        return to[0] + (value - low) / (high - low) * (to[1] - to[0])

    turns = tuple(
        turn.model_copy(update={"feedback": tuple(place(star) for star in turn.feedback)}) for turn in dialogue.turns
    )
    return dialogue.model_copy(
        update={
            "scale": to,
            "turns": turns,
            "greeting_feedback": tuple(place(star) for star in dialogue.greeting_feedback),
            "ratings": {name: place(value) for name, value in dialogue.ratings.items()},
        }
    )
