"""Reading a foreign file as rows: each is good, or refused with the reason in one line."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emoharbor.state.errors import ProfileError
from emoharbor.state.yamlfile import parse_yaml

MAX_FILE_BYTES = 100_000_000
MAX_ROW_BYTES = 1_000_000
"""Larger files, and larger rows, are refused."""
_TOO_LONG = "a number has too many digits"
"""The one fault that Python's JSON reader reports as a bare `ValueError`."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row.

    Attributes:
        line: where it begins in the file, from 1; for a JSON array its position, from 1.
        data: its fields.
    """

    line: int
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refused:
    """A row that was not taken, and why."""

    line: int
    reason: str


def read_bytes(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        ProfileError: when it cannot be read or is larger than `MAX_FILE_BYTES`.
    """
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise ProfileError(f"{path}: {size} bytes; at most {MAX_FILE_BYTES} are read; split the file")
        return path.read_bytes()
    except OSError as error:
        raise ProfileError(f"{path}: cannot be read: {error.strerror}") from None


def json_lines(raw: bytes) -> Iterator[Row | Refused]:
    """Yield the rows of JSON lines; a line that is no UTF-8 or no JSON is refused alone."""
    for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            yield _json_line(number, line)


def json_array(raw: bytes) -> Iterator[Row | Refused]:
    """Yield the rows of one JSON array.

    Raises:
        ProfileError: when the whole is no UTF-8, no JSON, or no array.
    """
    try:
        found = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ProfileError(f"line {_line(raw, error.start)}: not UTF-8; save the file as UTF-8") from None
    except json.JSONDecodeError as error:
        raise ProfileError(f"line {error.lineno}: no JSON: {error.msg}") from None
    except RecursionError:
        raise ProfileError("no JSON: nested too deeply") from None
    except ValueError:
        raise ProfileError(f"no JSON: {_TOO_LONG}") from None
    if not isinstance(found, list):
        raise ProfileError("no JSON array; this format is a list of objects")
    for number, item in enumerate(found, start=1):
        yield _row(number, item, len(json.dumps(item)))


def csv_rows(raw: bytes) -> Iterator[Row | Refused]:
    """Yield the rows of a CSV file whose first line names the columns; cells that are blank are left out.

    Raises:
        ProfileError: when it is no UTF-8, or has no line of names.
    """
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProfileError(f"line {_line(raw, error.start)}: not UTF-8; save the file as CSV UTF-8") from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        names = next(reader, None)
    except csv.Error as error:
        raise ProfileError(f"line 1: no CSV: {error}") from None
    if not names:
        raise ProfileError("the file is empty; its first line names the columns")
    at = reader.line_num + 1
    try:
        for cells in reader:
            if cells:
                yield _cells(at, names, cells)
            at = reader.line_num + 1
    except csv.Error as error:
        yield Refused(at, f"no CSV from here on: {error}")


def yaml_document(raw: bytes) -> Iterator[Row | Refused]:
    """Yield the one row of a YAML file that holds one mapping.

    Raises:
        ProfileError: when it is no UTF-8, no YAML, or no mapping.
    """
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProfileError(f"line {_line(raw, error.start)}: not UTF-8; save the file as UTF-8") from None
    if len(raw) > MAX_ROW_BYTES:
        yield _too_large(1, len(raw))
    else:
        yield Row(1, parse_yaml(text, Path("line"), ProfileError, "one person").data)  # errors then read `line:3: ...`


def _cells(line: int, names: list[str], cells: list[str]) -> Row | Refused:
    if len(cells) != len(names):
        return Refused(line, f"{len(cells)} cells where the first line names {len(names)}")
    data = {name: cell.strip() for name, cell in zip(names, cells, strict=True) if cell.strip()}
    return _row(line, data, sum(len(cell) for cell in cells))


def _json_line(number: int, line: bytes) -> Row | Refused:
    if len(line) > MAX_ROW_BYTES:
        return _too_large(number, len(line))
    try:
        return _row(number, json.loads(line.decode("utf-8")), len(line))
    except UnicodeDecodeError:
        return Refused(number, "not UTF-8")
    except json.JSONDecodeError as error:
        return Refused(number, f"no JSON: {error.msg} at character {error.pos + 1}")
    except RecursionError:
        return Refused(number, "no JSON: nested too deeply")
    except ValueError:
        return Refused(number, f"no JSON: {_TOO_LONG}")


def _row(number: int, item: object, size: int) -> Row | Refused:
    if size > MAX_ROW_BYTES:
        return _too_large(number, size)
    if not isinstance(item, dict):
        return Refused(number, f"holds {type(item).__name__}, not an object with fields")
    return Row(number, item)


def _too_large(number: int, size: int) -> Refused:
    return Refused(number, f"{size} bytes; a row has at most {MAX_ROW_BYTES}")


def _line(raw: bytes, position: int) -> int:
    return raw.count(b"\n", 0, position) + 1
