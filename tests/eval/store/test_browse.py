"""Looking over a run without its dialogues."""

from pathlib import Path

import pytest
from helpers.runs import assembly, play
from helpers.scripted import Script

from emoharbor.eval.runs.plan import Selection
from emoharbor.eval.store.browse import Browser, ended
from emoharbor.state.errors import RunFolderError


async def test_a_line_says_what_the_record_says(tmp_path: Path) -> None:
    run = await play(assembly(Script()), tmp_path / "run")
    lines = Browser(run.folder).refresh()

    for line, record in zip(lines, run.episodes(), strict=True):
        assert str(line.key) == record.episode
        assert line.outcome == record.outcome
        assert line.faults == tuple(dict.fromkeys(fault.kind for fault in record.faults))
        own = [judgement.scores for judgement in record.primary if judgement.scores]
        assert line.overall == (own[0].overall if own else None)
        assert line.dimensions == {item.dimension: item.score for judged in record.primary for item in judged.ratings}


async def test_what_is_added_shows_at_the_next_look_and_only_then(tmp_path: Path) -> None:
    found = assembly(Script())
    run = await play(found, tmp_path / "run", only=Selection(limit=2))
    browser = Browser(run.folder)
    before = len(browser.refresh())
    stamp = browser.stamp
    browser.refresh()
    same = browser.stamp
    await play(found, tmp_path / "run", resume=True)
    after = browser.refresh()

    assert (before, ended(run.folder)) == (2, 6)
    assert same == stamp < browser.stamp
    assert [str(line.key) for line in after] == [str(record.episode) for record in run.episodes()]


def test_a_folder_without_a_database_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError):
        Browser(tmp_path)
