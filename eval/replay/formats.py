"""The table of formats of recorded dialogues, and reading files of them."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from emoharbor.eval.replay import esconv
from emoharbor.eval.replay.source import Replay
from emoharbor.nodes.recording import RecordedDialogue, Recording
from emoharbor.profiles.importers.fields import BadRowError
from emoharbor.profiles.importers.rows import Refused, Row, json_array, json_lines, read_bytes
from emoharbor.state.errors import CastError, ConfigError, ProfileError
from emoharbor.state.yamlfile import problem

Read = Callable[[Mapping[str, Any], int, str | None], RecordedDialogue]


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Attributes:
        about: what the file is, for help texts.
        rows: cuts it into rows.
        read: makes a dialogue of a row, its position over all files from 1, and the label of its file.
        source: who published such files.
        licence: on which terms.
    """

    about: str
    rows: Callable[[bytes], Iterator[Row | Refused]]
    read: Read
    source: str
    licence: str


def _own(row: Mapping[str, Any], position: int, label: str | None) -> RecordedDialogue:
    """Return one dialogue of our own format; a profile may be left out, and is then only an id."""
    given: dict[str, Any] = {"profile": {"id": f"dialogue-{position:04d}"}, **row}
    if label is not None:
        given.setdefault("label", label)
    return RecordedDialogue.model_validate(given)


FORMATS: Mapping[str, Format] = {
    "esconv": Format("ESConv dialogues, a JSON array", json_array, esconv.read_esconv, esconv.SOURCE, esconv.LICENCE),
    "jsonl": Format("our own, JSON lines: see docs/replay.md", json_lines, _own, "files of your own", "not stated"),
}  # fmt: skip
"""Every format, by name."""


def read_replay(paths: Sequence[Path], form: str) -> tuple[Replay, list[str]]:
    """Read recorded dialogues. A row that cannot be played is left out, and said so.

    With several files each dialogue is labelled by the name of its file, unless it has a label of its own.

    Args:
        paths: the files.
        form: their format, a key of `FORMATS`.

    Returns:
        What to play, and one line for each row left out.

    Raises:
        ConfigError: for an unknown format, a file that cannot be read, or files without any dialogue.
    """
    known = FORMATS.get(form)
    if known is None:
        raise ConfigError(f"--format {form}: known: {', '.join(FORMATS)}")
    found: list[RecordedDialogue] = []
    places: list[str] = []
    refused: list[str] = []
    files: dict[str, str] = {}
    position = 0
    for path in paths:
        label = path.stem if len(paths) > 1 else None
        try:
            raw = read_bytes(path)
            rows = list(known.rows(raw))
        except ProfileError as error:
            raise ConfigError(str(error) if str(error).startswith(str(path)) else f"{path}: {error}") from None
        files[path.name] = hashlib.sha256(raw).hexdigest()
        for row in rows:
            position += 1
            made = row if isinstance(row, Refused) else _dialogue(known, row, position, label)
            if isinstance(made, Refused):
                refused.append(f"{path}:{made.line}: left out: {made.reason}")
            else:
                found.append(made)
                places.append(f"{path}:{row.line}")
    if not found:
        raise ConfigError(f"{paths[0]}: holds no dialogue that can be played{'; ' + refused[0] if refused else ''}")
    try:
        recording = Recording(found, places)
    except CastError as error:
        raise ConfigError(f"{paths[0]}: {error}") from None
    return Replay(recording, form, files, known.source, known.licence), refused


def _dialogue(known: Format, row: Row, position: int, label: str | None) -> RecordedDialogue | Refused:
    try:
        return known.read(row.data, position, label)
    except BadRowError as error:
        return Refused(row.line, str(error))
    except ValidationError as error:
        return Refused(row.line, problem(error, RecordedDialogue))
