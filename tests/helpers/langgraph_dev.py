"""A real `langgraph dev` for tests, on a free port, ended with all its children."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from helpers.http_json import HOST, ask, free_port

ROOT = Path(__file__).parents[2]
START_SECONDS = 120


class DevServer:
    """A running server."""

    def __init__(self, port: int) -> None:
        self.port = port

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://{HOST}:{self.port}"

    def get(self, path: str) -> Any:
        """Return what a path holds."""
        return ask(self.port, "GET", path)

    def post(self, path: str, body: object) -> Any:
        """Send a body and return the answer."""
        return ask(self.port, "POST", path, body)

    def run(self, graph: str, given: object, thread: str | None = None, **more: object) -> Any:
        """Run a graph to its end and return its final state, or what `__error__` says."""
        where = f"/threads/{thread}/runs/wait" if thread else "/runs/wait"
        return self.post(where, {"assistant_id": graph, "input": given, **more})

    def schemas(self, graph: str) -> Any:
        """Return the schemas of a graph's input, context and output."""
        (assistant,) = self.post("/assistants/search", {"graph_id": graph})
        return self.get(f"/assistants/{assistant['assistant_id']}/schemas")


@contextmanager
def langgraph_dev(folder: Path, more: Mapping[str, str] | None = None) -> Iterator[DevServer]:
    """Start the server with the project's `langgraph.json`, and `more` graphs by name, and end it."""
    settings = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    settings["graphs"] |= more or {}
    (folder / "langgraph.json").write_text(json.dumps(settings), encoding="utf-8")
    port, log = free_port(), folder / "server.log"
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload", "--host", HOST]
    with log.open("wb") as output:
        server = subprocess.Popen(
            [*command, "--port", str(port)],
            cwd=folder,
            env=_environment(),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait_until_up(server, port, log)
        yield DevServer(port)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _environment() -> dict[str, str]:
    """The environment without keys, traces and usage reports."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("LANGSMITH", "LANGCHAIN", "OPENAI"))
    }
    return {**kept, "LANGSMITH_TRACING": "false", "LANGGRAPH_CLI_NO_ANALYTICS": "1", "PYTHONUNBUFFERED": "1"}


def _wait_until_up(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            ask(port, "GET", "/ok", seconds=5)
        except (OSError, AssertionError):
            time.sleep(0.1)
        else:
            return
    msg = f"langgraph dev did not start; its log ends: {log.read_text(errors='replace')[-3000:]}"
    raise AssertionError(msg)
