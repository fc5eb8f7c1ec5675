"""The stored form: what goes in comes out, in one piece or in many."""

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from zstandard import ZstdCompressor

from emoharbor.eval.traces.codec import Opening, Packer, unpack

ROOT = b'{"id": "r"}'
RUNS = [b"[%d]" % number for number in range(12)]
NOISE = json.dumps(["system", " ".join(sha256(RUNS[number % 12] * number).hexdigest() for number in range(200)), None])


def pack(texts: list[bytes], runs: list[bytes], opening: Opening | None = None, root: bytes = ROOT) -> bytes:
    packer = Packer()
    packer.opening = opening
    return packer.pack(root, texts, runs, last=True)


@given(st.lists(st.integers(1, len(RUNS) - 1), max_size=5, unique=True).map(sorted))
def test_the_pieces_of_turns_read_as_the_whole_and_up_to_any_of_them(cuts: list[int]) -> None:
    packer, ends = Packer(), [*cuts, len(RUNS)]
    texts = [b'["human","said %d",null]' % number for number in range(len(RUNS))]
    pieces = [
        packer.pack(ROOT, texts[start:end], RUNS[start:end], last=end == len(RUNS))
        for start, end in zip([0, *cuts], ends, strict=True)
    ]

    (whole,) = unpack([pack(texts, RUNS)])
    assert list(unpack(pieces)) == [whole]
    for place, end in enumerate(ends):
        (so_far,) = unpack(pieces[: place + 1])
        assert (so_far.texts, so_far.runs) == (whole.texts[:end], whole.runs[:end])


def test_a_piece_repeats_nothing_of_the_one_before() -> None:
    packer = Packer()
    first, second = (packer.pack(ROOT, [NOISE.encode()], [run]) for run in RUNS[:2])

    assert len(second) < len(first) / 10


def test_another_root_begins_another_segment() -> None:
    broken_off = Packer().pack(ROOT, [], [b"[1]"])
    gone_on = Packer()
    blobs = [broken_off, gone_on.pack(b'{"id": "s"}', [], [b"[2]"]), gone_on.pack(b'{"id": "s"}', [], [b"[3]"])]

    assert [(segment.root["id"], segment.runs) for segment in unpack(blobs)] == [("r", [[1]]), ("s", [[2], [3]])]


def test_what_the_opening_holds_is_not_stored_again() -> None:
    prompt = NOISE.encode()
    begun = pack([prompt], [b"[1]"])
    alone, after = pack([prompt], [b"[1]"]), pack([prompt], [b"[1]"], Opening(begun))

    assert len(after) < len(alone) / 10
    assert list(unpack([after], Opening(begun))) == list(unpack([alone]))
    assert Opening(begun).id == "r"


def test_keys_are_hidden_however_they_got_in() -> None:
    text = json.dumps(["human", 'my key is a"secret\\one', None]).encode()
    (segment,) = unpack([Packer(['a"secret\\one']).pack(ROOT, [text], [])])
    assert segment.texts == [["human", "my key is [key]", None]]


def test_the_forms_of_older_versions_are_read() -> None:
    line = b'{"v":%d,"root":{"id": "r"},"texts":[],"runs":[%s]}'
    turns, whole = [line % (4, b"[1]"), line % (4, b"[2]")], ZstdCompressor(3).compress(line % (3, b"[1],[2]"))
    gone_on = Packer().pack(b'{"id": "s"}', [], [b"[3]"])

    assert list(unpack(turns)) == list(unpack([whole]))
    for before in (turns, [whole]):
        assert [segment.runs for segment in unpack([*before, gone_on])] == [[[1], [2]], [[3]]]
    opening = Opening(whole)
    after = ZstdCompressor(3, dict_data=opening.dictionary).compress(line % (4, b"[4]"))
    assert [segment.runs for segment in unpack([after], opening)] == [[[4]]]


def test_a_trace_of_a_newer_version_is_said_to_be_one() -> None:
    newer = ZstdCompressor(3).compress(b'{"v":99,"root":{"id": "r"},"texts":[],"runs":[]}')
    with pytest.raises(ValueError, match="a trace has format 99, this emoharbor knows up to 5; update emoharbor"):
        list(unpack([newer]))


PIECES = Packer()
FIRST, SECOND, THIRD = (PIECES.pack(ROOT, [NOISE.encode()], [run]) for run in RUNS[:3])


@pytest.mark.parametrize(
    "blobs",
    [
        [b""],
        [b"no zstd at all"],
        [b'{"v":4,"root":{"id": "r"},"texts":[],"ru'],
        [FIRST[:-4]],
        [FIRST[:3000]],
        [FIRST[:-4], SECOND],
        [FIRST, b""],
        [FIRST, SECOND[:-4], THIRD],
        [FIRST, THIRD],
        [SECOND],
        [pack([], RUNS), SECOND],
    ],
    ids=[
        "empty", "other", "cut JSON", "cut", "cut early", "cut, and gone on", "empty piece", "cut piece", "lost piece",
        "no beginning", "after the end",
    ],
)  # fmt: skip
def test_a_broken_trace_is_said_to_be_one(blobs: list[bytes]) -> None:
    with pytest.raises(ValueError, match="a trace is broken"):
        list(unpack(blobs))
