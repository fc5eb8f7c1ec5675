"""Keys where no key may be: found in a config. Hiding them in the text of an error is `state/secrets.py`."""

import re
from collections.abc import Iterator, Mapping

from emoharbor.state.secrets import KNOWN, hide_secrets, names_a_secret

__all__ = ["find_secrets", "hide_secrets"]
Place = tuple[int | str, ...]

_TO_REFUSE = re.compile(rf"{KNOWN}|\b[0-9a-fA-F]{{32,}}\b")  # in a config, a long hexadecimal number is a key too


def find_secrets(data: object, path: Place = ()) -> Iterator[Place]:
    """Yield where something looks like a key, by its name or by its value."""
    if isinstance(data, Mapping):
        for name, value in data.items():
            below = (*path, str(name))
            if names_a_secret(str(name)) and isinstance(value, str):
                yield below
            else:
                yield from find_secrets(value, below)
    elif isinstance(data, list | tuple):
        for index, item in enumerate(data):
            yield from find_secrets(item, (*path, index))
    elif isinstance(data, str) and _TO_REFUSE.search(data):
        yield path
