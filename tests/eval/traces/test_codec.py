"""The stored form: what goes in comes out, in one blob or in many."""

import json

import pytest

from emoharbor.eval.traces.codec import Opening, pack, unpack

ROOT = b'{"id": "r"}'


def test_the_blobs_of_turns_read_as_the_blob_of_the_whole() -> None:
    texts, runs = [b'["human","a",null]', b'["human","b",null]'], [b"[1,2,3]", b"[4,5,6]"]
    turns = [pack(ROOT, texts[:1], runs[:1]), pack(ROOT, texts[1:], runs[1:])]

    (whole,) = unpack([pack(ROOT, texts, runs)])
    assert list(unpack(turns)) == [whole]
    assert whole.runs == [[1, 2, 3], [4, 5, 6]]


def test_what_is_replaced_at_the_end_is_not_compressed_and_reads_the_same() -> None:
    texts, runs = [b'["human","a",null]'], [b"[1,2,3]"]
    passing = pack(ROOT, texts, runs, passing=True)

    assert texts[0] in passing
    assert list(unpack([passing])) == list(unpack([pack(ROOT, texts, runs)]))


def test_another_root_begins_another_segment() -> None:
    blobs = [pack(ROOT, [], [b"[1]"]), pack(b'{"id": "s"}', [], [b"[2]"])]
    assert [segment.root["id"] for segment in unpack(blobs)] == ["r", "s"]


def test_what_the_opening_holds_is_not_stored_again() -> None:
    prompt = json.dumps(["system", " ".join(f"line {number * 7919 % 1009}" for number in range(900)), None]).encode()
    begun = pack(ROOT, [prompt], [b"[1]"])
    alone, after = pack(ROOT, [prompt], [b"[1]"]), pack(ROOT, [prompt], [b"[1]"], opening=Opening(begun))

    assert len(after) < len(alone) / 10
    assert list(unpack([after], Opening(begun))) == list(unpack([alone]))


def test_keys_are_hidden_however_they_got_in() -> None:
    blob = pack(ROOT, [json.dumps(["human", 'my key is a"secret\\one', None]).encode()], [], secrets=['a"secret\\one'])
    (segment,) = unpack([blob])
    assert segment.texts == [["human", "my key is [key]", None]]


@pytest.mark.parametrize(
    "blob",
    [
        b"",
        b"no zstd at all",
        pack(ROOT, [], [b"[1]"])[:-4],
        pack(ROOT, [], [b"[1]"], passing=True)[:-4],
    ],
)
def test_a_broken_blob_is_said_to_be_one(blob: bytes) -> None:
    with pytest.raises(ValueError, match="a trace is broken"):
        list(unpack([blob]))
