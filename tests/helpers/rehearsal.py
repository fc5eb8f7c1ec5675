"""A cast that a model plays, for tests over HTTP to the bundled endpoint."""

from collections.abc import Sequence
from typing import Any

CANARY = "sk-canary-5f2c9e81d7b34a06"
CHAIN = ("feel", "think", "speak")


def settings(url: str, **more: Any) -> dict[str, Any]:
    """Return the settings of the model at an endpoint: no waits, one retry less than usual."""
    given = {"model": "m", "base_url": url, "rehearsal": True, "backoff_s": 0, "timeout_s": 5, "retries": 3}
    return {**given, "api_key_env": "TEST_KEY", **more}


def cast(chain: Sequence[str] = CHAIN) -> dict[str, Any]:
    """Return the cast in which a model plays every role."""
    llm = {"use": "llm", "model": "m"}
    return {"user": list(chain), **dict.fromkeys(("feel", "think", "speak", "fused", "judge"), llm)}
