"""Keys where no key may be: found in a config, hidden in the text of an error."""

import re
from collections.abc import Iterator, Mapping

Place = tuple[int | str, ...]

_NAMES = frozenset({"apikey", "key", "token", "accesstoken", "password", "secret", "authorization", "bearer"})
_KNOWN = (
    r"\b(?:sk|pk|rk|gsk|hf|xai|nvapi|ghp|lsv2|pplx)[-_][A-Za-z0-9_-]{8,}"  # the prefixes of the known providers
    r"|\bAIza[A-Za-z0-9_-]{20,}"
    r"|\bBearer\s+[A-Za-z0-9._~+/=-]{8,}"
    r"|(?<=://)[^/\s:@\"]+:[^/\s@\"]+(?=@)"  # a password inside an address
)
_TO_HIDE = re.compile(_KNOWN)
_TO_REFUSE = re.compile(rf"{_KNOWN}|\b[0-9a-fA-F]{{32,}}\b")  # in a config, a long hexadecimal number is a key too


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


def hide_secrets(text: str) -> str:
    """Return a text without anything that looks like a key."""
    return _TO_HIDE.sub("[key]", text)


def _is_name(name: str) -> bool:
    return name.lower().replace("-", "").replace("_", "") in _NAMES
