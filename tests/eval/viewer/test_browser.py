"""The viewer in a real browser: keys, quotes, steps, comparing, filters, live, talking, dark, and what axe finds."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it ships no types
from helpers.viewer import slug_of
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from emoharbor.eval.api import evaluate_sync
from emoharbor.eval.runs.plan import Selection

pytestmark = pytest.mark.slow
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
CONFIG = {
    "run": {"name": "small", "seed": 7, "max_turns": 5},
    "profiles": ["P010", "P035"],
    "supporters": [{"name": style, "use": "offline", "style": style} for style in ("attuned", "silent")],
}
LIVE = CONFIG | {"run": {"name": "live", "seed": 7, "max_turns": 2}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs, of which one has just begun."""
    root = tmp_path_factory.mktemp("seen")
    evaluate_sync(CONFIG, root / "small")
    evaluate_sync(LIVE, root / "live", only=Selection(limit=1))
    return root


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """What `emoharbor view` prints."""
    command = [sys.executable, "-m", "emoharbor.eval.cli", "view", str(folder), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as server:
        assert server.stdout is not None
        said = "".join(iter(server.stdout.readline, "}\n")) + "}"
        try:
            yield json.loads(said)["address"]
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser of this machine."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser, address: str) -> Iterator[Page]:
    """A small laptop's screen, on which nothing may go wrong in silence."""
    host = "{0.scheme}://{0.netloc}".format(urlsplit(address))
    context = chromium.new_context(viewport={"width": 1280, "height": 720}, base_url=host, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(60_000)
    expect.set_options(timeout=30_000)
    wrong: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            wrong.append(message.text)

    page.on("console", listen)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(address)
    yield page
    context.close()
    assert wrong == []


def _sound(page: Page) -> None:
    """Fail on what axe calls serious or critical, and on a page that is wider than the screen."""
    found = Axe().run(page).response["violations"]
    serious = [
        (item["id"], item["help"], [node["html"] for node in item["nodes"]][:3])
        for item in found
        if item["impact"] in ("serious", "critical")
    ]
    assert serious == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_from_a_rating_to_its_cause_in_three_clicks(page: Page, folder: Path) -> None:
    slug = slug_of(folder, "small")
    page.goto(f"/r/{slug}/dimensions")
    page.get_by_role("row", name="discovery").first.get_by_role("link").last.click()
    page.locator("#list tbody a").first.click()
    expect(page.locator("figure .main-svg").first).to_be_visible()
    expect(page.locator("#rating-discovery")).to_be_in_viewport()
    page.locator(".rating.wanted .quotes a").first.click()
    turn = page.locator("#turns .turn.now")
    expect(turn).to_be_in_viewport()
    quoted = page.evaluate("[...CSS.highlights.get('quote')][0].toString()")
    assert quoted
    assert quoted.lower() in turn.inner_text().lower()
    number = turn.get_attribute("data-turn")
    expect(page.locator(f'[data-world="{number}"]')).to_be_visible()
    _sound(page)


def test_the_steps_open_at_the_turn_that_is_shown(page: Page, folder: Path) -> None:
    page.goto(f"/r/{slug_of(folder, 'small')}/episode?e=P010/attuned/0")
    page.locator("#turn-2 .turn-number").click()
    page.get_by_role("tab", name="Node by node").click()
    expect(page.locator("#step-detail h3")).to_contain_text("feel turn 2")
    expect(page.locator("#turn-now")).to_have_text("turn 2")


def test_on_a_telephone_the_way_here_is_a_line(page: Page, folder: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"/r/{slug_of(folder, 'small')}/episode?e=P010/attuned/0")
    assert page.locator(".crumbs").bounding_box()["height"] < 40  # type: ignore[index]  # it is on the page
    _sound(page)


def test_an_episode_is_walked_through_by_keyboard(page: Page, folder: Path) -> None:
    slug = slug_of(folder, "small")
    page.goto(f"/r/{slug}/episode?e=P010/attuned/0")
    expect(page.locator("figure .main-svg").first).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator("#turn-now")).to_have_text("turn 2")
    expect(page.locator('[data-world="2"]')).to_be_visible()
    expect(page.locator("#turn-2")).to_be_in_viewport()
    page.keyboard.press("k")
    expect(page.locator("#turn-now")).to_have_text("turn 1")
    page.keyboard.press("n")
    page.keyboard.press("n")
    expect(page.locator("#step-detail h3")).to_contain_text("think turn 1")
    expect(page.locator('[data-seat="think"]')).to_have_class("lit")
    expect(page.locator('[data-seat="feel"]')).to_have_class("been")
    expect(page.locator('[data-arrow="feel think"]')).to_have_class("lit")
    page.keyboard.press("p")
    expect(page.locator('[data-seat="feel"]')).to_have_class("lit")
    _sound(page)
    page.keyboard.press("v")
    expect(page.locator("#verdict")).to_be_visible()
    page.get_by_role("tab", name="Verdict").press("ArrowRight")
    expect(page.locator("#nodes")).to_be_visible()
    expect(page.locator("#step-detail h3")).to_contain_text("feel turn 1")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    _sound(page)
    page.keyboard.press("Escape")
    page.keyboard.press("]")
    expect(page.locator("h1")).to_contain_text("silent")


def test_the_chart_moves_the_dialogue(page: Page, folder: Path) -> None:
    page.goto(f"/r/{slug_of(folder, 'small')}/episode?e=P010/attuned/0")
    drag = page.locator("figure .nsewdrag").first
    box = drag.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 5, box["y"] + 20)
    page.mouse.move(box["x"] + box["width"] - 12, box["y"] + 40, steps=4)
    expect(page.locator("#turn-now")).to_have_text("turn 5")
    expect(page.locator("#turn-5")).to_be_in_viewport()


