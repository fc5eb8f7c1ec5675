"""Reading a structured reply: strictly first, then from its wrapping, then repaired; and never more than it says."""

import json
import re
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from emoharbor.nodes.models.jsontext import Misread, NoJson, objects, repaired, strictly
from emoharbor.state.text import clean

T = TypeVar("T", bound=BaseModel)

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_LISTED = 5


def read(text: str, schema: type[T]) -> T:
    """Return the value of `schema` that a reply holds.

    The whole text is read as JSON; failing that, the objects in it (in fences or in prose; the last that fits counts,
    since models correct themselves); failing that, the last of them repaired.

    Raises:
        Misread: saying what is wrong, in words meant for the model.
    """
    try:
        data = strictly(text)
    except NoJson:
        return _from_wrapping(text, schema)
    if isinstance(data, str):
        return read(data, schema)  # JSON written as a JSON string
    if isinstance(data, list) and len(data) == 1:
        data = data[0]
    return validate(data, schema)


def _from_wrapping(text: str, schema: type[T]) -> T:
    problem: Misread | None = None
    candidates = list(objects(text))
    for candidate in reversed(candidates):
        try:
            return validate(strictly(candidate), schema)
        except Misread as wrong:
            problem = problem or wrong
        except NoJson:
            continue
    if problem is None and candidates:
        return validate(repaired(candidates[-1]), schema)
    raise problem or Misread("the reply holds no complete JSON object", found="{" in text)


def validate(data: object, schema: type[T]) -> T:
    """Return parsed JSON as a value of `schema`.

    A number written as text counts as that number where the schema wants one; true and false never do.

    Raises:
        Misread: naming each field that does not fit.
    """
    if not isinstance(data, dict):
        raise Misread(f"the reply is {_kind(data)}, not a JSON object", found=False)
    try:
        return _validated(json.dumps(data), schema)
    except ValidationError as error:
        raise Misread(_listed(error.errors(include_url=False)), found=True) from None
    except RecursionError:
        raise Misread("the reply is nested too deeply", found=True) from None


def _validated(text: str, schema: type[T]) -> T:
    try:
        return schema.model_validate_json(text, strict=True)
    except ValidationError as strict:
        wrong = [error for error in strict.errors(include_url=False) if _is_no_number(error)]
        if wrong:
            raise Misread(_listed(wrong), found=True) from None
    return schema.model_validate_json(text)


def _is_no_number(error: ErrorDetails) -> bool:
    """Tell whether a value stands for a number but is none: true, "nan", "4/5"."""
    if error["type"] not in ("int_type", "float_type"):
        return False
    value = error["input"]
    return isinstance(value, bool) or (isinstance(value, str) and not _NUMBER.fullmatch(value.strip()))


def _listed(errors: list[ErrorDetails]) -> str:
    lines = [
        f"{'.'.join(str(step) for step in error['loc']) or 'the object'}: {error['msg']} (got {_brief(error['input'])})"
        for error in errors[:_LISTED]
    ]
    more = len(errors) - _LISTED
    return clean("; ".join([*lines, *([f"and {more} more"] if more > 0 else [])]))


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:80] + "…"


def _kind(data: object) -> str:
    return {list: "a list", str: "a text", type(None): "null"}.get(type(data), "a single value")
