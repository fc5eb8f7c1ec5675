"""Shared fixtures. Sockets are blocked except loopback (see `addopts`), and nothing is sent to LangSmith."""

import os

os.environ["LANGSMITH_TRACING"] = "false"

import pytest

from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import Profile


@pytest.fixture(scope="session")
def person() -> Profile:
    """One of the bundled people."""
    return load_people("P040")["P040"]
