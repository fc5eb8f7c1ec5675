"""Every page, as far as it shows without a browser."""

from pathlib import Path
from urllib.parse import urlencode

import pytest
from helpers.viewer import slug_of, until
from starlette.testclient import TestClient

from emoharbor.eval.run import Run
from emoharbor.eval.viewer.library import Library
from emoharbor.state.errors import RunFolderError


def test_the_list_names_every_run_and_how_far_it_is(browser: TestClient) -> None:
    page = browser.get("/").text

    assert "no-feel" in page
    assert page.count("4 of 4") == 2


def test_the_leaderboard_has_the_figures_of_the_run_and_every_denominator(
    browser: TestClient, runs: Path, slug: str
) -> None:
    page = until(browser, f"/r/{slug}")

    for row in Run(runs / "small").leaderboard().supporters:
        assert row.overall is not None
        assert f"{row.overall:.1f}" in page
        assert row.name in page
    assert "planned = scored + failed + invalid + unfinished + unscored" in page


def test_a_square_of_the_heat_map_leads_to_its_episodes_the_lowest_first(browser: TestClient, slug: str) -> None:
    page = browser.get(f"/r/{slug}/dimensions").text
    there = f"/r/{slug}/episodes?supporter=silent&amp;dimension=discovery&amp;order=score"

    assert there in page
    assert "silent" in browser.get(there.replace("&amp;", "&")).text


@pytest.mark.parametrize("by", ["problem", "need", "coping", "trait", "culture", "nonsense"])
def test_people_are_grouped_in_every_way_there_is(browser: TestClient, slug: str, by: str) -> None:
    assert browser.get(f"/r/{slug}/dimensions?by={by}&of=attuned").status_code == 200


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", 4), ("supporter=silent", 2), ("person=P010", 2), ("q=titik", 2), ("q=titik+attuned", 1), ("q=xyzzy", 0),
        ("outcome=under_way", 0), ("fault=none", 4), ("fault=any", 0), ("dimension=safety&low=1&high=5", 4),
        ("dimension=discovery&high=1", 2), ("high=20", 2), ("order=-overall", 4), ("order=<script>", 4),
        ("page=99", 4), ("page=-1&low=abc", 4),
    ],
)  # fmt: skip
def test_episodes_are_filtered_by_the_server(browser: TestClient, slug: str, query: str, found: int) -> None:
    page = browser.get(f"/r/{slug}/episodes?{query}").text

    assert f"{found} episode{'' if found == 1 else 's'}" in page
    assert page.count("/episode?e=") == found


@pytest.mark.parametrize("side", ["user", "supporter"])
def test_what_was_said_finds_its_episode_and_the_way_on_from_it(
    browser: TestClient, runs: Path, slug: str, side: str
) -> None:
    record = Run(runs / "small").episode("P010/attuned/0")
    said = str(getattr(record.turns[1], side)).replace('"', " ").split()
    search = {"q": f'"{" ".join(said[:6]).upper()}" attuned'}

    page = browser.get(f"/r/{slug}/episodes", params=search).text

    assert "1 episode fits" in page
    assert page.count("/episode?e=") == 1
    assert "turn=1" in page
    alone = browser.get(f"/r/{slug}/episode", params={"e": record.episode, "list": urlencode(search)})
    assert alone.status_code == 200
    assert 'rel="next"' not in alone.text


def test_an_episode_shows_dialogue_inner_world_and_verdict(browser: TestClient, runs: Path, slug: str) -> None:
    record = Run(runs / "small").episode("P010/attuned/0")
    page = browser.get(f"/r/{slug}/episode?e=P010/attuned/0&turn=2&dimension=discovery").text

    assert page.count('class="turn') >= len(record.turns)
    assert page.count("data-world=") == len(record.turns)
    assert 'data-world="2">' in page
    assert 'data-world="1" hidden>' in page
    assert page.count('<article class="rating') == 10
    assert 'class="rating wanted" id="rating-discovery"' in page
    assert 'data-seat="think"' in page
    assert "unsaid" in page


def test_a_quote_of_the_verdict_leads_to_its_turn(browser: TestClient, runs: Path, slug: str) -> None:
    record = Run(runs / "small").episode("P010/attuned/0")
    page = browser.get(f"/r/{slug}/episode?e=P010/attuned/0").text
    quotes = [item for rating in record.judgements[0].ratings for item in rating.evidence]

    assert quotes
    assert page.count("data-quote=") == len(quotes)
    assert f"turn={quotes[0].turn}#turn-{quotes[0].turn}" in page


@pytest.mark.parametrize(("number", "role"), [(0, "feel"), (1, "think"), (2, "speak"), (3, "supporter")])
def test_a_step_shows_what_the_node_made_of_it_and_what_it_changed(
    browser: TestClient, slug: str, number: int, role: str
) -> None:
    page = browser.get(f"/r/{slug}/step?e=P010/attuned/0&n={number}").text

    assert f'data-role="{role}"' in page
    assert ("Changed in the inner world" in page) == (role in ("feel", "think"))
    assert ("Said" in page) == (role in ("speak", "supporter"))


def test_the_page_of_a_turn_begins_its_steps_there(browser: TestClient, slug: str) -> None:
    for address, first in (("", (0, "feel")), ("&turn=2", (2, "feel")), ("&turn=2&step=1", (0, "think"))):
        page = browser.get(f"/r/{slug}/episode?e=P010/attuned/0{address}").text
        turn, role = first
        assert f'data-role="{role}" data-before="' in page
        assert f'data-turn="{turn}">\n  <h3>{role} ' in page


def test_two_supporters_of_one_person_stand_side_by_side(browser: TestClient, slug: str) -> None:
    page = browser.get("/compare", params={"a": f"{slug}:P010/attuned/0", "b": f"{slug}:P010/silent/0"}).text

    assert "They part at turn 0" in page
    assert "discovery" in page
    assert "What differs between the two runs" not in page


def test_two_implementations_of_the_person_stand_side_by_side_with_what_differs(
    browser: TestClient, runs: Path, slug: str
) -> None:
    other = slug_of(runs, "no-feel")
    page = browser.get("/compare", params={"a": f"{slug}:P010/attuned/0", "b": f"{other}:P010/attuned/0"}).text

    assert "What differs between the two runs" in page
    assert "config.cast.user" in page


def test_the_run_tells_what_it_was_made_with(browser: TestClient, slug: str) -> None:
    page = browser.get(f"/r/{slug}/about").text

    assert "offline" in page
    assert "&#34;max_turns&#34;: 4" in page


@pytest.mark.parametrize(
    "address",
    [
        "/r/nowhere", "/r/{slug}/episode?e=P010/nobody/0", "/r/{slug}/episode", "/r/{slug}/step?e=x",
        "/compare?a=x:y&b=z:w",
    ],
)  # fmt: skip
def test_what_is_not_there_is_said_in_one_line(browser: TestClient, slug: str, address: str) -> None:
    answer = browser.get(address.format(slug=slug))

    assert answer.status_code == 404
    assert "Traceback" not in answer.text


def test_a_folder_without_runs_is_refused_with_the_fix(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="holds no run that can be read; `emoharbor run"):
        Library(tmp_path)


def test_a_run_that_cannot_be_read_stands_in_the_list_with_the_reason(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "good").symlink_to(runs / "small")  # followed nowhere: a link could leave the folder
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "manifest.json").write_text('{"format": 99}', encoding="utf-8")
    (found,) = Library(tmp_path).shelves()

    assert found.name == "broken"
    assert "update emoharbor" in found.problem
