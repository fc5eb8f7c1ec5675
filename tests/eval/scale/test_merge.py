"""Joining shards: one run, equal to one that was never cut up; or one clear line why not."""

import json
import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest
from helpers.runs import assembly, canonical, play
from helpers.scripted import Script

from emoharbor.eval.cli.main import call
from emoharbor.eval.run import load_run
from emoharbor.eval.runs.plan import Selection
from emoharbor.eval.runs.shard import Shard
from emoharbor.eval.scale.copying import Joined
from emoharbor.eval.scale.merge import DRAFT, merge
from emoharbor.eval.store.folder import DATABASE, MANIFEST, FolderLock
from emoharbor.eval.store.schema import metadata
from emoharbor.state.errors import RunFolderError

pytestmark = pytest.mark.slow  # whole runs, sharded and merged

Shards = Callable[..., Awaitable[list[Path]]]


@pytest.mark.parametrize("of", [1, 2, 3, 5])
async def test_shards_join_into_what_an_uncut_run_gives(of: int, shards: Shards, tmp_path: Path) -> None:
    whole = await play(assembly(Script()), tmp_path / "whole")
    parts = await shards(of)

    done = merge(list(reversed(parts)), tmp_path / "joined")

    joined = load_run(done.folder)
    assert (done.finished, done.planned, done.copied) == (6, 6, True)
    assert canonical(joined, tmp_path) == canonical(whole, tmp_path)
    assert joined.planned() == whole.planned()
    assert rows(tmp_path / "joined") == rows(tmp_path / "whole")
    for key in whole.planned():
        assert [run.name for run in joined.trace(key).runs] == [run.name for run in whole.trace(key).runs]
    nameless = {"runs": ()}  # the folders differ
    assert joined.leaderboard().model_copy(update=nameless) == whole.leaderboard().model_copy(update=nameless)


async def test_what_the_endpoints_did_is_told_of_all_shards_together(shards: Shards, tmp_path: Path) -> None:
    parts = await shards(2)
    report = {
        "endpoint": "http://one/v1", "model": "m", "rung": "json_schema", "dropped": ["seed"], "calls": 5,
        "faults": {"overloaded": 1}, "reports_usage": True, "concurrency": 8,
    }  # fmt: skip
    more = {"rung": "tool", "dropped": [], "calls": 7, "faults": {"overloaded": 2, "empty": 1}, "concurrency": 4}
    other = {**report, "model": "other", "calls": 1}
    for folder, told in zip(parts, ([report], [{**report, **more, "reports_usage": False}, other]), strict=True):
        data = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        (folder / MANIFEST).write_text(json.dumps({**data, "endpoints": told}), encoding="utf-8")

    merge(parts, tmp_path / "joined")

    both = {"calls": 12, "faults": {"empty": 1, "overloaded": 3}, "rung": "tool", "dropped": ["seed"], "concurrency": 4}
    assert list(load_run(tmp_path / "joined").manifest.endpoints) == [
        {**report, **both, "reports_usage": False}, other,
    ]  # fmt: skip


async def test_the_manifest_of_a_shard_and_of_the_whole_say_what_they_are(shards: Shards, tmp_path: Path) -> None:
    parts = await shards(2)
    merge(parts, tmp_path / "joined")

    first, second = (load_run(folder).manifest for folder in parts)
    joined = load_run(tmp_path / "joined").manifest
    assert (str(first.shard), str(second.shard), joined.shard) == ("1/2", "2/2", None)
    assert joined.merged == (first.run_id, second.run_id)
    assert joined.run_id not in joined.merged
    assert joined.config == first.config


async def test_a_shard_plans_only_its_own_part(shards: Shards) -> None:
    parts = await shards(3)

    planned = [[str(key) for key in load_run(folder).planned()] for folder in parts]
    assert planned == [["P010/one/0", "P010/two/0"], ["P035/one/0", "P035/two/0"], ["P040/one/0", "P040/two/0"]]
    assert [str(record.episode) for record in load_run(parts[1]).episodes()] == planned[1]


async def test_an_opening_is_made_once_in_all_shards_together(shards: Shards) -> None:
    called: list[tuple[str, int]] = []
    await shards(3, lambda: assembly(Script(called=called)))  # type: ignore[arg-type]  # roles are strings

    assert called.count(("speak", 0)) == 3


