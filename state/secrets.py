"""Keys where no key may be: told by the name of a field, and hidden in the text of an error, which may be anybody's."""

import re

_PREFIXES = ("sk", "pk", "rk", "gsk", "hf", "xai", "nvapi", "ghp", "lsv2", "pplx")
KNOWN = (
    rf"\b(?:{'|'.join(_PREFIXES)})[-_][A-Za-z0-9_-]{{8,}}"  # those of the known providers
    r"|\bAIza[A-Za-z0-9_-]{20,}"
    r"|\bBearer\s+[A-Za-z0-9._~+/=-]{8,}"
    r"|(?<=://)[^/\s:@\"]+:[^/\s@\"]+(?=@)"  # a password inside an address
)
"""What looks like a key by its form."""
_TO_HIDE = re.compile(KNOWN)
_SIGNS = (*(prefix + sign for prefix in _PREFIXES for sign in "-_"), "AIza", "Bearer", "://")
"""One of these stands in whatever `KNOWN` finds; most texts have none, which is quicker to see."""
_NAMES = frozenset(
    {"apikey", "xapikey", "key", "token", "accesstoken", "password", "secret", "authorization", "bearer"}
)


def hide_secrets(text: str) -> str:
    """Return a text without anything that looks like a key."""
    return _TO_HIDE.sub("[key]", text) if any(sign in text for sign in _SIGNS) else text


def names_a_secret(name: str) -> bool:
    """Tell whether a field of this name holds a key, if it holds a text."""
    return name.lower().replace("-", "").replace("_", "") in _NAMES
