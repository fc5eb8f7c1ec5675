"""The stored form of a trace: JSON, each text once, one zstd blob.

A blob is `{"v", "root", "texts", "runs"}`. `texts` are the messages of the dialogue and those sent to models
(`table.py`), and a run names them by their place: a system prompt is sent with every call and stored once. While an
episode goes on there is a blob for each turn, not compressed, whose texts and runs go on from those of the blob before;
at its end one blob takes the place of them all.

What is left of repetition zstd removes, within a blob; the opening, which holds the system prompts of the person's
roles, is the dictionary of all blobs of the episodes that begin with it.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from zstandard import (
    DICT_TYPE_RAWCONTENT,
    ZstdCompressionDict,
    ZstdCompressor,
    ZstdDecompressor,
    ZstdError,
)

VERSION = 4
"""Version 1 has messages among the nodes' inputs written out, version 2 inner worlds, replies and the last state,
version 3 what nodes were given."""
_LEVEL = 3  # level 9 saves 2 to 4 % for two to three times the CPU
_HIDDEN = "[key]"
_SHORTEST_KEY = 8
"""Shorter "keys" are placeholders such as `EMPTY`; hiding them would garble ordinary words."""


@dataclass(slots=True)
class Segment:
    """The runs of one unbroken stretch of an episode: all of it, or what ran between two interruptions.

    Attributes:
        root: what is known of the root run at its start.
        texts: messages, in the form of `table.py`.
        runs: `[about, inputs, outputs]` of each run that ended, in the order they ended; `about["no"]` is its number in
            the order they began, and `about["parent"]` such a number, or an id for a parent that was not recorded.
    """

    root: dict[str, Any]
    texts: list[Any] = field(default_factory=list)
    runs: list[Any] = field(default_factory=list)


class Opening:
    """The blob of an opening, as the dictionary of the episodes that begin with it."""

    def __init__(self, blob: bytes, root: str | None = None) -> None:
        """Make it.

        Args:
            blob: of the opening.
            root: id of its root run, where it is known; else it is read from the blob.

        Raises:
            ValueError: for a blob that is broken.
        """
        self.id = root or root_id(blob)
        self.dictionary = ZstdCompressionDict(_raw(blob, None), dict_type=DICT_TYPE_RAWCONTENT)
        # else each compressor would read the whole of it first
        self.dictionary.precompute_compress(level=_LEVEL)


def pack(  # noqa: PLR0913 - the parts of a blob, and how tightly
    root: bytes,
    texts: Sequence[bytes],
    runs: Sequence[bytes],
    *,
    secrets: Iterable[str] = (),
    opening: Opening | None = None,
    passing: bool = False,
) -> bytes:
    """Return a blob of parts that are JSON already.

    Args:
        root: of the segment.
        texts: the next entries of its table.
        runs: its next runs.
        secrets: keys that must not be in it, whoever wrote them.
        opening: what the episode began with; needed again to read the blob.
        passing: the blob is replaced at the end of the episode, so it is not compressed: that would cost more than to
            write it.
    """
    parts = (b'{"v":%d,"root":' % VERSION, root, b',"texts":[', b",".join(texts), b'],"runs":[', b",".join(runs), b"]}")
    whole = b"".join(parts)
    for secret in filter(_is_key, secrets):
        whole = whole.replace(json.dumps(secret)[1:-1].encode(), _HIDDEN.encode())
    if passing:
        return whole
    return ZstdCompressor(level=_LEVEL, dict_data=opening.dictionary if opening else None).compress(whole)


def without(secrets: Iterable[str], text: str) -> str:
    """Return a text with each of some keys hidden, for one that is not stored in one piece."""
    for secret in filter(_is_key, secrets):
        text = text.replace(secret, _HIDDEN)
    return text


def _is_key(secret: str) -> bool:
    return len(secret) >= _SHORTEST_KEY


def unpack(blobs: Iterable[bytes], opening: Opening | None = None) -> Iterator[Segment]:
    """Yield the segments of the blobs of one episode, which began with `opening`.

    Raises:
        ValueError: for a blob that is broken, or newer than this program.
    """
    last: Segment | None = None
    for blob in blobs:
        found = _read(blob, opening)
        if last is not None and last.root["id"] == found.root["id"]:
            last.texts += found.texts
            last.runs += found.runs
            continue
        if last is not None:
            yield last
        last = found
    if last is not None:
        yield last


def root_id(blob: bytes) -> str:
    """Return the id of the root run of an opening's blob.

    Raises:
        ValueError: for a blob that is broken.
    """
    return str(_read(blob, None).root["id"])


def _read(blob: bytes, opening: Opening | None) -> Segment:
    try:
        data = json.loads(_raw(blob, opening))
    except json.JSONDecodeError as error:
        msg = f"a trace is broken: {error}"
        raise ValueError(msg) from None
    if data["v"] > VERSION:
        msg = f"a trace has format {data['v']}, this emoharbor knows up to {VERSION}; update emoharbor to read it"
        raise ValueError(msg)
    return Segment(data["root"], data["texts"], data["runs"])


def _raw(blob: bytes, opening: Opening | None) -> bytes:
    if blob.startswith(b"{"):
        return blob
    try:
        return ZstdDecompressor(dict_data=opening.dictionary if opening else None).decompress(blob)
    except ZstdError as error:
        msg = f"a trace is broken: {error}"
        raise ValueError(msg) from None
