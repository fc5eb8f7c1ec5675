"""A run that goes on is followed, and not disturbed."""

from pathlib import Path

import pytest
from helpers.viewer import opened, slug_of

from emoharbor.eval.api import evaluate
from emoharbor.eval.runs.plan import Selection
from emoharbor.eval.viewer.library import Library

CONFIG = {
    "run": {"name": "live", "seed": 7, "max_turns": 2},
    "profiles": ["P010", "P035"],
    "supporters": [{"name": "silent", "use": "offline", "style": "silent"}],
}


@pytest.fixture
async def half(tmp_path: Path) -> Path:
    """A folder with a run of which one of two episodes is there."""
    await evaluate(CONFIG, tmp_path / "live", only=Selection(limit=1))
    return tmp_path


async def test_what_a_run_adds_shows_in_the_next_answer(half: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("emoharbor.eval.viewer.open_run._AFRESH", 0.0)
    slug = slug_of(half, "live")
    with opened(Library(half)) as browser:
        before = browser.get(f"/r/{slug}/pulse").json()
        page = browser.get(f"/r/{slug}/episodes").text
        await evaluate(CONFIG, half / "live", resume=True)
        after = browser.get(f"/r/{slug}/pulse").json()
        later = browser.get(f"/r/{slug}/episodes").text

    assert (before["done"], before["planned"], before["going_on"]) == (1, 2, True)
    assert 'data-live="/r/' in page
    assert "1 episode" in page
    assert (after["done"], after["going_on"]) == (2, False)
    assert after["stamp"] != before["stamp"]
    assert "2 episodes" in later
    assert "data-live" not in later