def test_the_leaderboard_the_list_and_its_filters(page: Page, folder: Path) -> None:
    slug = slug_of(folder, "small")
    _sound(page)
    page.goto(f"/r/{slug}")
    expect(page.locator("figure .main-svg").first).to_be_visible()
    _sound(page)
    page.keyboard.press("2")
    expect(page.locator("table.heat").first).to_be_visible()
    _sound(page)
    page.keyboard.press("3")
    expect(page.locator("#list tbody tr")).to_have_count(4)
    page.keyboard.press("/")
    page.keyboard.type("titik")
    page.keyboard.press("Enter")
    expect(page.locator("#list tbody tr")).to_have_count(2)
    page.get_by_label("Supporter").select_option("silent")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("#list tbody tr")).to_have_count(1)
    _sound(page)
    page.keyboard.press("4")
    expect(page.get_by_role("heading", name="The graph")).to_be_visible()
    _sound(page)


def test_two_episodes_side_by_side(page: Page, folder: Path) -> None:
    page.goto(f"/r/{slug_of(folder, 'small')}/episode?e=P010/attuned/0")
    page.keyboard.press("c")
    page.get_by_label("beside").select_option(label="P010/silent/0 in small")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".pair header")).to_have_count(2)
    expect(page.locator("figure .main-svg").first).to_be_visible()
    _sound(page)


def test_dark_follows_the_system_and_can_be_switched(page: Page, folder: Path) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(f"/r/{slug_of(folder, 'small')}/episode?e=P010/attuned/0&step=1")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    dark = page.evaluate(ground)
    expect(page.locator('[data-seat="think"]')).to_have_class("lit")
    _sound(page)
    page.get_by_role("button", name="Dark or light").click()
    assert page.evaluate(ground) != dark
    page.reload()
    assert page.evaluate(ground) != dark
    _sound(page)


def test_a_run_that_goes_on_shows_what_it_adds_by_itself(page: Page, folder: Path) -> None:
    page.goto(f"/r/{slug_of(folder, 'live')}/episodes")
    expect(page.locator("#list tbody tr")).to_have_count(1)
    subprocess.run([sys.executable, "-c", _RESUME.format(config=LIVE, folder=str(folder / "live"))], check=True)
    expect(page.locator("#list tbody tr")).to_have_count(4)
    expect(page.locator("#standing")).to_contain_text("4 of 4")
    expect(page.locator("#told")).to_have_text("4 of 4 episodes ended")


_RESUME = "from emoharbor.eval.api import evaluate_sync; evaluate_sync({config!r}, {folder!r}, resume=True)"


def test_somebody_talks_with_a_person(page: Page) -> None:
    page.get_by_role("link", name="Talk").click()
    _sound(page)
    page.get_by_label("Person", exact=True).select_option("P010")
    page.get_by_label("show the person").check()
    page.get_by_role("button", name="Begin").click()
    _sound(page)
    page.get_by_label("Your answer").fill("That sounds heavy. What happened?")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#said .said")).to_have_count(3)
    expect(page.locator("#said .supporter")).to_contain_text("That sounds heavy.")
    expect(page.get_by_label("Your answer")).to_be_focused()
    expect(page.locator("#world")).to_contain_text("Holds back")


def test_an_episode_is_forked_at_the_turn_that_is_looked_at(page: Page, folder: Path) -> None:
    page.goto(f"/r/{slug_of(folder, 'small')}/episode?e=P035/attuned/0")
    page.keyboard.press("j")
    page.keyboard.press("f")
    dialog = page.get_by_role("dialog", name="Another supporter from turn 1")
    dialog.get_by_label("Supporter").select_option("offline:advice")
    _sound(page)
    dialog.get_by_role("button", name="Fork").click()
    expect(page.locator("h1")).to_contain_text("advice")
    expect(page.get_by_text("branch of P035/attuned/0 from turn 1")).to_be_visible()


def test_a_narrow_screen_shows_everything_in_one_column(page: Page, folder: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"/r/{slug_of(folder, 'small')}/episode?e=P010/attuned/0")
    expect(page.locator("figure .main-svg").first).to_be_visible()
    _sound(page)
