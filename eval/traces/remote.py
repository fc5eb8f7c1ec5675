"""A LangSmith client for commands that wait for their answer: what goes wrong is one line that says what to do."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from langsmith import utils

from emoharbor.eval.secrets import hide_secrets
from emoharbor.state.errors import ConfigError

if TYPE_CHECKING:
    from langsmith import Client

_TIMEOUT_MS = (5_000, 60_000)


@contextmanager
def langsmith_client() -> Iterator["Client"]:
    """Give a client made from LangSmith's variables.

    Raises:
        ConfigError: when it could not do what it was asked.
    """
    import requests  # noqa: PLC0415 - slow to import, and only these commands need it
    from langsmith import Client  # noqa: PLC0415 - the same

    failures: list[Exception] = []
    theirs = logging.getLogger("langsmith")
    quiet, theirs.disabled = theirs.disabled, True
    loud = logging.getLogger("langsmith.client")
    before, loud.disabled = loud.disabled, True
    try:
        utils.get_env_var.cache_clear()  # type: ignore[attr-defined]  # an lru_cache, which its overloads hide
        client = Client(timeout_ms=_TIMEOUT_MS, tracing_error_callback=failures.append, auto_batch_tracing=False)
        yield client
        if failures:
            raise failures[0]
    except (utils.LangSmithError, requests.RequestException, ValueError) as error:
        if isinstance(error, ConfigError):
            raise
        said = hide_secrets(" ".join(str(error).split()))[:300]
        raise ConfigError(
            f"LangSmith: {said}; check LANGSMITH_API_KEY and LANGSMITH_ENDPOINT, then try again"
        ) from None
    finally:
        theirs.disabled, loud.disabled = quiet, before
