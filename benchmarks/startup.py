"""How long commands that only read a run take, against the same with LangGraph and LangSmith loaded, as playing needs.

Each command runs in a process of its own; the two ways take turns. CPU counts, since a machine that waits for its disk
says nothing about what is imported.

Usage: python benchmarks/startup.py [--rounds 7] [--json]
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from emoharbor.eval.api import evaluate_sync

MAIN = "from emoharbor.eval.cli.main import main; main()"
WAYS = {"as it is": MAIN, "with both": f"import langgraph.graph, langsmith.run_trees; {MAIN}"}
COMMANDS = (
    "show run",
    "show run P010/attuned/0",
    "trace show run P010/attuned/0",
    "leaderboard run",
    "export run --out rows",
    "check run.yaml",
)
CONFIG = """
profiles: [P010, P035]
supporters:
  - {name: attuned, use: offline, style: attuned}
  - {name: silent, use: offline, style: silent}
"""


def spent(code: str, command: str, folder: Path) -> float:
    """Return CPU seconds of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code, *command.split()], cwd=folder, check=True, capture_output=True)  # noqa: S603 - our own command
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--json", action="store_true", help="print the figures as JSON")
    chosen = options.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "run.yaml").write_text(CONFIG, encoding="utf-8")
        evaluate_sync(folder / "run.yaml", folder / "run")
        for command in COMMANDS:
            took: dict[str, list[float]] = {way: [] for way in WAYS}
            for _ in range(chosen.rounds):
                for way, code in WAYS.items():
                    took[way].append(spent(code, command, folder))
            seconds = {way: statistics.median(all_) for way, all_ in took.items()}
            found[command] = {**seconds, "ratio": seconds["as it is"] / seconds["with both"]}
    if chosen.json:
        print(json.dumps(found, indent=1))
        return
    for command, figures in found.items():
        print(
            f"{command:32} {figures['as it is']:.2f} s of CPU, {figures['ratio']:.2f} of {figures['with both']:.2f} s"
        )


if __name__ == "__main__":
    main()
