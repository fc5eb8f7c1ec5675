"""What this machine has for us."""

import os


def cores() -> int:
    """Return how many cores this process may use: those it is held to, where the system can say so."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
