"""How fast shards are merged, and in how much memory: episodes of the llm cast, copied to make up big shards.

Usage: python benchmarks/merge.py [--shards 4] [--episodes 20000] [--turns 15] [--json]
"""

import argparse
import json
import shutil
import sqlite3
import tempfile
import time
from pathlib import Path
from typing import Any

from rig import config, endpoint, peak_mb

from emoharbor.eval.api import evaluate_sync
from emoharbor.eval.runs.plan import Selection
from emoharbor.eval.runs.shard import Shard
from emoharbor.eval.scale.merge import merge
from emoharbor.eval.store.folder import DATABASE
from emoharbor.eval.store.schema import episodes, metadata


def multiply(path: Path, times: int) -> None:
    """Give a database so many copies of each episode and opening, as other repeats."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN")
    (highest,) = connection.execute("SELECT max(id) FROM episodes").fetchone()
    before = {
        table.name: connection.execute(f"SELECT max(rowid) FROM {table.name}").fetchone()[0]  # noqa: S608 - our own names
        for table in metadata.sorted_tables
    }
    for copy in range(1, times):
        for table in metadata.sorted_tables:
            values = []
            for column in table.columns:
                number = column is episodes.c.id or any(key.column is episodes.c.id for key in column.foreign_keys)
                of_key = column.name == "repeat" and table.name in ("episodes", "openings")
                values.append(f"{column.name} + {copy * highest if number else 1000 * copy if of_key else 0}"
                              if number or of_key else column.name)  # fmt: skip
            connection.execute(
                f"INSERT INTO {table.name} SELECT {', '.join(values)} FROM {table.name} WHERE rowid <= ?",  # noqa: S608 - our own names
                (before[table.name],),
            )
    connection.execute("COMMIT")
    connection.close()


def measure(shards: int, wanted: int, turns: int) -> dict[str, Any]:
    """Return the figures."""
    root = Path(tempfile.mkdtemp())
    folders = [root / f"{number}of{shards}" for number in range(1, shards + 1)]
    with endpoint() as at:
        what = config(at.url, 2 * shards, turns, 8)
        for number, folder in enumerate(folders, 1):
            evaluate_sync(what, folder, only=Selection(shard=Shard(number=number, of=shards)))
    for folder in folders:
        multiply(folder / DATABASE, max(1, wanted // (2 * shards)))
    before, began, cpu = peak_mb(), time.perf_counter(), time.process_time()
    done = merge(folders, root / "joined")
    wall, spent = time.perf_counter() - began, time.process_time() - cpu
    size = (done.folder / DATABASE).stat().st_size
    shutil.rmtree(root)
    return {
        "shards": shards, "episodes": done.finished, "turns": turns, "mb": size / 1e6, "wall_s": wall, "cpu_s": spent,
        "mb_per_s": size / 1e6 / wall, "episodes_per_s": done.finished / wall,
        "kb_per_episode": size / 1000 / done.finished, "grown_by_mb": peak_mb() - before,
    }  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--shards", type=int, default=4)
    options.add_argument("--episodes", type=int, default=20_000)
    options.add_argument("--turns", type=int, default=15)
    options.add_argument("--json", action="store_true", help="print the figures as JSON")
    chosen = options.parse_args()
    found = measure(chosen.shards, chosen.episodes, chosen.turns)
    if chosen.json:
        print(json.dumps(found))
        return
    print(
        f"{found['episodes']} episodes in {found['shards']} shards, {found['mb']:.0f} MB "
        f"({found['kb_per_episode']:.0f} KB an episode): merged in {found['wall_s']:.1f} s, "
        f"{found['mb_per_s']:.0f} MB/s, {found['episodes_per_s']:.0f} episodes/s, "
        f"memory grew by {found['grown_by_mb']:.0f} MB"
    )


if __name__ == "__main__":
    main()
