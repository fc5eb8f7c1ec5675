"""What nodes were given and gave back, in short."""

from pathlib import Path
from typing import Any

import pytest
from helpers.traced import offline, play

from emoharbor.eval.store.reader import Reader
from emoharbor.eval.traces.codec import Opening, unpack
from emoharbor.eval.traces.worlds import SAME

pytestmark = pytest.mark.slow  # whole runs


async def test_what_a_node_was_given_is_written_only_where_it_does_not_follow(tmp_path: Path) -> None:
    run = await play(offline(), tmp_path / "run")

    reader, key = Reader(run.folder), run.planned()[0]
    opening = reader.opening_trace(key.profile, key.repeat)
    assert opening is not None
    (segment,) = unpack(reader.traces(key), Opening(opening))
    given: list[Any] = [inputs for about, inputs, _ in segment.runs if "implementation" in about]
    first, *others = given
    assert len(others) > 10
    assert set(first) >= {"profile_id", "turn", "inner", "messages"}
    assert others == [SAME] * len(others)
    assert all(set(seat.inputs) >= {"profile_id", "turn", "inner", "messages"} for seat in run.trace(key).seats())
