"""Shared fixtures. Sockets are blocked except loopback (see `addopts`), and nothing is sent to LangSmith."""

import os

os.environ["LANGSMITH_TRACING"] = "false"

import pytest
from hypothesis import settings

from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import Profile

# a busy machine is no fault of the code under test
settings.register_profile("no_deadline", deadline=None)
settings.load_profile("no_deadline")


@pytest.fixture(scope="session")
def person() -> Profile:
    """One of the bundled people."""
    return load_people("P040")["P040"]
