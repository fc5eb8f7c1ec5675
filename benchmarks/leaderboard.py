"""How long the leaderboard of a large run takes: 20 supporters x 100 people x 3 repeats, 10,000 resamples.

The run is made up: scores drawn from a model with known effects of people, supporters and their match, written into a
real run folder in the form that the runner writes (a judgement with reasons, quotes and a raw reply of 2 KB; first and
last inner world), so reading it is included. Measured are

- `command`: the whole process `emoharbor leaderboard RUN --json --no-validity`, interpreter and imports included;
- `in python`: `run.leaderboard()` in a process that has it imported, reading included, median of the rounds;
- its parts: reading the ratings, reading the inner worlds, the figures (every mean, interval, rank, all 190 pairs).

Not included: the audit of the simulated user, which reads whole dialogues once and keeps what it found.

Usage: python benchmarks/leaderboard.py [--supporters 20] [--people 100] [--repeats 3] [--rounds 5] [--json]
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import insert

from emoharbor.eval.assembly import assemble
from emoharbor.eval.config import make_config
from emoharbor.eval.figures import _reports
from emoharbor.eval.run import Run
from emoharbor.eval.runs.describe import make_manifest
from emoharbor.eval.runs.manifest import Manifest, write_manifest
from emoharbor.eval.statistics.leaderboard import leaderboard
from emoharbor.eval.statistics.sample import Sample
from emoharbor.eval.store.database import close_writing, open_to_write
from emoharbor.eval.store.folder import DATABASE
from emoharbor.eval.store.lean import read_lean
from emoharbor.eval.store.schema import episodes, judgements, turns
from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.nodes.models.client import Models
from emoharbor.nodes.rubric import Rubric, load_rubric
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import Profile
from emoharbor.state.verdict import Evidence, Judgement, Rating

TARGET = 2.0
REASON = "They asked what I was afraid of and stayed with the answer, but then moved on to tips too early for me. " * 2


def made_up(folder: Path, supporters: int, people: int, repeats: int) -> None:
    """Write the run."""
    who = dict(list(load_people("all").items())[:people])
    config = make_config({
        "run": {"name": "made-up", "seed": 7, "repeats": repeats},
        "profiles": list(who),
        "supporters": [{"name": f"supporter-{n:02}", "use": "offline", "style": "generic"} for n in range(supporters)],
    })  # fmt: skip
    assembly = assemble(config, Models(), who)
    manifest = make_manifest(assembly)
    folder.mkdir(parents=True)
    write_manifest(folder, manifest)
    engine = open_to_write(folder / DATABASE)
    for name, person in who.items():
        found = list(rows(name, person, manifest, repeats))
        with engine.begin() as connection:
            for index, table in enumerate((episodes, turns, turns, judgements)):
                connection.execute(insert(table), [row[index] for row in found])
    close_writing(engine)


def rows(name: str, person: Profile, manifest: Manifest, repeats: int) -> Iterator[tuple[dict[str, Any], ...]]:
    """Yield each episode of a person: its row, its first and last turn, its judgement."""
    rubric = load_rubric()
    number = 1_000_000 * list(manifest.profiles).index(name)
    rng = np.random.default_rng([7, number])
    harsh = rng.normal(0, 0.3)
    for place, supporter in enumerate(item.name for item in manifest.config.supporters):
        level = 2.0 + 0.1 * place + harsh + rng.normal(0, 0.4)
        for repeat in range(repeats):
            number += 1
            start = first_state(person, EpisodeContext(supporter=supporter, repeat=repeat, max_turns=15))
            end = start.inner.model_copy(update={"distress": max(0.0, start.inner.distress - level)})
            yield (
                {
                    "id": number, "profile": name, "supporter": supporter, "repeat": repeat, "attempt": 0,
                    "start": start.model_dump_json(), "turn": 12, "last": "judge", "outcome": "turn_cap",
                    "reason": "", "started": 0.0, "finished": 1.0,
                },
                turn(number, 0, start.inner.model_dump_json()),
                turn(number, 12, end.model_dump_json()),
                judgement(number, manifest, rated(rubric, level, rng)),
            )  # fmt: skip


def turn(number: int, index: int, inner: str) -> dict[str, Any]:
    """Return the row of one turn."""
    return {
        "episode": number, "turn": index, "user": "u", "supporter": "a", "inner": inner, "shifts": "[]", "faults": "[]",
        "saved": 0.0,
    }  # fmt: skip


def rated(rubric: Rubric, level: float, rng: np.random.Generator) -> Judgement:
    """Return a judgement of about this level, as long as a model's."""
    ratings = tuple(
        Rating(
            dimension=item.id, group=item.group, score=int(np.clip(round(level + rng.normal(0, 0.7)), 1, 5)),
            reason=REASON, evidence=(Evidence(turn=3, quote="what are you afraid of"),), evidence_ok=True, certainty=80,
        )
        for item in rubric.dimensions
    )  # fmt: skip
    scores = rubric.scores(ratings)
    return Judgement(judge="made-up", own=True, rubric=rubric.id, ratings=ratings, scores=scores, raw="x" * 2_000)


def judgement(number: int, manifest: Manifest, found: Judgement) -> dict[str, Any]:
    """Return its row."""
    found = found.model_copy(update={"judge_id": manifest.judges[0].judge_id})
    return {
        "episode": number, "judge_id": found.judge_id, "repeat": 0, "control": "", "counterfactual": "",
        "with_log": True, "judge": found.judge, "own": True, "body": found.model_dump_json(), "saved": 0.0,
    }  # fmt: skip


def seconds(work: Callable[[], object], rounds: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the median time, by the wall's clock or another."""
    times = []
    for _ in range(rounds):
        begun = clock()
        work()
        times.append(clock() - begun)
    return statistics.median(times)


def measure(folder: Path, rounds: int) -> dict[str, float]:
    """Return the times in seconds and the memory in MB."""
    command = [sys.executable, "-m", "emoharbor.eval.cli", "leaderboard", str(folder), "--json", "--no-validity"]
    whole = seconds(lambda: subprocess.run(command, check=True, capture_output=True), rounds)  # noqa: S603 - our own command
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    run = Run(folder)
    run.leaderboard()
    planned = dict.fromkeys((item.name for item in run.manifest.config.supporters), 0)
    sample = Sample.of(read_lean(folder), run.scale(), planned, _reports(run))
    return {
        "command, s": whole,
        "command, peak MB": child,
        "in python, s": seconds(run.leaderboard, rounds),
        "in python, CPU s": seconds(run.leaderboard, rounds, time.process_time),
        "reading the ratings, s": seconds(lambda: Sample.of(read_lean(folder), run.scale(), planned), rounds),
        "reading the inner worlds, s": seconds(lambda: _reports(run), rounds),
        "figures, s": seconds(lambda: leaderboard(sample), rounds),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--supporters", type=int, default=20)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "run"
        made_up(folder, asked.supporters, asked.people, asked.repeats)
        found = measure(folder, asked.rounds)
    if asked.json:
        print(json.dumps(found, indent=2))
        return
    count = asked.supporters * asked.people * asked.repeats
    print(
        f"{count:,} episodes: {asked.supporters} supporters x {asked.people} people x {asked.repeats}, 10,000 resamples"
    )
    for name, value in found.items():
        print(f"{name:<30} {value:8.2f}")
    verdict = "met" if found["in python, s"] < TARGET else "missed"
    print(f"target: below {TARGET:g} s in python: {verdict}")


if __name__ == "__main__":
    main()
