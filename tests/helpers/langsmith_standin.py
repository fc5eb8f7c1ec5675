"""A stand-in for LangSmith's ingest API on loopback: takes runs in batches or as multipart, and keeps them."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import zstandard

_INFO = {
    "instance_flags": {"zstd_compression_enabled": True},
    "batch_ingest_config": {
        "use_multipart_endpoint": True,
        "size_limit": 100,
        "size_limit_bytes": 20_000_000,
        "scale_up_qsize_trigger": 1000,
        "scale_up_nthreads_limit": 4,
        "scale_down_nempty_trigger": 4,
    }
}


@dataclass
class Ingest:
    """What was received."""

    runs: dict[str, dict[str, Any]] = field(default_factory=dict)
    uploaded_bytes: int = 0
    url: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, run_id: str, fields: Mapping[str, Any]) -> None:
        """Join what is said about a run: its start, its end, and its parts come one by one."""
        with self._lock:
            self.runs.setdefault(run_id, {"id": run_id}).update({k: v for k, v in fields.items() if v is not None})

    @property
    def roots(self) -> list[dict[str, Any]]:
        """The runs that have no parent: one a trace."""
        return [run for run in self.runs.values() if not run.get("parent_run_id")]

    def children(self, parent: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the runs below one, in the order they ran."""
        below = [run for run in self.runs.values() if run.get("parent_run_id") == parent["id"]]
        return sorted(below, key=lambda run: str(run["dotted_order"]))


@contextmanager
def langsmith_standin() -> Iterator[Ingest]:
    """Serve on a free port of this machine."""
    ingest = Ingest()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(ingest))
    ingest.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield ingest
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(ingest: Ingest) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(_INFO if self.path.endswith("/info") else {})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "zstd":
                body = zstandard.ZstdDecompressor().decompressobj().decompress(body)
            ingest.uploaded_bytes += len(body)
            if self.path.endswith("/runs/multipart"):
                _take_parts(ingest, self.headers["content-type"], body)
            elif self.path.endswith("/runs/batch"):
                batch = json.loads(body)
                for run in (*batch.get("post", ()), *batch.get("patch", ())):
                    ingest.take(run["id"], run)
            self._answer({})

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's signature
            """Print nothing."""

        def _answer(self, value: object) -> None:
            text = json.dumps(value).encode()
            self.send_response(202 if self.command == "POST" else 200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    return Handler


def _take_parts(ingest: Ingest, content_type: str, body: bytes) -> None:
    """Read parts named `post.<id>`, `patch.<id>` and `post.<id>.inputs` and the like."""
    message = BytesParser(policy=HTTP).parsebytes(b"content-type: " + content_type.encode() + b"\r\n\r\n" + body)
    for part in message.iter_parts():
        name = str(part.get_param("name", header="content-disposition"))
        action, run_id, *rest = name.split(".")
        if action not in ("post", "patch"):
            continue
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        value = json.loads(content)
        ingest.take(run_id, {rest[0]: value} if rest else value)
