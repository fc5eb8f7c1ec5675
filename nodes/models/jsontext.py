"""JSON in a text: parsed strictly, found in its wrapping, or repaired."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from json_repair import repair_json

from emoharbor.state.text import clean

_FENCE = re.compile(r"```[\w-]*\s*\n?(.*?)```", re.DOTALL)
_LONGEST_REPAIR = 100_000


class Misread(Exception):  # noqa: N818 - never leaves nodes/models
    """A reply is not a value of the schema.

    Attributes:
        found: whether it holds a JSON object at all.
    """

    def __init__(self, problem: str, *, found: bool) -> None:
        super().__init__(problem)
        self.found = found


class NoJson(Exception):  # noqa: N818 - never leaves nodes/models
    """A text is no JSON."""


def strictly(text: str) -> object:
    """Parse JSON, without NaN, infinities, or a key given twice with two values.

    Raises:
        NoJson: when it is none.
        Misread: when it is JSON that says something impossible.
    """
    try:
        data: object = json.loads(
            text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_without_doubles
        )
    except (ValueError, RecursionError) as error:
        raise NoJson(str(error)) from None
    return _cleaned(data) if "\\u" in text else data


def is_complete(text: str) -> bool:
    """Tell whether a text is one whole JSON object."""
    try:
        return isinstance(strictly(text), dict)
    except (NoJson, Misread):
        return False


def _no_constant(name: str) -> float:
    raise Misread(f"{name} is not a number that counts; give a finite one", found=True)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Misread(f"{text} is too large a number", found=True)
    return number


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    data = dict(pairs)
    if len(data) != len(pairs):
        for key, value in pairs:
            if data[key] != value:
                raise Misread(f"{key!r} is given twice, with two values", found=True)
    return data


def _cleaned(data: Any) -> Any:
    """Replace lone surrogates, which JSON can write as escapes."""
    if isinstance(data, str):
        return clean(data)
    if isinstance(data, list):
        return [_cleaned(item) for item in data]
    if isinstance(data, dict):
        return {clean(key): _cleaned(value) for key, value in data.items()}
    return data


def objects(text: str) -> Iterator[str]:
    """Yield the texts of the complete objects in a reply, in order; one that was cut off is none."""
    for block in _FENCE.findall(text) or [text]:
        at = block.find("{")
        while at >= 0:
            end = _end_of_object(block, at)
            if end is None:
                break
            yield block[at:end]
            at = block.find("{", end)


def _end_of_object(text: str, start: int) -> int | None:
    """Return the index after the bracket that closes the one at `start`, or None; brackets in strings do not count."""
    depth, quoted, escaped = 0, False, False
    for index in range(start, len(text)):
        char = text[index]
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = quoted
        elif char == '"':
            quoted = not quoted
        elif not quoted and char in "{}":
            depth += 1 if char == "{" else -1
            if depth == 0:
                return index + 1
    return None


def repaired(text: str) -> object:
    """Repair a complete object: single quotes, trailing commas, comments, Python's constants, unescaped quotes.

    Raises:
        Misread: when the repair holds a key or a number that the text does not.
    """
    if len(text) > _LONGEST_REPAIR:
        raise Misread("the reply is no valid JSON", found=True)
    try:
        mended = repair_json(text, ensure_ascii=False)
    except (ValueError, RecursionError, IndexError, KeyError, TypeError, AttributeError):
        raise Misread("the reply is no valid JSON", found=True) from None
    try:
        data = strictly(mended)
    except NoJson:
        raise Misread("the reply is no valid JSON", found=True) from None
    if not all(_stands_in(text, item) for item in _parts(data)):
        raise Misread("the reply is no valid JSON, and what it means cannot be told", found=True)
    return data


def _parts(data: object) -> Iterator[str | float]:
    """Yield every key and number of parsed JSON; a key ends with its colon."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield f"{key}:"
            yield from _parts(value)
    elif isinstance(data, list):
        for item in data:
            yield from _parts(item)
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield data


def _stands_in(text: str, item: str | float) -> bool:
    if isinstance(item, str):
        return re.search(re.escape(item[:-1]) + r"[\"'“”]?\s*:", text) is not None
    return re.search(rf"(?<![\w./-]){re.escape(json.dumps(item))}(?=[\s,}}\]])", text) is not None
