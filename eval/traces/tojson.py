"""JSON of whatever nodes and models were given and gave back. What is plain goes the short way, a third of the time."""

from functools import lru_cache
from typing import Any

import orjson
from pydantic_core import to_json, to_jsonable_python

from emoharbor.state.base import Frozen
from emoharbor.state.text import clean

# pydantic's forms of these are what LangSmith shows
_OPTIONS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS


def plain_json(value: Any) -> bytes:
    """Return JSON, models without fields that are None, and what has no form in JSON as its `repr`.

    Raises:
        ValueError: for a lone surrogate.
    """
    try:
        return orjson.dumps(value, _rest, _OPTIONS)
    except TypeError:  # a key that is no text, an integer of more than 64 bits, or what pydantic has no form for either
        return to_json(value, exclude_none=True, serialize_unknown=True, inf_nan_mode="null")


def any_json(value: Any) -> bytes:
    """Return JSON of whatever it is; of what has none, how it prints."""
    try:
        return plain_json(value)
    except ValueError:
        return to_json({"unreadable": clean(repr(value))})


def json_row(*values: Any) -> bytes:
    """Return JSON of a list of values, of which bytes are JSON already."""
    try:
        return orjson.dumps(
            [orjson.Fragment(value) if isinstance(value, bytes) else value for value in values], _rest, _OPTIONS
        )
    except TypeError:  # only what is to blame is left out
        return b"[%b]" % b",".join(value if isinstance(value, bytes) else any_json(value) for value in values)


def _rest(value: Any) -> Any:
    if isinstance(value, Frozen) and _is_all_fields(type(value)):
        return {name: field for name, field in vars(value).items() if field is not None}
    return to_jsonable_python(value, exclude_none=True, serialize_unknown=True, inf_nan_mode="null")


@lru_cache(maxsize=256)
def _is_all_fields(kind: type[Frozen]) -> bool:
    """Tell whether pydantic would write the fields of a model as they are."""
    made = kind.__pydantic_decorators__
    return not (made.field_serializers or made.model_serializers or made.computed_fields)
