"""Keys where no key may be: found in a config. Hiding them in the text of an error is `state/secrets.py`."""

import re
from collections.abc import Iterator, Mapping

from emoharbor.state.secrets import KNOWN, hide_secrets

__all__ = ["find_secrets", "hide_secrets"]
Place = tuple[int | str, ...]

_NAMES = frozenset(
    {"apikey", "xapikey", "key", "token", "accesstoken", "password", "secret", "authorization", "bearer"}
)
_TO_REFUSE = re.compile(rf"{KNOWN}|\b[0-9a-fA-F]{{32,}}\b")  # in a config, a long hexadecimal number is a key too


def find_secrets(data: object, path: Place = ()) -> Iterator[Place]:
    """Yield where something looks like a key, by its name or by its value."""
    if isinstance(data, Mapping):
        for name, value in data.items():
            below = (*path, str(name))
            if _is_name(str(name)) and isinstance(value, str):
                yield below
            else:
                yield from find_secrets(value, below)
    elif isinstance(data, list | tuple):
        for index, item in enumerate(data):
            yield from find_secrets(item, (*path, index))
    elif isinstance(data, str) and _TO_REFUSE.search(data):
        yield path


def _is_name(name: str) -> bool:
    return name.lower().replace("-", "").replace("_", "") in _NAMES
