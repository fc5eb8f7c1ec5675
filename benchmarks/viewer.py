"""Server time of every page of the viewer, and its memory, on a run of 6,000 episodes.

    python benchmarks/viewer.py [EPISODES] [FOLDER]

The run is made once: every person with the four rule-based supporters through the store, then copied as more repeats.
Times are of the second request for a page, as a reader sees it who clicks through; the first, which also reads the run,
is printed beside it. The goal: under 300 ms each, and under 300 MB for the viewer.
"""

import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from starlette.testclient import TestClient

from emoharbor.eval.api import evaluate_sync
from emoharbor.eval.config import make_config
from emoharbor.eval.runs.manifest import read_manifest, write_manifest
from emoharbor.eval.store.folder import DATABASE
from emoharbor.eval.viewer.app import make_app
from emoharbor.eval.viewer.library import Library

STYLES = ("silent", "generic", "advice", "attuned")
PEOPLE = 100


def make_run(folder: Path, episodes: int) -> None:
    """Play one repeat of each pair, and copy it as the other repeats."""
    repeats = -(-episodes // (PEOPLE * len(STYLES)))
    config = {
        "run": {"name": "big", "seed": 1},
        "profiles": "all",
        "supporters": [{"name": style, "use": "offline", "style": style} for style in STYLES],
    }
    evaluate_sync(make_config(config), folder)
    manifest = read_manifest(folder)
    config_now = manifest.config
    run = config_now.run.model_copy(update={"repeats": repeats})
    write_manifest(folder, manifest.model_copy(update={"config": config_now.model_copy(update={"run": run})}))
    database = sqlite3.connect(folder / DATABASE)
    count = database.execute("SELECT max(id) FROM episodes").fetchone()[0]
    for repeat in range(1, repeats):
        _copy(database, "episodes", {"id": f"id + {repeat * count}", "repeat": str(repeat),
                                     "start": f"json_set(start, '$.repeat', {repeat})"}, "repeat = 0")  # fmt: skip
        _copy(
            database,
            "openings",
            {"repeat": str(repeat), "state": f"json_set(state, '$.repeat', {repeat})"},
            "repeat = 0",
        )
        for table in ("turns", "judgements", "traces"):
            _copy(database, table, {"episode": f"episode + {repeat * count}"}, f"episode <= {count}")
        database.commit()
    database.close()


def _copy(database: sqlite3.Connection, table: str, changed: dict[str, str], where: str) -> None:
    names = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
    values = ", ".join(changed.get(name, name) for name in names)
    database.execute(f"INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM {table} WHERE {where}")  # noqa: S608 - our own names


def measure(folder: Path) -> None:
    """Ask for every page and print the times."""
    library = Library(folder)
    slug = library.shelves()[0].slug
    key, other = "P010/attuned/3", "P010/generic/3"
    pages = {
        "runs": "/", "leaderboard": f"/r/{slug}", "dimensions": f"/r/{slug}/dimensions",
        "dimensions by trait": f"/r/{slug}/dimensions?by=trait&of=generic", "episodes": f"/r/{slug}/episodes",
        "episodes, filtered": f"/r/{slug}/episodes?q=kerja&outcome=user_left&dimension=discovery&high=2&order=-gap",
        "episodes, said": f"/r/{slug}/episodes?q=%22my+sister%22+doctor+attuned",
        "episodes, last page": f"/r/{slug}/episodes?page=999&order=tailored", "about": f"/r/{slug}/about",
        "episode": f"/r/{slug}/episode?e={key}", "step": f"/r/{slug}/step?e={key}&n=7",
        "side by side": f"/compare?a={slug}:{key}&b={slug}:{other}", "talk": "/talk", "pulse": f"/r/{slug}/pulse",
    }  # fmt: skip
    with TestClient(make_app(library, "token", 8642), base_url="http://127.0.0.1:8642") as client:
        client.get("/?token=token")
        first = {name: _timed(client, address) for name, address in pages.items()}
        _wait(client, f"/r/{slug}")
        for name, address in pages.items():
            again = min(_timed(client, address) for _ in range(3))
            print(f"{name:22} {again * 1000:7.0f} ms    first {first[name] * 1000:7.0f} ms")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 if sys.platform == "darwin" else 1024)
    print(f"memory, at most        {peak:7.0f} MB")


def _timed(client: TestClient, address: str) -> float:
    began = time.perf_counter()
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return time.perf_counter() - began


def _wait(client: TestClient, address: str) -> None:
    """Wait until the run is read and its figures are made."""
    began = time.perf_counter()
    while "data-again" in client.get(address).text:
        time.sleep(0.2)
    print(f"figures were there {time.perf_counter() - began:.1f} s after the first round")


def main() -> None:
    """Make the run where there is none, and measure in a process of its own, so that memory is the viewer's."""
    episodes = int(sys.argv[1]) if len(sys.argv) > 1 else 6000
    if len(sys.argv) > 3:
        measure(Path(sys.argv[2]))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(scratch) / "big"
        if not folder.exists():
            make_run(folder, episodes)
        size = (folder / DATABASE).stat().st_size / 1e6
        print(f"{episodes} episodes, {size:.0f} MB")
        subprocess.run([sys.executable, __file__, str(episodes), str(folder), "measure"], check=True)  # noqa: S603 - ourselves


if __name__ == "__main__":
    main()
