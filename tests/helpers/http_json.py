"""Asking a server on this machine in JSON."""

import json
import socket
from http.client import HTTPConnection
from typing import Any

HOST = "127.0.0.1"


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def ask(port: int, method: str, path: str, body: object = None, *, seconds: float = 120) -> Any:
    """Send a request and return what the answer holds.

    Raises:
        AssertionError: for an answer that is no success.
    """
    connection = HTTPConnection(HOST, port, timeout=seconds)
    try:
        sent = None if body is None else json.dumps(body)
        connection.request(method, path, sent, {"content-type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode()
        assert answer.status < 300, f"{method} {path} gave {answer.status}: {text[:2000]}"
        return json.loads(text)
    finally:
        connection.close()
