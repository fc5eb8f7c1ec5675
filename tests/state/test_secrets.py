"""What looks like a key is hidden in whatever text it stands."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.state.secrets import KNOWN, hide_secrets

pieces = st.sampled_from([
    "sk", "pk", "rk", "gsk", "hf", "xai", "nvapi", "ghp", "lsv2", "pplx", "-", "_", "AIza", "Bearer", " ", "://", ":",
    "@", "x", "abcdefgh", "0123456789abcdefghij", "\n", "ü",
])  # fmt: skip


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("refused: sk-abcdefgh12", "refused: [key]"),
        ("lsv2_pt_0123456789", "[key]"),
        ("AIza0123456789abcdefghijk", "[key]"),
        ("Authorization: Bearer abc.def-123", "Authorization: [key]"),
        ("https://me:secret@host/v1", "https://[key]@host/v1"),
        ("I ask-abcdefgh nobody", "I ask-abcdefgh nobody"),
        ("a hf and a risk, no key", "a hf and a risk, no key"),
    ],
)
def test_keys_are_hidden_and_words_are_not(text: str, hidden: str) -> None:
    assert hide_secrets(text) == hidden


@given(st.lists(pieces, max_size=12).map("".join))
def test_no_text_with_a_key_is_passed_over_at_a_glance(text: str) -> None:
    assert hide_secrets(text) == re.sub(KNOWN, "[key]", text)
