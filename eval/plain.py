"""A value as JSON has it, for manifests and hashes."""

from collections.abc import Mapping
from typing import Any

from emoharbor.nodes.spec import PartSpec
from emoharbor.state.base import Frozen


def plain(value: Any) -> Any:
    """Return a value as JSON has it; objects that are not ours, given in Python, by their names only.

    Somebody's model or agent may be a pydantic model too: dumping it could give away a key, or never end.
    """
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Frozen | PartSpec):
        fields = {name: getattr(value, name) for name in type(value).model_fields}
        return plain({**fields, **(value.model_extra or {})})
    return _named(value)


def _named(value: object) -> str:
    kind = type(value)
    return f"{getattr(value, '__module__', kind.__module__)}:{getattr(value, '__qualname__', kind.__qualname__)}"
