"""Small helpers that importers share."""

from collections.abc import Iterable, Mapping
from typing import Any

from emoharbor.profiles.schema import Provenance
from emoharbor.state.text import is_blank

UNKNOWN = frozenset({"", "not mentioned", "none mentioned", "unknown", "n/a", "未提及", "未知", "无"})
"""What sources write where they know nothing."""


class BadRowError(ValueError):
    """A row that cannot be a person; the message says why in one line."""


def text(row: Mapping[str, Any], name: str) -> str:
    """Return a field that has to be filled text, without white space at its ends and at the ends of its lines.

    Raises:
        BadRowError: when it is missing, no text, or blank.
    """
    found = row.get(name)
    if not isinstance(found, str):
        raise BadRowError(f"field {name!r} is {'missing' if found is None else 'no text'}")
    if is_blank(found):
        raise BadRowError(f"field {name!r} is blank")
    return "\n".join(line.rstrip() for line in found.strip().splitlines())


def known(value: str | None) -> str | None:
    """Return a value, or None for what a source writes where it knows nothing."""
    if value is None or value.strip().rstrip(".").casefold() in UNKNOWN:
        return None
    return value.strip()


def number(value: str | None) -> int | None:
    """Return a whole number; None for words such as `young`."""
    digits = (value or "").strip()
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= 3 else None


def joined(parts: Iterable[str | None]) -> str | None:
    """Return the parts that say something as paragraphs, or None."""
    return "\n\n".join(part.strip() for part in parts if part and not is_blank(part)) or None


def origin(source: str, licence: str, fields: Mapping[str, object]) -> Provenance:
    """Return where a person comes from; `fields` are the sheet's, of which those that are known came from the data."""
    return Provenance(from_data=tuple(name for name, value in fields.items() if value), source=source, licence=licence)
