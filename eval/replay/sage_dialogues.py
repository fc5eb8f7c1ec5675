"""Reading SAGE's published dialogues: files called `SIMULATOR__SUPPORTER.jsonl` or `.jsonl.gz`, one dialogue a line."""

import gzip
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import AnyMessage
from pydantic import ValidationError

from emoharbor.profiles.importers.fields import BadRowError
from emoharbor.profiles.importers.rows import Refused, json_lines
from emoharbor.profiles.importers.sage import read_sage
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.dialogue import supporter_message, user_message
from emoharbor.state.errors import ConfigError
from emoharbor.state.outcome import Outcome

LOWEST, HIGHEST = 0, 100
"""Of the emotion."""
_SUCCESS, _FAILURE = 100, 10
"""From the one on, and below the other, SAGE's people end the talk."""
_SUFFIXES = (".jsonl.gz", ".jsonl")
_ALIASES = {"gpt-4o-0808": "gpt-4o-0806"}
"""One published model, spelled two ways in the file names."""
_MAX_BYTES = 500_000_000
_FIELD = "emotion-point"
Known = dict[tuple[object, ...], PartialProfile]
"""The people read so far: every file repeats them."""


@dataclass(frozen=True, slots=True)
class SageDialogue:
    """One dialogue.

    Attributes:
        profile: the person.
        messages: user first, alternating.
        emotion: after the person's last message, 0 to 100.
    """

    profile: PartialProfile
    messages: tuple[AnyMessage, ...]
    emotion: int

    @property
    def ending(self) -> tuple[Outcome, str]:
        """How it ended, and why."""
        if self.emotion >= _SUCCESS:
            return Outcome.USER_SATISFIED, f"emotion reached {_SUCCESS}"
        if self.emotion < _FAILURE:
            return Outcome.USER_LEFT, f"emotion fell below {_FAILURE}"
        if self.messages[-1].type == "ai":
            return Outcome.TURN_CAP, "the last round is over"
        return Outcome.USER_LEFT, "said goodbye"


def files_of(paths: Sequence[Path]) -> tuple[str, dict[str, Path]]:
    """Return the simulator, and the file of each supporter.

    Raises:
        ConfigError: for a file called otherwise, or files of several simulators.
    """
    found: dict[str, dict[str, Path]] = {}
    for path in _each(paths):
        stem = next((path.name.removesuffix(end) for end in _SUFFIXES if path.name.endswith(end)), "")
        simulator, parted, supporter = stem.partition("__")
        if not (parted and simulator and supporter):
            raise ConfigError(f"{path}: a file of SAGE's dialogues is called SIMULATOR__SUPPORTER.jsonl or .jsonl.gz")
        named = found.setdefault(simulator, {})
        other = named.setdefault(_ALIASES.get(supporter, supporter), path)
        if other is not path:
            raise ConfigError(f"{path}: holds the same supporter as {other}; name one of the two")
    if not found:
        raise ConfigError(f"{', '.join(map(str, paths))}: holds no file called SIMULATOR__SUPPORTER.jsonl or .jsonl.gz")
    if len(found) > 1:
        raise ConfigError(
            f"these files come from {len(found)} simulators ({', '.join(sorted(found))}), which make a run each; name "
            f"those of one, such as {paths[0] if paths[0].is_dir() else paths[0].parent}/{sorted(found)[0]}__*"
        )
    return next(iter(found.items()))


def _each(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(item for item in path.iterdir() if item.name.endswith(_SUFFIXES))
        else:
            yield path


def dialogues_of(path: Path, people: Known) -> Iterator[tuple[str, SageDialogue]]:
    """Yield the dialogues of a file with the id of the person.

    Args:
        path: the file.
        people: the people known already; those met here are added.

    Raises:
        ConfigError: naming file, line, and what is wrong.
    """
    seen: set[str] = set()
    for row in json_lines(_content(path)):
        if isinstance(row, Refused):
            raise ConfigError(f"{path}:{row.line}: {row.reason}")
        try:
            found = _dialogue(row.data, people)
        except (BadRowError, ValidationError) as error:
            raise ConfigError(f"{path}:{row.line}: is no dialogue of SAGE: {str(error).splitlines()[0]}") from None
        if found.profile.id in seen:
            raise ConfigError(f"{path}:{row.line}: {found.profile.id} talks twice in this file")
        seen.add(found.profile.id)
        yield found.profile.id, found
    if not seen:
        raise ConfigError(f"{path}: holds no dialogue")


def _content(path: Path) -> bytes:
    try:
        with gzip.open(path) if path.name.endswith(".gz") else path.open("rb") as file:
            found = file.read(_MAX_BYTES + 1)
    except (OSError, EOFError) as error:
        raise ConfigError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(found) > _MAX_BYTES:
        raise ConfigError(f"{path}: holds more than {_MAX_BYTES} bytes")
    return found


def _dialogue(row: Mapping[str, Any], people: Known) -> SageDialogue:
    history = row.get("history")
    if not isinstance(history, list) or not history or not all(isinstance(item, dict) for item in history):
        raise BadRowError("field 'history' is no list of messages")
    messages: list[AnyMessage] = []
    for at, item in enumerate(history):
        wanted, content = ("user", "assistant")[at % 2], item.get("content")
        if item.get("role") != wanted or not isinstance(content, str):
            raise BadRowError(f"message {at} of 'history' is no text by {wanted}")
        messages.append((supporter_message if at % 2 else user_message)(at // 2, content))
    felt = history[-1 if len(history) % 2 else -2].get(_FIELD)
    if not isinstance(felt, int) or not LOWEST <= felt <= HIGHEST:
        raise BadRowError(f"the last {_FIELD!r} is {felt!r}, not a whole number from {LOWEST} to {HIGHEST}")
    return SageDialogue(_person(row, history[0]["content"], people), tuple(messages), felt)


def _person(row: Mapping[str, Any], opening: str, people: Known) -> PartialProfile:
    key = (*(str(row.get(name)) for name in ("id", "player", "scene", "task", "character")), opening)
    if key not in people:
        people[key] = read_sage({**row, "first_talk": opening, "main_cha": row.get("character")})
    return people[key]
