"""From one episode to a leaderboard: config, runs, store, statistics, reports, command line.

The names of the Python API are found here and loaded on first use, so that importing this package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from emoharbor.eval.api import (
        evaluate,
        evaluate_sync,
        judge_run,
        judge_run_sync,
        run_episode,
        run_episode_sync,
    )
    from emoharbor.eval.config import RunConfig, load_config
    from emoharbor.eval.judging.request import Request
    from emoharbor.eval.run import Run, load_run

_HOMES = {
    "RunConfig": "config", "load_config": "config", "Run": "run", "Request": "judging.request", "evaluate": "api",
    "evaluate_sync": "api", "judge_run": "api", "judge_run_sync": "api", "load_run": "run", "run_episode": "api",
    "run_episode_sync": "api",
}  # fmt: skip

__all__ = [
    "Request", "Run", "RunConfig", "evaluate", "evaluate_sync", "judge_run", "judge_run_sync", "load_config",
    "load_run", "run_episode", "run_episode_sync",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Load one name of the API."""
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
