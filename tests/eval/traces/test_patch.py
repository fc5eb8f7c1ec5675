"""The patch between two inner worlds, checked against RFC 6902 by another implementation."""

from typing import Any

import jsonpatch
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.eval.traces.patch import Change, changes

LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=3)
NAMES = st.sampled_from(["a", "b", "c/d", "e~f"])
DOCUMENTS = st.recursive(
    st.dictionaries(NAMES, LEAVES, max_size=4),
    lambda inner: st.dictionaries(NAMES, LEAVES | inner, max_size=4),
    max_leaves=12,
)


def without_nothing(document: dict[str, Any]) -> dict[str, Any]:
    """A field that is null and one that is not there say the same of an inner world."""
    plain = {key: without_nothing(value) if isinstance(value, dict) else value for key, value in document.items()}
    return {key: value for key, value in plain.items() if value is not None}


@given(DOCUMENTS, DOCUMENTS)
def test_the_steps_lead_from_one_to_the_other(before: dict[str, Any], after: dict[str, Any]) -> None:
    one, other = without_nothing(before), without_nothing(after)
    assert jsonpatch.apply_patch(one, [step.data() for step in changes(one, other)]) == other


@given(DOCUMENTS, DOCUMENTS)
def test_the_old_values_lead_back(before: dict[str, Any], after: dict[str, Any]) -> None:
    one, other = without_nothing(before), without_nothing(after)
    swap = {"add": "remove", "remove": "add", "replace": "replace"}
    back = [Change(swap[step.op], step.path, step.new, step.old).data() for step in changes(one, other)]
    assert jsonpatch.apply_patch(other, back) == one


def test_a_list_is_replaced_as_one_picture() -> None:
    before = {"emotions": [{"label": "fear", "intensity": 4}], "distress": 6.0}
    after = {"emotions": [{"label": "fear", "intensity": 2}], "distress": 6.0, "turn": 1}

    assert [step.data() for step in changes(before, after)] == [
        {"op": "replace", "path": "/emotions", "old": before["emotions"], "value": after["emotions"]},
        {"op": "add", "path": "/turn", "value": 1},
    ]
