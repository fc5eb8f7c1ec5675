"""The simulated prefix cache."""

from typing import Any

import pytest

from emoharbor.eval.endpoint.cache import PrefixCache


def body(*said: str, schema: str = "A", model: str = "m") -> dict[str, Any]:
    messages = [{"role": "user", "content": text} for text in said]
    return {"model": model, "messages": messages, "response_format": {"name": schema}}


LONG = "x" * 6000
"""1,500 tokens."""


def test_the_first_time_nothing_is_cached() -> None:
    assert PrefixCache().take(body(LONG))[1] == 0


def test_a_prompt_that_only_grew_is_cached_in_blocks_of_128_tokens() -> None:
    cache = PrefixCache()
    cache.take(body(LONG))
    tokens, cached = cache.take(body(LONG, "and more"))
    assert tokens > 1500
    assert cached == 128 * 11


@pytest.mark.parametrize(
    "other",
    [body("y" + LONG), body(LONG, schema="B"), body(LONG, model="n")],
    ids=["start differs", "schema differs", "model differs"],
)
def test_what_comes_first_must_be_the_same(other: dict[str, Any]) -> None:
    cache = PrefixCache()
    cache.take(body(LONG))
    assert cache.take(other)[1] == 0


def test_less_than_1024_tokens_are_not_cached() -> None:
    cache = PrefixCache()
    cache.take(body("x" * 4000))
    assert cache.take(body("x" * 4000))[1] == 0
