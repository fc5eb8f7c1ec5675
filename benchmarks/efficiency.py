"""How near a run comes to the ideal, and what CPU a model call costs us: whole runs, graph, traces and store on.

A cell is latency in ms / calls in flight. Ideal wall time = calls x latency / in flight. As many episodes are under way
as calls may be in flight, or more with `--under-way`: then another episode's call takes the place while one is at work
between two calls. The number of episodes is a multiple of those under way, so that nothing but our own time is lost.
At latency 0 only the CPU per call is of interest. The endpoint is the bundled one, in a process of its own on another
core.

With `--processes 2` it is the engine of that name, its start and the merging of its shards counted in; then all three
processes share the cores as the system likes.

Usage: python benchmarks/efficiency.py [--cells 1000/64,200/64,0/16] [--turns 15] [--waves 2] [--under-way 80]
[--processes 1] [--json] [--profile]
"""

import argparse
import cProfile
import json
import pstats
from typing import Any

from rig import config, endpoint, play

from emoharbor.profiles.loader import load_people

TARGETS = {"1000/64": 0.97, "200/64": 0.88}


def measure(cell: str, chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of one cell."""
    latency, at_once = (int(part) for part in cell.split("/"))
    turns, processes = chosen.turns, chosen.processes
    under_way = chosen.under_way or at_once
    wanted = under_way * chosen.waves
    people = max(n for n in range(1, min(len(load_people("core")), wanted) + 1) if wanted % n == 0)
    with endpoint(latency, pinned=processes == 1) as at:
        play(at, config(at.url, 2, 1, 2))  # warms caches and connections
        profiler = cProfile.Profile()
        if chosen.profile:
            profiler.enable()
        run, spent = play(at, config(at.url, people, turns, under_way, wanted // people, at_once), processes)
        profiler.disable()
        if chosen.profile:
            pstats.Stats(profiler).sort_stats("tottime").print_stats(45)
        in_flight = at.stats()["most_in_flight"]
    outcomes = [str(result.outcome) for result in run.results()]
    ideal = spent.calls * latency / 1000 / at_once
    return {
        "cell": cell, "under_way": under_way, "processes": processes, "episodes": len(outcomes), "turns": turns,
        "calls": spent.calls, "wall_s": spent.wall_s,
        "ideal_s": ideal or None, "efficiency": ideal / spent.wall_s if ideal else None, "target": TARGETS.get(cell),
        "cpu_ms_per_call": 1000 * spent.cpu_s / spent.calls, "most_in_flight": in_flight,
        "store_kb_per_episode": sum(path.stat().st_size for path in run.folder.iterdir()) / 1000 / len(outcomes),
        "at_turn_cap": outcomes.count("turn_cap"),
    }  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--cells", default="1000/64,200/64,0/16")
    options.add_argument("--turns", type=int, default=15)
    options.add_argument("--waves", type=int, default=2, help="episodes, in multiples of those under way")
    options.add_argument("--under-way", type=int, help="episodes under way, if more than calls in flight")
    options.add_argument("--processes", type=int, default=1, help="2 and more: the engine of that name")
    options.add_argument("--json", action="store_true", help="print the figures as JSON")
    options.add_argument("--profile", action="store_true", help="print where our own time goes")
    chosen = options.parse_args()
    for cell in chosen.cells.split(","):
        found = measure(cell, chosen)
        print(json.dumps(found) if chosen.json else line(found), flush=True)


def line(found: dict[str, Any]) -> str:
    """Return the figures of a cell as text."""
    share = "" if found["efficiency"] is None else f"{found['efficiency']:.1%} of ideal ({found['ideal_s']:.1f} s), "
    target = "" if found["target"] is None else f"target {found['target']:.0%}; "
    return (
        f"{found['cell']:>8}: {found['wall_s']:.1f} s, {share}{target}{found['cpu_ms_per_call']:.2f} ms CPU a call, "
        f"{found['calls']} calls, {found['episodes']} episodes ({found['at_turn_cap']} at the turn cap), at most "
        f"{found['most_in_flight']} in flight, {found['store_kb_per_episode']:.0f} KB an episode"
    )


if __name__ == "__main__":
    main()
