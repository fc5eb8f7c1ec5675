"""A stand-in for LangSmith's API on loopback: takes runs, feedback, projects and datasets, and keeps them.

It can also be in trouble: hang, drop the connection, or answer every request with an error.
"""

import json
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

import zstandard

Trouble = Literal["hang", "close"] | int
"""What goes wrong: no answer at all, no connection, or an HTTP status."""
_NEW = {
    "tenant_id": str(uuid.UUID(int=7)),
    "start_time": "2026-01-01T00:00:00Z",
    "created_at": "2026-01-01T00:00:00Z",
    "reference_dataset_id": None,
}
"""What LangSmith adds to a new project or dataset."""
_INFO = {
    "version": "0.12.0",
    "instance_flags": {"zstd_compression_enabled": True, "dataset_examples_multipart_enabled": True},
    "batch_ingest_config": {
        "use_multipart_endpoint": True,
        "size_limit": 100,
        "size_limit_bytes": 20_000_000,
        "scale_up_qsize_trigger": 1000,
        "scale_up_nthreads_limit": 4,
        "scale_down_nempty_trigger": 4,
    },
}


@dataclass
class Ingest:
    """What was received."""

    runs: dict[str, dict[str, Any]] = field(default_factory=dict)
    feedback: dict[str, dict[str, Any]] = field(default_factory=dict)
    datasets: dict[str, dict[str, Any]] = field(default_factory=dict)
    examples: dict[str, dict[str, Any]] = field(default_factory=dict)
    projects: dict[str, dict[str, Any]] = field(default_factory=dict)
    uploaded_bytes: int = 0
    received: list[bytes] = field(default_factory=list)
    url: str = ""
    released: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, run_id: str, fields: Mapping[str, Any]) -> None:
        """Join what is said about a run: its start, its end, and its parts come one by one."""
        with self._lock:
            self.runs.setdefault(run_id, {"id": run_id}).update({k: v for k, v in fields.items() if v is not None})

    def settle(self, wanted: int, seconds: float = 10) -> None:
        """Wait until so many runs have ended: the client goes on sending after a run's flush has timed out."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and sum("end_time" in run for run in self.runs.values()) < wanted:
            time.sleep(0.05)

    @property
    def roots(self) -> list[dict[str, Any]]:
        """The runs that have no parent: one a trace."""
        return [run for run in self.runs.values() if not run.get("parent_run_id")]

    def children(self, parent: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the runs below one, in the order they ran."""
        below = [run for run in self.runs.values() if run.get("parent_run_id") == parent["id"]]
        return sorted(below, key=lambda run: str(run["dotted_order"]))


@contextmanager
def langsmith_standin(trouble: Trouble | None = None) -> Iterator[Ingest]:
    """Serve on a free port of this machine."""
    ingest = Ingest()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"ingest": ingest, "trouble": trouble}))
    server.daemon_threads = True
    ingest.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield ingest
    finally:
        ingest.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    """Answers for one stand-in; a subclass of it knows which."""

    ingest: Ingest
    trouble: Trouble | None

    def do_GET(self) -> None:
        if self.trouble is not None:
            self._fail()
        elif self.path.endswith("/info"):
            self._answer(_INFO)
        else:
            self._answer(_found(self.ingest, self.path))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.ingest.received.append(body)
        if self.trouble is not None:
            self._fail()
            return
        if self.headers.get("content-encoding") == "zstd":
            body = zstandard.ZstdDecompressor().decompressobj().decompress(body)
        self.ingest.uploaded_bytes += len(body)
        self._answer(_taken(self.ingest, urlsplit(self.path).path, self.headers["content-type"], body))

    do_PATCH = do_PUT = do_POST  # noqa: N815 - the base class finds methods by these names

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's signature
        """Print nothing."""

    def _fail(self) -> None:
        if self.trouble == "hang":
            self.ingest.released.wait(60)
        if isinstance(self.trouble, int):
            self._answer({"detail": "this is a stand-in in trouble"}, self.trouble)
        else:
            self.close_connection = True
            self.connection.close()

    def _answer(self, value: object, status: int = 200) -> None:
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def _taken(ingest: Ingest, path: str, content_type: str, body: bytes) -> object:
    """Take what was posted, and return the answer."""
    if path.endswith("/runs/multipart"):
        _take_parts(ingest, content_type, body)
    elif path.endswith("/examples") and content_type.startswith("multipart"):
        return _take_examples(ingest, path, content_type, body)
    elif path.endswith("/runs/batch"):
        batch = json.loads(body)
        for run in (*batch.get("post", ()), *batch.get("patch", ())):
            ingest.take(run["id"], run)
    else:
        return _made(ingest, path, json.loads(body))
    return {}


def _found(ingest: Ingest, path: str) -> object:
    """Answer a question about projects, datasets or examples."""
    address = urlsplit(path)
    wanted = {name: values[0] for name, values in parse_qs(address.query).items()}
    kind = address.path.rpartition("/")[2]
    if kind == "examples":
        return [item for item in ingest.examples.values() if item["dataset_id"] == wanted.get("dataset")]
    things = {"sessions": ingest.projects, "datasets": ingest.datasets}.get(kind, {})
    if "name" in wanted:
        return [things[wanted["name"]]] if wanted["name"] in things else []
    known = [*ingest.projects.values(), *ingest.datasets.values()]
    return next((item for item in known if item["id"] == kind), list(things.values()))


def _made(ingest: Ingest, path: str, body: Any) -> object:
    """Make a project, a dataset, examples or feedback."""
    kind = urlsplit(path).path.rpartition("/")[2]
    if kind == "feedback":
        ingest.feedback[body["id"]] = body
        return body
    if kind in ("sessions", "datasets"):
        things = ingest.projects if kind == "sessions" else ingest.datasets
        given = {key: value for key, value in body.items() if value is not None}
        return things.setdefault(body["name"], {**_NEW, "id": str(uuid.uuid4()), **given})
    known = [item for item in ingest.projects.values() if item["id"] == kind]
    if known:
        known[0].update({key: value for key, value in body.items() if value is not None})
        return known[0]
    return {}


def _take_examples(ingest: Ingest, path: str, content_type: str, body: bytes) -> object:
    """Read parts named `<id>` and `<id>.inputs` and the like."""
    dataset = path.split("/")[-2]
    names = []
    for name, value in _parts(content_type, body):
        example_id, _, field_name = name.partition(".")
        empty = {"id": example_id, "dataset_id": dataset, "created_at": "2026-01-01T00:00:00Z", "inputs": {}}
        example = ingest.examples.setdefault(example_id, empty)
        example.update({field_name: value} if field_name else value)
        names.append(example_id)
    return {"count": len(set(names)), "example_ids": sorted(set(names))}


def _parts(content_type: str, body: bytes) -> Iterator[tuple[str, Any]]:
    """Yield the name and the value of each part."""
    message = BytesParser(policy=HTTP).parsebytes(b"content-type: " + content_type.encode() + b"\r\n\r\n" + body)
    for part in message.iter_parts():
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        yield str(part.get_param("name", header="content-disposition")), json.loads(content)


def _take_parts(ingest: Ingest, content_type: str, body: bytes) -> None:
    """Read parts named `post.<id>`, `patch.<id>` and `post.<id>.inputs` and the like, and `feedback.<id>`."""
    for name, value in _parts(content_type, body):
        action, run_id, *rest = name.split(".")
        if action == "feedback":
            ingest.feedback[run_id] = value
        elif action in ("post", "patch"):
            ingest.take(run_id, {rest[0]: value} if rest else value)
