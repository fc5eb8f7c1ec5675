"""What the local trace costs: client CPU with it on and off, and bytes stored an episode.

The cast is an `llm` one against the bundled endpoint, which runs in a process of its own: 15 turns of feel, think,
speak and a chat supporter, then the judge, 63 model calls, with the product's own prompts and profiles. Everything but
the recorder is the same on both sides, the store included; they take turns, so that both meet the same machine. The
endpoint has a core of its own where there are two.

Where other tenants change a round by a fifth, that ratio needs many rounds. So each round also times the trace's own
code where it runs: the recorder's, and the store's for its blobs. What the trace costs others, by what it puts into the
processor's caches, is only in the ratio.

Usage: python benchmarks/trace.py [--rounds 6] [--episodes 8] [--turns 15] [--json]
"""

import argparse
import gc
import json
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from rig import Endpoint, config, endpoint, play

from emoharbor.eval.run import Run
from emoharbor.eval.store import store
from emoharbor.eval.store.reader import Reader
from emoharbor.eval.traces.recorder import Recorder
from emoharbor.profiles.loader import load_people

CPU_TARGET, BYTES_TARGET = 1.10, 35_000


class Deaf(Recorder):
    """A recorder that hears nothing."""

    ignore_chain = ignore_llm = ignore_chat_model = ignore_retriever = ignore_agent = ignore_custom_event = True


def spent(at: Endpoint, episodes: int, turns: int) -> tuple[float, Run]:
    """Return CPU seconds of this process, and the run."""
    gc.collect()
    run, what = play(at, config(at.url, episodes, turns, 16))
    return what.cpu_s, run


class Clock:
    """Adds up the CPU seconds of some functions; one of them called by another is counted once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._inside = False

    def timing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function with its time added up."""

        def timed(*args: Any, **kwargs: Any) -> Any:
            if self._inside:
                return function(*args, **kwargs)
            self._inside, began = True, time.thread_time()
            try:
                return function(*args, **kwargs)
            finally:
                self._inside = False
                self.seconds += time.thread_time() - began

        return timed


@contextmanager
def timed_trace() -> Iterator[Callable[[], float]]:
    """Time the recorder, and the store's work on its blobs; yields what tells the seconds so far."""
    recorder, blobs = Clock(), Clock()  # the store writes in a thread of its own
    do = store._do

    def do_timed(connection: Any, *steps: Any) -> None:
        for step in steps:
            (blobs.timing(do) if step[0] is store._TRACE else do)(connection, step)

    with ExitStack() as stack:
        for name in ("__init__", "new", "rest", *(name for name in vars(Recorder) if name.startswith("on_"))):
            stack.enter_context(patch.object(Recorder, name, recorder.timing(getattr(Recorder, name))))
        stack.enter_context(patch.object(store, "_do", do_timed))
        yield lambda: recorder.seconds + blobs.seconds


def sizes(run: Run) -> list[int]:
    """Return the bytes stored of each episode's trace, its opening included."""
    reader = Reader(run.folder)
    return [
        sum(map(len, reader.traces(key))) + len(reader.opening_trace(key.profile, key.repeat) or b"")
        for key in run.planned()
    ]


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--rounds", type=int, default=6)
    options.add_argument("--episodes", type=int, default=8)
    options.add_argument("--turns", type=int, default=15)
    options.add_argument("--json", action="store_true", help="print the figures as JSON")
    chosen = options.parse_args()
    people = list(load_people("core"))[: chosen.episodes]
    took: dict[str, list[float]] = {"on": [], "off": []}
    shares: list[float] = []
    with endpoint() as at:
        spent(at, len(people), 2)  # warms caches
        for _ in range(chosen.rounds):
            with patch("emoharbor.eval.traces.recording.Recorder", Deaf):
                took["off"].append(spent(at, len(people), chosen.turns)[0])
            seconds, run = spent(at, len(people), chosen.turns)
            took["on"].append(seconds)
            with timed_trace() as own:
                whole = spent(at, len(people), chosen.turns)[0]
                shares.append(own() / (whole - own()))
    ratios = [on / off for on, off in zip(took["on"], took["off"], strict=True)]
    stored, profile = sizes(run), statistics.mean(len(load_people(who)[who].model_dump_json()) for who in people)
    found = {
        "rounds": chosen.rounds, "episodes": len(people), "turns": chosen.turns,
        "ms_per_episode": {name: statistics.median(all_) * 1000 / len(people) for name, all_ in took.items()},
        "ratio": statistics.median(ratios), "ratios": ratios, "ratio_target": CPU_TARGET,
        # whatever else runs on the machine only adds time, so the quickest rounds show most of what is ours
        "ratio_of_quickest": min(took["on"]) / min(took["off"]),
        "own_share": statistics.median(shares), "own_shares": shares,
        "bytes_per_episode": statistics.mean(stored), "bytes_highest": max(stored), "bytes_target": BYTES_TARGET,
        "profile_bytes": profile,
        "turns_played": statistics.mean(sum(t.supporter is not None for t in e.turns) for e in run.episodes()),
    }  # fmt: skip
    print(json.dumps(found, indent=1) if chosen.json else table(found))


def table(found: dict[str, Any]) -> str:
    """Return the figures as text."""
    on, off = found["ms_per_episode"]["on"], found["ms_per_episode"]["off"]
    return "\n".join([
        f"client CPU an episode: {off:.1f} ms without, {on:.1f} ms with the local trace",
        f"ratio {found['ratio']:.3f} (rounds {', '.join(f'{r:.2f}' for r in found['ratios'])}), "
        f"of the quickest rounds {found['ratio_of_quickest']:.3f}; target at most {found['ratio_target']:.2f}",
        f"the trace's own code, timed where it runs: {found['own_share']:.1%} of all the rest "
        f"(rounds {', '.join(f'{share:.1%}' for share in found['own_shares'])})",
        f"stored: {found['bytes_per_episode'] / 1000:.1f} KB an episode (highest {found['bytes_highest'] / 1000:.1f}), "
        f"target under {found['bytes_target'] / 1000:.0f}",
        f"{found['turns_played']:.1f} turns and {found['profile_bytes'] / 1000:.1f} KB of profile on average, "
        f"{found['rounds']} rounds of {found['episodes']} episodes",
    ])  # fmt: skip


if __name__ == "__main__":
    main()
