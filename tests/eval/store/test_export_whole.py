"""An export takes the place of an older one whole, or not at all; so does a report."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from emoharbor.eval.cli.files import write_new
from emoharbor.eval.store.export import Format, Pair, export
from emoharbor.state.errors import ConfigError, RunFolderError


def full(*_: object) -> Iterator[Pair]:
    raise OSError(28, "No space left on device")


def test_what_stood_there_stays_when_the_disk_is_full(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("older\n", encoding="utf-8")

    with pytest.raises(RunFolderError, match=r"run\.jsonl: cannot be written: No space left on device"):
        export(full, path, "jsonl")
    assert path.read_text(encoding="utf-8") == "older\n"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_table_that_finds_no_room_leaves_the_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Format
) -> None:
    def half(_: pl.DataFrame, path: Path) -> None:
        path.write_bytes(b"half")
        raise pl.exceptions.ComputeError("No space left on device (os error 28)")

    monkeypatch.setattr(pl.DataFrame, f"write_{kind}", half)
    older = tmp_path / f"episodes.{kind}"
    older.write_bytes(b"older")

    with pytest.raises(RunFolderError, match="No space left on device"):
        export(lambda: iter(()), tmp_path, kind)
    assert older.read_bytes() == b"older"
    assert list(tmp_path.iterdir()) == [older]


def test_a_file_in_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"cannot write .*report\.html: "):
        write_new(tmp_path / "file" / "report.html", "x")