async def test_merging_again_does_nothing(shards: Shards, tmp_path: Path) -> None:
    parts = await shards(2)
    merge(parts, tmp_path / "joined")
    before = (tmp_path / "joined" / DATABASE).read_bytes()

    done = merge(parts, tmp_path / "joined")

    assert not done.copied
    assert (tmp_path / "joined" / DATABASE).read_bytes() == before


@pytest.mark.parametrize("copied", [0, 1, 2])
async def test_a_merge_that_was_broken_off_is_given_again(
    copied: int, shards: Shards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = await shards(3)
    monkeypatch.setattr(Joined, "add", killed_after(copied, Joined.add))
    with pytest.raises(Killed):
        merge(parts, tmp_path / "joined")
    monkeypatch.undo()
    added: list[int] = []
    monkeypatch.setattr(Joined, "add", told(added, Joined.add))

    merge(parts, tmp_path / "joined")

    assert added == [1, 2, 3][copied:]
    assert not (tmp_path / "joined" / DRAFT).exists()
    whole = await play(assembly(Script()), tmp_path / "whole")
    assert canonical(load_run(tmp_path / "joined"), tmp_path) == canonical(whole, tmp_path)


async def test_a_shard_that_went_on_after_a_broken_merge_is_copied_anew(
    shards: Shards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [tmp_path / "part1of2", *(await shards(2))[1:]]
    shutil.rmtree(parts[0])
    part = Shard(number=1, of=2)
    await play(assembly(Script()), parts[0], only=Selection(shard=part, limit=1))
    monkeypatch.setattr(Joined, "add", killed_after(1, Joined.add))
    with pytest.raises(Killed):
        merge(parts, tmp_path / "joined")
    monkeypatch.undo()
    await play(assembly(Script()), parts[0], resume=True)

    assert merge(parts, tmp_path / "joined").finished == 6


async def test_the_rest_of_unfinished_shards_is_run_in_the_whole(shards: Shards, tmp_path: Path) -> None:
    part = Shard(number=1, of=2)
    await play(assembly(Script()), tmp_path / "first", only=Selection(shard=part, limit=1))
    second = (await shards(2))[1]

    done = merge([tmp_path / "first", second], tmp_path / "joined")
    assert (done.finished, done.planned) == (3, 6)
    run = await play(assembly(Script()), tmp_path / "joined", resume=True)

    whole = await play(assembly(Script()), tmp_path / "whole")
    assert canonical(run, tmp_path) == canonical(whole, tmp_path)


async def test_shards_that_went_on_since_are_not_mixed_in(shards: Shards, tmp_path: Path) -> None:
    part = Shard(number=1, of=2)
    await play(assembly(Script()), tmp_path / "first", only=Selection(shard=part, limit=1))
    parts = [tmp_path / "first", (await shards(2))[1]]
    merge(parts, tmp_path / "joined")
    await play(assembly(Script()), tmp_path / "first", resume=True)

    with pytest.raises(RunFolderError, match="has gone on since"):
        merge(parts, tmp_path / "joined")


async def test_shards_that_make_no_run_are_refused_with_the_reason(shards: Shards, tmp_path: Path) -> None:
    parts, halves = await shards(3), await shards(2)
    other = await shards(3, lambda: assembly(Script(), run={"seed": 8}), "other")
    await play(assembly(Script()), tmp_path / "whole")
    copy = tmp_path / "copy"
    shutil.copytree(parts[0], copy)

    cases = [
        (parts[:2], "shard 3/3 is missing; run what is missing"),
        (parts[:1], "shards 2/3, 3/3 are missing"),
        ([*parts, copy], "shard 1/3 is given twice"),
        ([parts[0], halves[1]], "is shard 2/2, but .* is one of 3"),
        ([*parts[:2], other[2]], "another run than .*config.run.seed was 7, now it is 8"),
        ([*parts[:2], tmp_path / "whole"], "is a whole run, not a shard"),
        ([*parts[:2], tmp_path / "nowhere"], "is no run folder"),
    ]
    for folders, message in cases:
        with pytest.raises(RunFolderError, match=message):
            merge(folders, tmp_path / "joined")
        assert not (tmp_path / "joined").exists()


async def test_an_episode_in_two_shards_is_named(shards: Shards, tmp_path: Path) -> None:
    parts = await shards(2)
    manifest = json.loads((parts[0] / MANIFEST).read_text())
    manifest["shard"]["number"] = 2
    (parts[1] / MANIFEST).write_text(json.dumps(manifest))
    shutil.copyfile(parts[0] / DATABASE, parts[1] / DATABASE)

    with pytest.raises(RunFolderError, match="part2of2: holds episode P010/one/0, which another shard holds as well"):
        merge(parts, tmp_path / "joined")


async def test_a_shard_that_is_being_run_is_not_merged(shards: Shards, tmp_path: Path) -> None:
    parts = await shards(2)
    running = FolderLock(parts[1])
    try:
        with pytest.raises(RunFolderError, match="part2of2: another run is writing"):
            merge(parts, tmp_path / "joined")
    finally:
        running.release()


async def test_a_folder_that_holds_something_else_is_left_alone(shards: Shards, tmp_path: Path) -> None:
    parts = await shards(2)
    await play(assembly(Script()), tmp_path / "whole")
    before = (tmp_path / "whole" / MANIFEST).read_bytes()
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.txt").touch()

    with pytest.raises(RunFolderError, match="whole: holds another run already"):
        merge(parts, tmp_path / "whole")
    with pytest.raises(RunFolderError, match="letters: is not empty"):
        merge(parts, tmp_path / "letters")
    assert (tmp_path / "whole" / MANIFEST).read_bytes() == before
    assert [item.name for item in (tmp_path / "letters").iterdir()] == ["a.txt"]


async def test_a_shard_of_the_version_before_is_merged(shards: Shards, tmp_path: Path) -> None:
    parts = await shards(2)
    merge(parts, tmp_path / "whole")
    with closing(sqlite3.connect(parts[1] / DATABASE)) as connection, connection:
        connection.execute("PRAGMA user_version = 3")

    merge(parts, tmp_path / "joined")
    assert list(load_run(tmp_path / "joined").episodes()) == list(load_run(tmp_path / "whole").episodes())


async def test_a_shard_of_another_schema_is_refused(shards: Shards, tmp_path: Path) -> None:
    parts = await shards(2)
    with closing(sqlite3.connect(parts[1] / DATABASE)) as connection, connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()

    with pytest.raises(RunFolderError, match="schema version 99"):
        merge(parts, tmp_path / "joined")


async def test_a_shard_is_only_gone_on_with_as_itself(shards: Shards, tmp_path: Path) -> None:
    parts = await shards(2)

    with pytest.raises(RunFolderError, match="holds shard 1/2, not shard 2/2"):
        await play(assembly(Script()), parts[0], resume=True, only=Selection(shard=Shard(number=2, of=2)))
    run = await play(assembly(Script()), parts[0], resume=True)
    assert len(list(run.episodes())) == 4


async def test_the_command_says_what_it_did(shards: Shards, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = [str(folder) for folder in await shards(2)]

    assert call(["merge", *parts, "-o", str(tmp_path / "joined")]) == 0
    assert "holds 6 finished episodes of 6" in capsys.readouterr().err
    assert call(["merge", *parts[:1], "-o", str(tmp_path / "other")]) == 2
    assert capsys.readouterr().err.startswith("error: shard 2/2 is missing")


class Killed(BaseException):
    """In place of SIGKILL: nothing after it runs but what must."""


def killed_after(count: int, add: Callable[..., None]) -> Callable[..., None]:
    """Let so many shards be copied."""

    def instead(joined: Joined, number: int, folder: Path) -> None:
        if number > count:
            raise Killed
        add(joined, number, folder)

    return instead


def told(added: list[int], add: Callable[..., None]) -> Callable[..., None]:
    """Note which shards are copied."""

    def instead(joined: Joined, number: int, folder: Path) -> None:
        added.append(number)
        add(joined, number, folder)

    return instead


def rows(folder: Path) -> dict[str, int]:
    """Return the number of rows of each table, and that nothing else is there."""
    with closing(sqlite3.connect(folder / DATABASE)) as connection, connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names}  # noqa: S608 - our own names
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()
    assert set(found) == {table.name for table in metadata.sorted_tables}
    return found
