"""Keys where no key may be: told by the name of a field, and hidden in the text of an error, which may be anybody's."""

import re

KNOWN = (
    r"\b(?:sk|pk|rk|gsk|hf|xai|nvapi|ghp|lsv2|pplx)[-_][A-Za-z0-9_-]{8,}"  # the prefixes of the known providers
    r"|\bAIza[A-Za-z0-9_-]{20,}"
    r"|\bBearer\s+[A-Za-z0-9._~+/=-]{8,}"
    r"|(?<=://)[^/\s:@\"]+:[^/\s@\"]+(?=@)"  # a password inside an address
)
"""What looks like a key by its form."""
_TO_HIDE = re.compile(KNOWN)
_NAMES = frozenset(
    {"apikey", "xapikey", "key", "token", "accesstoken", "password", "secret", "authorization", "bearer"}
)


def hide_secrets(text: str) -> str:
    """Return a text without anything that looks like a key."""
    return _TO_HIDE.sub("[key]", text)


def names_a_secret(name: str) -> bool:
    """Tell whether a field of this name holds a key, if it holds a text."""
    return name.lower().replace("-", "").replace("_", "") in _NAMES
