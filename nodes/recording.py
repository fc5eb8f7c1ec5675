"""A recording: dialogues of real people, with what is known of the person and how they rated the talk themselves.

The file is JSON lines, one dialogue a line (docs/replay.md). A recording of many dialogues is played by two nodes that
know nothing of one another: the speaker finds its line by the person and the dialogue so far; the supporter is never
told whom it talks with, so it finds its line by the seed of the request and the message it answers.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Self

from langchain_core.messages import AIMessage, AnyMessage
from pydantic import Field, ValidationError, model_validator

from emoharbor.profiles.schema import PartialProfile, ProfileId
from emoharbor.state.base import FilledText, Frozen, Text
from emoharbor.state.dialogue import said
from emoharbor.state.errors import CastError
from emoharbor.state.seeds import derive_seed
from emoharbor.state.text import clean
from emoharbor.state.yamlfile import problem

_MAX_BYTES = 200_000_000
Stars = tuple[float, ...]
"""Feedback given with one message, on the recording's scale; mostly empty, seldom more than one."""


class RecordedTurn(Frozen):
    """What the person said, and what was answered."""

    user: FilledText
    supporter: FilledText | None = None
    """None only in the last turn: a message that nobody answered."""
    feedback: Stars = ()
    """What the person gave, with this message, for the supporter's words just before it."""


class RecordedDialogue(Frozen):
    """One dialogue of one person."""

    profile: PartialProfile
    supporter: FilledText = "recorded"
    """Name of the one who supported, or of the system."""
    greeting: Text = ""
    """What the supporter said before the person's first word; it answers nothing, so no turn holds it."""
    greeting_feedback: Stars = ()
    turns: Annotated[tuple[RecordedTurn, ...], Field(min_length=1)]
    scale: tuple[int, int] = (1, 5)
    """Lowest and highest of all ratings here."""
    ratings: dict[str, float] = Field(default_factory=dict)
    """The person's own, in no role's sight: `before` and `after` (strength of the emotion), `empathy`, `relevance`,
    or any dimension of a rubric."""
    label: str | None = None
    """A group to tell dialogues apart by, for example `failed`."""
    about: dict[str, Text] = Field(default_factory=dict)
    """What else the source says, as text; nothing is computed from it."""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if any(turn.supporter is None for turn in self.turns[:-1]):
            msg = "only the last turn may lack an answer"
            raise ValueError(msg)
        low, high = self.scale
        given = [
            *self.ratings.values(),
            *self.greeting_feedback,
            *(star for turn in self.turns for star in turn.feedback),
        ]
        if low >= high:
            msg = f"the scale runs from {low} to {high}; low has to be below high"
            raise ValueError(msg)
        if any(not low <= value <= high for value in given):
            msg = f"a rating lies outside the scale of {low} to {high}"
            raise ValueError(msg)
        return self

    @property
    def id(self) -> ProfileId:
        """Id of the person."""
        return self.profile.id

    @property
    def key(self) -> tuple[str, str]:
        """Person and supporter: what an episode of the run is called by."""
        return self.profile.id, self.supporter


