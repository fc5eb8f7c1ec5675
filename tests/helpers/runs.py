"""Runs of scripted casts: the runner, the store and the figures without any model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from helpers.scripted import Script, part

from emoharbor.eval.assembly import Assembly
from emoharbor.eval.config import make_config
from emoharbor.eval.run import Run
from emoharbor.eval.runs.start import Options, run_assembly
from emoharbor.nodes.cast import Part
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import Profile

PEOPLE = ("P010", "P035", "P040")


def assembly(
    script: Script,
    *,
    profiles: Sequence[str] = PEOPLE,
    supporters: Mapping[str, Part] | None = None,
    run: Mapping[str, Any] | None = None,
    concurrency: int = 4,
) -> Assembly:
    """Return a run of a scripted cast; `supporters` replaces the scripted one."""
    under_test = {"one": part("supporter", script.supporter()), "two": part("supporter", script.supporter())}
    under_test = under_test if supporters is None else dict(supporters)
    config = make_config({
        "run": {"name": "scripted", "seed": 7, "max_turns": 3, **(run or {})},
        "profiles": list(profiles),
        "cast": {"user": list(script.chain)},
        "supporters": [{"name": name, "use": "offline", "style": "silent", **under_test[name].args}
                       for name in under_test],
        "limits": {"concurrency": concurrency},
    })  # fmt: skip
    remembering = frozenset(name for name, under in under_test.items() if under.args.get("send") == "last")
    return Assembly(
        config, replace(script.cast(), supporters=under_test), _people(tuple(profiles)), {}, remembering=remembering
    )


@cache
def _people(names: tuple[str, ...]) -> dict[str, Profile]:
    return load_people(names)


async def play(found: Assembly, folder: Path, **options: Any) -> Run:
    """Run it into a folder."""
    return await run_assembly(found, folder, Options(**options))


def canonical(run: Run, folder: Path) -> bytes:
    """Return the canonical export."""
    return run.export(folder / "canonical.jsonl", "jsonl", canonical=True)[0].read_bytes()
