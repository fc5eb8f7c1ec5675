"""The stored form of a trace: JSON, each text once, one zstd blob.

A blob is `{"v", "root", "texts", "runs"}`. `texts` are the messages sent to models, and a run names them by their place
in the table: a system prompt is sent with every call and stored once. While an episode goes on there is a blob for each
turn, whose texts and runs go on from those of the blob before; at its end one blob takes the place of them all. Within a
blob the dialogue repeated in every prompt is what zstd removes: 22 KB an episode (MEASURED section 5).
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import zstandard

VERSION = 1
_LEVEL = 3  # level 9 saves 2 to 4 % for two to three times the CPU
_HIDDEN = b"[key]"
_SHORTEST_KEY = 8
"""Shorter "keys" are placeholders such as `EMPTY`; hiding them would garble ordinary words."""


@dataclass(slots=True)
class Segment:
    """The runs of one unbroken stretch of an episode: all of it, or what ran between two interruptions.

    Attributes:
        root: what is known of the root run at its start.
        texts: messages, in the form of `messages.py`.
        runs: `[about, inputs, outputs]` of each run that ended, in the order they ended.
    """

    root: dict[str, Any]
    texts: list[Any] = field(default_factory=list)
    runs: list[Any] = field(default_factory=list)


def pack(root: bytes, texts: Sequence[bytes], runs: Sequence[bytes], secrets: Iterable[str] = ()) -> bytes:
    """Return a blob of parts that are JSON already.

    Args:
        root: of the segment.
        texts: the next entries of its table.
        runs: its next runs.
        secrets: keys that must not be in it, whoever wrote them.
    """
    parts = (b'{"v":%d,"root":' % VERSION, root, b',"texts":[', b",".join(texts), b'],"runs":[', b",".join(runs), b"]}")
    whole = b"".join(parts)
    for secret in secrets:
        if len(secret) >= _SHORTEST_KEY:
            whole = whole.replace(json.dumps(secret)[1:-1].encode(), _HIDDEN)
    return zstandard.ZstdCompressor(level=_LEVEL).compress(whole)


def unpack(blobs: Iterable[bytes]) -> Iterator[Segment]:
    """Yield the segments of the blobs of one episode.

    Raises:
        ValueError: for a blob that is broken, or newer than this program.
    """
    last: Segment | None = None
    for blob in blobs:
        found = _read(blob)
        if last is not None and last.root["id"] == found.root["id"]:
            last.texts += found.texts
            last.runs += found.runs
            continue
        if last is not None:
            yield last
        last = found
    if last is not None:
        yield last


def root_id(blob: bytes) -> str | None:
    """Return the id of the root run of a blob; None for one that cannot be read."""
    try:
        return str(_read(blob).root["id"])
    except (ValueError, LookupError):
        return None


def _read(blob: bytes) -> Segment:
    try:
        data = json.loads(zstandard.ZstdDecompressor().decompress(blob))
    except zstandard.ZstdError as error:
        msg = f"a trace is broken: {error}"
        raise ValueError(msg) from None
    if data["v"] > VERSION:
        msg = f"a trace has format {data['v']}, this emoharbor knows up to {VERSION}; update emoharbor to read it"
        raise ValueError(msg)
    return Segment(data["root"], data["texts"], data["runs"])
