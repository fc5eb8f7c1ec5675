"""Runs with tracing to the LangSmith stand-in, in this process."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from helpers.langsmith_standin import Ingest, Trouble, langsmith_standin
from langsmith import utils

KEY = "lsv2_canary_key_of_langsmith"
LangSmith = Callable[..., AbstractContextManager[Ingest]]


@pytest.fixture
def langsmith(monkeypatch: pytest.MonkeyPatch) -> Iterator[LangSmith]:
    """Point LangSmith's variables at a stand-in, and by default turn tracing on."""

    @contextmanager
    def on(trouble: Trouble | None = None, *, live: bool = True) -> Iterator[Ingest]:
        with langsmith_standin(trouble) as ingest, monkeypatch.context() as patch:
            patch.setenv("LANGSMITH_TRACING", "true" if live else "false")
            patch.setenv("LANGSMITH_ENDPOINT", ingest.url)
            patch.setenv("LANGSMITH_API_KEY", KEY)
            patch.setenv("LANGSMITH_USE_DAEMON", "true")
            utils.get_env_var.cache_clear()  # type: ignore[attr-defined]  # an lru_cache, which its overloads hide
            yield ingest

    yield on
    utils.get_env_var.cache_clear()  # type: ignore[attr-defined]  # an lru_cache, which its overloads hide
