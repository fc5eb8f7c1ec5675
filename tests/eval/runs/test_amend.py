"""Adding people, supporters or repeats to a run; everything else is refused with the difference."""

from pathlib import Path
from typing import Any

import pytest

from emoharbor.eval import evaluate, load_run
from emoharbor.eval.runs.plan import Selection
from emoharbor.eval.runs.shard import Shard
from emoharbor.state.errors import RunFolderError

ATTUNED = {"name": "attuned", "use": "offline", "style": "attuned"}
SILENT = {"name": "silent", "use": "offline", "style": "silent"}


def config(**changes: Any) -> dict[str, Any]:
    """One person with one supporter."""
    return {"run": {"max_turns": 1}, "profiles": ["P010"], "supporters": [ATTUNED], **changes}


async def test_people_supporters_and_repeats_are_added_and_the_manifest_keeps_the_history(tmp_path: Path) -> None:
    first = await evaluate(config(), tmp_path / "run")
    (before,) = first.records()
    more = config(profiles=["P010", "P013"], supporters=[SILENT, ATTUNED])
    await evaluate(more, tmp_path / "run", resume=True, amend=True)
    again = config(run={"max_turns": 1, "repeats": 2}, profiles=["P013", "P010"], supporters=[SILENT, ATTUNED])
    run = await evaluate(again, tmp_path / "run", resume=True, amend=True)

    assert len(list(run.episodes())) == len(run.planned()) == 8
    assert next(pair for pair in run.records() if pair[0].episode == "P010/attuned/0") == before
    assert [(item.profiles, item.supporters, item.repeats) for item in run.manifest.amendments] == [
        (("P013",), ("silent",), 0), ((), (), 1),
    ]  # fmt: skip
    assert run.manifest.run_id == first.manifest.run_id
    assert {part.name for part in run.manifest.cast if part.role == "supporter"} == {"silent", "attuned"}


async def test_an_amendment_that_adds_nothing_only_goes_on(tmp_path: Path) -> None:
    await evaluate(config(profiles=["P010", "P013"]), tmp_path / "run", only=Selection(limit=1))
    run = await evaluate(config(profiles=["P010", "P013"]), tmp_path / "run", resume=True, amend=True)

    assert len(list(run.episodes())) == 2
    assert run.manifest.amendments == ()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"run": {"max_turns": 2}}, r"config\.run\.max_turns was 1, now it is 2"),
        ({"run": {"max_turns": 1, "repeats": 1}}, r"config\.run\.repeats was 2, now it is 1"),
        ({"profiles": ["P013"]}, r"profiles\.P010 was .*, now it is null"),
        ({"supporters": [SILENT]}, r"config\.supporters was"),
        ({"supporters": [{**ATTUNED, "style": "generic"}]}, r"config\.supporters\.0\.style was .attuned."),
        ({"cast": {"user": ["speak"]}}, r"config\.cast\.user was"),
    ],
)
async def test_a_change_of_what_is_there_is_refused_with_the_difference(
    tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    twice = {"max_turns": 1, "repeats": 2}
    await evaluate(config(run=twice), tmp_path / "run")
    before = (tmp_path / "run" / "manifest.json").read_bytes()

    with pytest.raises(RunFolderError, match=f"an amendment only adds .*, but {says}"):
        await evaluate(config(**{"run": twice, **changes}), tmp_path / "run", amend=True)
    assert (tmp_path / "run" / "manifest.json").read_bytes() == before


async def test_without_amend_an_addition_is_refused_and_the_option_named(tmp_path: Path) -> None:
    await evaluate(config(), tmp_path / "run")

    with pytest.raises(RunFolderError, match=r"config\.profiles was .* say --amend"):
        await evaluate(config(profiles=["P010", "P013"]), tmp_path / "run", resume=True)
    assert len(load_run(tmp_path / "run").planned()) == 1


async def test_a_shard_is_not_amended(tmp_path: Path) -> None:
    await evaluate(config(), tmp_path / "run", only=Selection(shard=Shard(number=1, of=2)))

    with pytest.raises(RunFolderError, match="holds shard 1/2, which cannot be amended"):
        await evaluate(config(profiles=["P010", "P013"]), tmp_path / "run", amend=True)
