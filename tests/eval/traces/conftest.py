"""Runs with tracing to the LangSmith stand-in, in this process."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from helpers.langsmith_standin import Ingest, Trouble, langsmith_standin
from langsmith import utils

Traced = Callable[..., "Iterator[Ingest]"]


@pytest.fixture
def langsmith(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., object]]:
    """Turn tracing to a stand-in on, as LangSmith's variables do."""

    @contextmanager
    def on(trouble: Trouble | None = None, **more: str) -> Iterator[Ingest]:
        with langsmith_standin(trouble) as ingest, monkeypatch.context() as patch:
            variables = {"TRACING": "true", "ENDPOINT": ingest.url, "API_KEY": "lsv2_canary_key_of_langsmith", **more}
            for name, value in variables.items():
                patch.setenv(f"LANGSMITH_{name}", value)
            utils.get_env_var.cache_clear()
            yield ingest

    yield on
    utils.get_env_var.cache_clear()
