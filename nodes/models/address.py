"""Addresses of endpoints."""

import ipaddress
from urllib.parse import urlsplit

OPENAI = "https://api.openai.com/v1"
"""The endpoint of a model whose settings name none."""


def problem_of(url: str) -> str | None:
    """Return what is wrong with an address as the base of an endpoint, or None."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return f"{url!r} is no address: {error}"
    if parts.username or parts.password or parts.query or parts.fragment:
        # the address goes into manifests and messages, and must not carry a secret there
        return "the address must hold no user name, password or query; put the key into the variable of api_key_env"
    if parts.scheme not in ("http", "https") or not host:
        return f"{url!r} is no address of an endpoint; write it as https://host/v1"
    return None


def is_loopback(url: str) -> bool:
    """Tell whether an address is this machine's own."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def takes_new_cap(url: str) -> bool:
    """Tell whether an endpoint takes `max_completion_tokens`.

    OpenAI and Azure do, and their reasoning models refuse `max_tokens`. Other servers may ignore the new name in
    silence, and then a reply would have no cap; all of them know the old one.
    """
    host = urlsplit(url).hostname or ""
    return host == "api.openai.com" or host.endswith((".openai.azure.com", ".cognitiveservices.azure.com"))
