"""The stored form of a trace: JSON, each text once, one zstd frame.

A trace is lines of JSON, `{"v", "root", "texts", "runs"}`, one for each finished turn and one for what came after.
`texts` are the messages of the dialogue and those sent to models (`table.py`), and a run names them by their place: a
system prompt is sent with every call and stored once. The texts and runs of a line go on from those of the line before.

The lines of one recorder are one zstd frame, cut wherever one ends: each piece can be read once those before it are
there, so a turn is saved when it is over, and nothing is written twice. What is left of repetition zstd removes; the
opening, which holds the system prompts of the person's roles, is the dictionary of all episodes that begin with it.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from zstandard import (
    COMPRESSOBJ_FLUSH_BLOCK,
    COMPRESSOBJ_FLUSH_FINISH,
    DICT_TYPE_RAWCONTENT,
    FRAME_HEADER,
    ZstdCompressionDict,
    ZstdCompressionParameters,
    ZstdCompressor,
    ZstdDecompressor,
    ZstdError,
)

if TYPE_CHECKING:
    from zstandard import ZstdCompressionObj  # a name of the stubs only

VERSION = 5
"""Version 1 has messages among the nodes' inputs written out, version 2 inner worlds, replies and the last state,
version 3 what nodes were given. Up to version 4 each piece is a frame of its own, or JSON that is not compressed."""
_WINDOW_LOG = 18
"""256 KB: the judge's prompt, at the end, is still near what it repeats. Each episode under way holds twice as much."""
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
    """The trace of an opening, as the dictionary of the episodes that begin with it."""

    def __init__(self, blob: bytes, root: str | None = None) -> None:
        """Make it.

        Args:
            blob: of the opening.
            root: id of its root run, where it is known; else it is read from the blob.

        Raises:
            ValueError: for a blob that is broken.
        """
        lines = list(_lines([blob], None))
        self.id = root or str(_segment(lines[0]).root["id"])
        self.dictionary = ZstdCompressionDict(b"\n".join(lines), dict_type=DICT_TYPE_RAWCONTENT)
        # else each compressor would read the whole of it first
        self.dictionary.precompute_compress(compression_params=_tightness())


class Packer:
    """Makes the pieces of one recorder's trace.

    Attributes:
        opening: what the episode began with, to be known before the first piece; needed again to read it.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Make one that hides some keys, whoever wrote them."""
        self.opening: Opening | None = None
        self._secrets = [secret for secret in secrets if _is_key(secret)]
        self._frame: ZstdCompressionObj | None = None

    def pack(self, root: bytes, texts: Sequence[bytes], runs: Sequence[bytes], *, last: bool = False) -> bytes:
        """Return the next piece, of parts that are JSON already.

        Args:
            root: of the segment.
            texts: the next entries of its table.
            runs: its next runs.
            last: no other piece follows.
        """
        parts = (b'{"v":%d,"root":' % VERSION, root, b',"texts":[', b",".join(texts), b'],"runs":[', b",".join(runs))
        line = b"".join((*parts, b"]}\n"))
        for secret in self._secrets:
            line = line.replace(json.dumps(secret)[1:-1].encode(), _HIDDEN.encode())
        if self._frame is None:
            dictionary = self.opening.dictionary if self.opening else None
            self._frame = ZstdCompressor(compression_params=_tightness(), dict_data=dictionary).compressobj()
        return self._frame.compress(line) + self._frame.flush(
            COMPRESSOBJ_FLUSH_FINISH if last else COMPRESSOBJ_FLUSH_BLOCK
        )


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
    for line in _lines(blobs, opening):
        found = _segment(line)
        if last is not None and last.root["id"] == found.root["id"]:
            last.texts += found.texts
            last.runs += found.runs
            continue
        if last is not None:
            yield last
        last = found
    if last is not None:
        yield last


def _segment(line: bytes) -> Segment:
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        msg = f"a trace is broken: {error}"
        raise ValueError(msg) from None
    if data["v"] > VERSION:
        msg = f"a trace has format {data['v']}, this emoharbor knows up to {VERSION}; update emoharbor to read it"
        raise ValueError(msg)
    return Segment(data["root"], data["texts"], data["runs"])


def _lines(blobs: Iterable[bytes], opening: Opening | None) -> Iterator[bytes]:
    """Yield the lines of a trace: a frame begins with zstd's mark, other pieces go on with the frame before."""
    frame = None
    for blob in blobs:
        if blob.startswith(b"{"):  # older versions, while an episode went on
            yield blob
            continue
        if frame is None or blob.startswith(FRAME_HEADER):
            frame = ZstdDecompressor(dict_data=opening.dictionary if opening else None).decompressobj()
        try:
            lines = frame.decompress(blob).splitlines()
        except ZstdError as error:
            msg = f"a trace is broken: {error}"
            raise ValueError(msg) from None
        if not lines:
            msg = "a trace is broken: a piece of it is cut off"
            raise ValueError(msg)
        yield from lines


def _tightness() -> ZstdCompressionParameters:
    """Level 1, which takes half the time of level 3 and comes to nearly the same size."""
    return ZstdCompressionParameters.from_level(1, window_log=_WINDOW_LOG)
