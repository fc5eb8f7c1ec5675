"""Text in any language can be stored and compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.state.text import clean, contains, is_blank, shares_a_run

any_text = st.text(alphabet=st.characters(exclude_categories=[]))


@given(any_text)
def test_cleaned_text_can_be_written_as_utf8_and_cleaning_again_changes_nothing(text: str) -> None:
    cleaned = clean(text)

    assert cleaned.encode("utf-8").decode("utf-8") == cleaned
    assert clean(cleaned) == cleaned


@given(st.text())
def test_text_without_surrogates_stays_as_it_is(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("I said: go, be HAPPY!", "go be happy", True),
        ("我一直没有告诉过任何人。", "没有告诉过", True),
        ("I said go", "goes", False),
        ("anything", "", False),
        ("anything", " \n", False),
        ("ｆｕｌｌ width", "full", True),
    ],
)
def test_a_quote_is_found_whatever_its_case_spaces_and_punctuation(text: str, quote: str, *, found: bool) -> None:
    assert contains(text, quote) is found


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b", "\u00a0\u3000", "\x00\x1f"])
def test_text_that_shows_nothing_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", [".", "嗯", "🙂", " a "])
def test_text_that_shows_something_is_not_blank(text: str) -> None:
    assert not is_blank(text)


@pytest.mark.parametrize(
    ("text", "other", "shared"),
    [
        ("I want to say she offered to take me along", "The mother offered to take me along", True),
        ("I want to say something", "The mother offered to take me along", False),
        ("告诉他那年我拒绝了母亲的机票", "那年我拒绝了母亲的机票，没有人知道", True),
        ("告诉他我很累", "那年我拒绝了母亲的机票", False),
    ],
)
def test_a_long_shared_run_is_a_quotation_in_any_script(text: str, other: str, *, shared: bool) -> None:
    assert shares_a_run(text, other) is shared
