"""The most memory a run holds: many short offline episodes, and many in flight. Each run in a process of its own.

Usage: python benchmarks/memory.py [--episodes 1000,10000] [--in-flight 256] [--turns 4] [--json]
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rig import config, endpoint, peak_mb, play

from emoharbor.eval.api import evaluate_sync
from emoharbor.profiles.loader import load_people

STYLES = ("silent", "generic", "advice", "attuned")
OFFLINE_MB, IN_FLIGHT_MB = 400, 600


def offline(episodes: int) -> dict[str, Any]:
    """Play so many offline episodes of two turns; memory must not grow with their number."""
    people = list(load_people("core"))
    what = {
        "run": {"name": "memory", "max_turns": 2, "repeats": math.ceil(episodes / len(people) / len(STYLES))},
        "profiles": people,
        "supporters": [{"name": style, "use": "offline", "style": style} for style in STYLES],
    }
    run = evaluate_sync(what, Path(tempfile.mkdtemp()) / "run")
    return {"episodes": len(run.planned()), "peak_mb": peak_mb(), "target_mb": OFFLINE_MB}


def in_flight(count: int, turns: int) -> dict[str, Any]:
    """Play so many episodes at once at 200 ms."""
    people = len(load_people("core"))
    with endpoint(200) as at:
        run, spent = play(at, config(at.url, people, turns, count, math.ceil(count / people)))
        most = at.stats()["most_in_flight"]
    return {
        "episodes": len(run.planned()), "at_once": count, "turns": turns, "most_in_flight": most, "calls": spent.calls,
        "peak_mb": peak_mb(), "target_mb": IN_FLIGHT_MB,
    }  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--episodes", default="1000,10000")
    options.add_argument("--in-flight", type=int, default=256)
    options.add_argument("--turns", type=int, default=4)
    options.add_argument("--json", action="store_true", help="print the figures as JSON")
    options.add_argument("--one", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.one:
        kind, count = chosen.one.split(":")
        print(json.dumps(offline(int(count)) if kind == "offline" else in_flight(int(count), chosen.turns)))
        return
    for kind, count in [*(("offline", n) for n in chosen.episodes.split(",")), ("in flight", chosen.in_flight)]:
        command = [sys.executable, __file__, "--one", f"{kind}:{count}", "--turns", str(chosen.turns)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own command
        found = {"kind": kind, **json.loads(done.stdout.splitlines()[-1])}
        print(json.dumps(found) if chosen.json else line(found), flush=True)


def line(found: dict[str, Any]) -> str:
    """Return the figures of a run as text."""
    at_once = f", {found['at_once']} at once, {found['most_in_flight']} calls at most" if "at_once" in found else ""
    return (
        f"{found['kind']:>9}: {found['episodes']} episodes{at_once}: {found['peak_mb']:.0f} MB at most, "
        f"target under {found['target_mb']}"
    )


if __name__ == "__main__":
    main()
