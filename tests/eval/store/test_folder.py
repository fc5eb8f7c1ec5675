"""Run folders: who may have one, and what is said when they may not."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.runs import assembly, play
from helpers.scripted import Script

from emoharbor.eval.run import Run
from emoharbor.eval.store.database import open_to_write
from emoharbor.eval.store.folder import prepare, write_whole
from emoharbor.eval.store.schema import VERSION
from emoharbor.state.errors import RunFolderError

TAKEN = "another run is writing into this folder"


def test_a_new_folder_is_made_and_an_empty_one_is_taken(tmp_path: Path) -> None:
    for folder in (tmp_path / "new" / "deep", tmp_path / "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        prepare(folder, resume=False).release()

        assert folder.is_dir()


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")

    with pytest.raises(RunFolderError, match="is not empty and holds no run"):
        prepare(tmp_path, resume=False)
    assert [item.name for item in tmp_path.iterdir()] == ["thesis.txt"]


async def test_a_run_is_not_written_over(tmp_path: Path) -> None:
    await play(assembly(Script(), profiles=("P010",)), tmp_path / "run")

    with pytest.raises(RunFolderError, match="already holds a run; go on with it by --resume"):
        await play(assembly(Script(), profiles=("P010",)), tmp_path / "run")


def test_there_is_nothing_to_go_on_with_in_a_new_folder(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="holds no run to go on with"):
        prepare(tmp_path / "none", resume=True)
    assert not (tmp_path / "none").exists()


def test_a_folder_has_one_writer_at_a_time(tmp_path: Path) -> None:
    lock = prepare(tmp_path, resume=False)

    with pytest.raises(RunFolderError, match=TAKEN):
        prepare(tmp_path, resume=False)
    lock.release()
    prepare(tmp_path, resume=False).release()


def test_another_process_is_kept_out_and_a_killed_one_keeps_nobody_out(tmp_path: Path) -> None:
    hold = (
        "import sys, pathlib; from emoharbor.eval.store.folder import prepare; "
        "lock = prepare(pathlib.Path(sys.argv[1]), resume=False); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(RunFolderError, match=TAKEN):
            prepare(tmp_path, resume=False)
        other.kill()
        other.wait()

    prepare(tmp_path, resume=False).release()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_one_clear_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    with pytest.raises(RunFolderError, match="cannot be"):
        prepare(tmp_path, resume=False)


def test_a_file_in_place_of_the_folder_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")

    with pytest.raises(RunFolderError, match="cannot be made: File exists"):
        prepare(tmp_path / "run", resume=False)


@pytest.mark.parametrize("missing", ["manifest.json", "run.db"])
async def test_a_folder_without_its_files_is_one_clear_line(tmp_path: Path, missing: str) -> None:
    folder = tmp_path / "run"
    await play(assembly(Script(), profiles=("P010",)), folder)
    (folder / missing).unlink()

    with pytest.raises(RunFolderError, match=r"is no run folder|no episode of this run has begun"):
        Run(folder).episode("P010/one/0")


async def test_a_newer_database_names_both_versions(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    await play(assembly(Script(), profiles=("P010",)), folder)
    with sqlite3.connect(folder / "run.db") as database:
        database.execute(f"PRAGMA user_version = {VERSION + 1}")
    database.close()

    says = f"has schema version {VERSION + 1}, this emoharbor knows up to {VERSION}; update emoharbor"
    with pytest.raises(RunFolderError, match=says):
        Run(folder)
    with pytest.raises(RunFolderError, match=says):
        open_to_write(folder / "run.db")


async def test_a_newer_manifest_names_both_versions(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    await play(assembly(Script(), profiles=("P010",)), folder)
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"format": 1', '"format": 9'))

    with pytest.raises(RunFolderError, match="has format 9, this emoharbor knows up to 1"):
        Run(folder)


def test_what_is_no_database_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "run.db").write_bytes(b"no database at all" * 100)

    with pytest.raises(RunFolderError, match="not a database"):
        open_to_write(tmp_path / "run.db")


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "manifest.json"
    write_whole(target, "before")

    with pytest.raises(UnicodeEncodeError):
        write_whole(target, "half \ud800")
    assert target.read_text() == "before"


async def test_a_finished_run_is_three_plain_files(tmp_path: Path) -> None:
    run = await play(assembly(Script(), profiles=("P010",)), tmp_path / "run")
    list(run.episodes())

    assert sorted(item.name for item in (tmp_path / "run").iterdir()) == ["manifest.json", "run.db", "run.lock"]


async def test_a_database_that_somebody_else_holds_is_one_clear_line_and_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("emoharbor.eval.store.database.BUSY_SECONDS", 0.05)
    folder = tmp_path / "run"
    before = list((await play(assembly(Script(), profiles=("P010",)), folder)).episodes())
    other = sqlite3.connect(folder / "run.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    with pytest.raises(RunFolderError, match=r"run\.db: cannot be opened for writing: database is locked"):
        await play(assembly(Script(), profiles=("P010",)), folder, resume=True)
    other.execute("ROLLBACK")
    other.close()
    assert list((await play(assembly(Script(), profiles=("P010",)), folder, resume=True)).episodes()) == before
