"""Serving the viewer on this machine."""

import secrets
import socket
from collections.abc import Callable

import uvicorn

from emoharbor.eval.viewer.app import make_app
from emoharbor.eval.viewer.guard import TOKEN
from emoharbor.eval.viewer.library import Library
from emoharbor.state.errors import ConfigError

HOST = "127.0.0.1"
PORT = 8642
"""Taken when it is free and no other is asked for."""


def serve(library: Library, port: int | None, tell: Callable[[str], None]) -> None:
    """Serve until the process is told to stop.

    Args:
        library: the runs.
        port: of this machine; None takes the usual one, or any that is free.
        tell: is told the address once it answers.

    Raises:
        ConfigError: when the port is taken.
    """
    listening = listen_on(port)
    number = int(listening.getsockname()[1])
    token = secrets.token_urlsafe(24)
    settings = uvicorn.Config(
        make_app(library, token, number), log_level="warning", access_log=False, server_header=False, lifespan="on",
        timeout_graceful_shutdown=3, proxy_headers=False, ws="none",
    )  # fmt: skip
    server = _Telling(settings, lambda: tell(f"http://{HOST}:{number}/?{TOKEN}={token}"))
    try:
        server.run(sockets=[listening])
    finally:
        listening.close()


class _Telling(uvicorn.Server):
    """A server that says when it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        self._ready()


def listen_on(port: int | None) -> socket.socket:
    """Take a port: the one that is named, else the usual one, or any that is free.

    Raises:
        ConfigError: when the named port is taken.
    """
    for number in (PORT, 0) if port is None else (port,):
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, number))
            listening.listen()  # until then, another viewer that starts just now could take the same port
        except OSError as error:
            listening.close()
            if number == 0 or port is not None:
                raise ConfigError(f"--port {number}: cannot be used: {error.strerror}; name another one") from None
            continue
        return listening
    raise AssertionError  # the loop returns or raises
