"""Talking as the supporter, watching one, forking: what a page may start."""

import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.viewer import opened, slug_of
from starlette.testclient import TestClient

from emoharbor.eval.people.branches import branches
from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.run import Run
from emoharbor.eval.viewer.library import TALKS, Library


@pytest.fixture
def mine(runs: Path, tmp_path: Path) -> Path:
    """A folder with one run, to be written to."""
    shutil.copytree(runs / "small", tmp_path / "mine")
    return tmp_path


@pytest.fixture
def browser(mine: Path) -> Iterator[TestClient]:
    """Somebody who looks at it."""
    with opened(Library(mine)) as client:
        yield client


def test_a_talk_is_held_to_its_end_and_kept_as_a_run_with_its_verdict(browser: TestClient, mine: Path) -> None:
    page = browser.post("/talk", data={"person": "P010", "whom": "human"})
    address, said = page.url.path, 0
    while 'name="turn"' in page.text:
        (turn,) = re.findall(r'name="turn" value="(\d+)"', page.text)
        page = browser.post(f"{address}/say", data={"turn": turn, "text": f"I hear you, <b>{said}</b>."})
        said += 1
    (folder,) = (mine / TALKS).iterdir()
    record = next(Run(folder).episodes())

    assert said >= 3
    assert "See what" in page.text
    assert "I hear you, &lt;b&gt;0&lt;/b&gt;." in page.text
    assert [turn.supporter for turn in record.turns if turn.supporter][:2] == [
        "I hear you, <b>0</b>.", "I hear you, <b>1</b>.",
    ]  # fmt: skip
    assert record.judgements


def test_the_inner_world_is_shown_to_who_asks_for_it_and_to_nobody_else(browser: TestClient) -> None:
    blind = browser.post("/talk", data={"person": "P010", "whom": "human"}).text
    seeing = browser.post("/talk", data={"person": "P010", "whom": "human", "inner": "yes"}).text

    assert "Holds back" not in blind
    assert "distress" not in blind
    assert "Holds back" in seeing


def test_the_same_form_sent_twice_says_it_once(browser: TestClient) -> None:
    page = browser.post("/talk", data={"person": "P010", "whom": "human"})
    form = {"turn": "0", "text": "Only once."}
    browser.post(f"{page.url.path}/say", data=form)
    page = browser.post(f"{page.url.path}/say", data=form)

    assert page.text.count("Only once.") == 1


def test_an_empty_answer_is_asked_for_again(browser: TestClient) -> None:
    page = browser.post("/talk", data={"person": "P010", "whom": "human"})
    page = browser.post(f"{page.url.path}/say", data={"turn": "0", "text": " \n\u200b"})

    assert "not sent" in page.text


def test_a_supporter_is_watched_with_a_person(browser: TestClient, mine: Path) -> None:
    slug = slug_of(mine, "mine")
    page = browser.post("/talk", data={"person": "P035", "whom": f"{slug}:attuned"})
    (folder,) = (mine / TALKS).iterdir()
    record = _ended(folder)

    assert "/episode" in page.url.path
    assert (record.profile, record.supporter) == ("P035", "attuned")


@pytest.mark.parametrize(
    "form", [{"person": "nobody"}, {"person": "P010", "whom": "x:y"}, {"person": "P010", "whom": "os:system"}, {}]
)
def test_who_is_not_in_the_lists_cannot_be_asked_for(browser: TestClient, form: dict[str, str]) -> None:
    assert browser.post("/talk", data=form).status_code in (400, 404)


def test_an_episode_is_forked_and_the_branch_is_shown_with_where_it_comes_from(browser: TestClient, mine: Path) -> None:
    slug = slug_of(mine, "mine")
    form = {"e": "P010/attuned/0", "turn": "1", "supporter": "run:silent"}
    page = browser.post(f"/r/{slug}/fork", data=form)
    (branch,) = branches(mine / "mine")
    record = _ended(branch.folder)

    assert "branch of P010/attuned/0 from turn 1" in page.text
    assert record.turns[0] == Run(mine / "mine").episode("P010/attuned/0").turns[0]
    assert record.supporter == "silent"
    assert "branch of P010/attuned/0 at turn 1" in browser.get("/").text
    assert "branch at turn 1" in browser.get(f"/r/{slug}/episode?e=P010/attuned/0").text


def test_a_fork_at_which_you_take_over_becomes_a_talk(browser: TestClient, mine: Path) -> None:
    form = {"e": "P010/attuned/0", "turn": "2", "supporter": "human"}
    page = browser.post(f"/r/{slug_of(mine, 'mine')}/fork", data=form)

    assert page.url.path.startswith("/talk/")
    assert page.text.count('class="said supporter"') == 2


@pytest.mark.parametrize(
    "change", [{"turn": "9"}, {"turn": "x"}, {"supporter": "os:system"}, {"e": "P010/nobody/0"}, {"supporter": ""}]
)
def test_a_fork_that_makes_no_sense_writes_nothing(browser: TestClient, mine: Path, change: dict[str, str]) -> None:
    form = {"e": "P010/attuned/0", "turn": "1", "supporter": "run:silent"} | change
    answer = browser.post(f"/r/{slug_of(mine, 'mine')}/fork", data=form)

    assert answer.status_code in (400, 404)
    assert not branches(mine / "mine")


def test_a_form_that_is_too_long_is_refused(browser: TestClient) -> None:
    page = browser.post("/talk", data={"person": "P010", "whom": "human"})
    answer = browser.post(f"{page.url.path}/say", data={"turn": "0", "text": "x" * 1_000_001})

    assert answer.status_code == 400


def _ended(folder: Path) -> EpisodeRecord:
    for _ in range(500):
        record = next(Run(folder).episodes(), None)
        if record is not None and record.outcome is not None:
            return record
        time.sleep(0.02)
    raise AssertionError