class Recording:
    """Dialogues by person and supporter, in the order of their source."""

    def __init__(self, dialogues: Iterable[RecordedDialogue], places: Sequence[str] = ()) -> None:
        """Take them in.

        Args:
            dialogues: in the order of their source.
            places: where each of them stands, for errors.

        Raises:
            CastError: when two cannot be told apart: the same person and supporter twice, two beginnings of one person,
                or two supporters' dialogues that part although the same was said to the same person.
        """
        self.dialogues = tuple(dialogues)
        self.by_key: Mapping[tuple[str, str], RecordedDialogue] = _keyed(self.dialogues, places)
        self._of_person: dict[str, list[RecordedDialogue]] = {}
        for dialogue in self.dialogues:
            self._of_person.setdefault(dialogue.id, []).append(dialogue)
        for found in self._of_person.values():
            _told_apart(found)

    @property
    def people(self) -> dict[str, PartialProfile]:
        """The people by id."""
        return {name: found[0].profile for name, found in self._of_person.items()}

    @property
    def supporters(self) -> tuple[str, ...]:
        """Names of the supporters, in order of appearance."""
        return tuple(dict.fromkeys(dialogue.supporter for dialogue in self.dialogues))

    def heard_by(self, person: str, messages: Sequence[AnyMessage]) -> RecordedDialogue:
        """Return the dialogue of a person in which just this was answered so far.

        Raises:
            CastError: when there is none: a recorded person cannot answer anybody else.
        """
        replies = said(messages, AIMessage)
        for dialogue in self._of_person.get(person, ()):
            if [turn.supporter for turn in dialogue.turns[: len(replies)]] == replies:
                return dialogue
        raise CastError(f"{person}: a recorded person answers only what they were really told; this was not")

    def answers(self, supporter: str, seed: int) -> "Answers":
        """Return one supporter's lines for a run of this seed."""
        return Answers({
            (derive_seed(seed, found.id, 0, supporter, "supporter", number), clean(turn.user)): turn.supporter
            for found in self.dialogues
            if found.supporter == supporter
            for number, turn in enumerate(found.turns)
            if turn.supporter is not None
        })  # fmt: skip

    def text(self) -> str:
        """Return the recording as the file has it."""
        lines = (
            json.dumps(item.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False)
            for item in self.dialogues
        )
        return "".join(f"{line}\n" for line in lines)


class Answers:
    """One supporter's lines, by the seed of a request and the message it answers.

    Of 31 bits, two seeds in some thousands of turns may be equal. It is an object, so that no manifest holds the lines.
    """

    def __init__(self, lines: Mapping[tuple[int, str], str]) -> None:
        self._lines = lines

    def get(self, seed: int, message: str) -> str | None:
        """Return the line, or None when there is none."""
        return self._lines.get((seed, message))


def load_recording(path: Path) -> Recording:
    """Read a recording.

    Raises:
        CastError: naming file, line, and what is wrong.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise CastError(f"{path}: a recording has at most {_MAX_BYTES} bytes; cut it into several")
        # not splitlines: a JSON string may hold the other line separators
        rows = path.read_text("utf-8-sig").split("\n")
    except OSError as error:
        raise CastError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise CastError(f"{path}: not UTF-8; save the file as UTF-8") from None
    found = [_dialogue(path, number, row) for number, row in enumerate(rows, 1) if row.strip()]
    if not found:
        raise CastError(f"{path}: holds no dialogue")
    try:
        return Recording(found)
    except CastError as error:
        raise CastError(f"{path}: {error}") from None


def _dialogue(path: Path, number: int, row: str) -> RecordedDialogue:
    try:
        return RecordedDialogue.model_validate(json.loads(row))
    except ValidationError as error:
        raise CastError(f"{path}:{number}: {problem(error, RecordedDialogue)}") from None
    except RecursionError:
        raise CastError(f"{path}:{number}: broken JSON: nested too deeply") from None
    except ValueError as error:
        raise CastError(
            f"{path}:{number}: broken JSON: {getattr(error, 'msg', 'a number has too many digits')}"
        ) from None


def _keyed(dialogues: Sequence[RecordedDialogue], places: Sequence[str]) -> dict[tuple[str, str], RecordedDialogue]:
    found: dict[tuple[str, str], int] = {}
    for number, dialogue in enumerate(dialogues):
        if dialogue.key in found:
            person, supporter = dialogue.key
            where = f" ({places[found[dialogue.key]]} and {places[number]})" if places else ""
            raise CastError(
                f"{person} talks with {supporter!r} twice{where}; give each dialogue a profile id of its own"
            )
        found[dialogue.key] = number
    return {key: dialogues[number] for key, number in found.items()}


def _told_apart(found: Sequence[RecordedDialogue]) -> None:
    """Check that the dialogues of one person share their beginning, and part only after different answers."""
    said_after: dict[tuple[str | None, ...], tuple[str, bool]] = {}
    for dialogue in found:
        for number, turn in enumerate(dialogue.turns):
            heard = tuple(earlier.supporter for earlier in dialogue.turns[:number])
            says = (clean(turn.user), turn.supporter is None)
            if said_after.setdefault(heard, says) != says:
                raise CastError(
                    f"{dialogue.id} goes on differently at turn {number} of two dialogues though the same was said; "
                    "give each dialogue a profile id of its own"
                )
