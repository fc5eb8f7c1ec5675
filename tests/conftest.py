"""Shared fixtures. Sockets are blocked except loopback (see `addopts`), and nothing is sent to LangSmith."""

import os

os.environ["LANGSMITH_TRACING"] = "false"
