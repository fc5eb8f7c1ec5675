"""The round trip in a real browser: a form filled in, downloaded, imported; agreement as worked out by hand."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from emoharbor.eval.cli.main import call
from emoharbor.eval.rating.agree import ALL, by_hand
from emoharbor.eval.rating.export import Forms, write_forms
from emoharbor.eval.rating.form import form, shown
from emoharbor.eval.rating.pack import make_pack
from emoharbor.eval.rating.read import ratings_of
from emoharbor.eval.record import EpisodeRecord, EpisodeResult, TurnRecord
from emoharbor.eval.run import Run
from emoharbor.nodes.rubric import load_rubric
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.outcome import Outcome

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None, reason="no browser: none of chromium, chromium-browser, google-chrome is here"
    ),
]
HOSTILE = "</p><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


@pytest.fixture
def browser() -> Iterator["Browser"]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


def open_form(browser: "Browser", path: Path) -> tuple["Page", list[str]]:
    """Open a form from disk; the list fills with all that goes wrong, and every address that is asked for."""
    page = browser.new_page()
    trouble: list[str] = []
    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("request", lambda request: trouble.append(request.url) if not request.url.startswith(
        ("file:", "data:", "blob:")) else None)  # fmt: skip
    page.goto(path.as_uri())
    return page, trouble


def fill(page: "Page", scores: dict[tuple[str, str], int | None]) -> None:
    for (item, dimension), score in scores.items():
        value = "null" if score is None else str(score)
        page.locator(f'input[name="{item}-{dimension}"][value="{value}"]').check()


def download(page: "Page", button: str, to: Path) -> Path:
    with page.expect_download() as found:
        page.get_by_role("button", name=button).click()
    path = to / found.value.suggested_filename
    found.value.save_as(path)
    return path


def judge_scores(run: Run, made: Forms) -> dict[tuple[str, str], int | None]:
    found: dict[tuple[str, str], int | None] = {}
    for item, episode in made.pack.items.items():
        for rating in run.episode(episode).judgements[0].ratings:
            found[item, rating.dimension] = rating.score
    return found


def test_a_form_filled_in_a_browser_comes_back_and_agrees_as_worked_out_by_hand(
    rated_run: Run, tmp_path: Path, browser: "Browser"
) -> None:
    made = write_forms(rated_run, tmp_path / "forms", n=2, seed=1)
    judge = judge_scores(rated_run, made)
    # the first rater says what the judge says; the second two points less or more on one question, else the same
    same = dict(judge)
    odd_one = {key: (value + 2 if value < 3 else value - 2) if key[1] == "empathy" and value else value
               for key, value in judge.items()}  # fmt: skip
    pages = {path.name.split("-")[1][:2]: path for path in made.files if path.suffix == ".html"}

    first, trouble = open_form(browser, pages["R1"])
    fill(first, same)
    first.locator("[data-remark]").first.fill('Felt "scripted", a bit')
    back = [download(first, "Download ratings", tmp_path)]
    second, more = open_form(browser, pages["R2"])
    fill(second, odd_one)
    back.append(download(second, "Download as CSV", tmp_path))

    assert call(["rate", "import", str(rated_run.folder), *map(str, back)]) == 0
    assert trouble == more == []
    taken = {found.rater: found for found in ratings_of(rated_run.folder, made.pack.id)}
    assert {(one.item, one.dimension): one.score for one in taken["R1"].ratings} == same
    assert {(one.item, one.dimension): one.score for one in taken["R2"].ratings} == odd_one
    assert taken["R1"].remarks == {made.pack.orders["R1"][0]: 'Felt "scripted", a bit'}
    check_agreement(rated_run, judge, odd_one)


def check_agreement(run: Run, judge: dict[Any, int | None], odd_one: dict[Any, int | None]) -> None:
    found = by_hand(run)
    assert found is not None
    by_pair = {(one.first, one.second, one.dimension): one for one in found.matched}
    perfect, other = by_pair["judge", "R1", ALL], by_pair["judge", "R2", ALL]
    pairs = [(a, b) for a, b in zip(judge.values(), odd_one.values(), strict=True) if a is not None and b is not None]
    assert (perfect.n, perfect.difference) == (len(pairs), 0)
    assert perfect.kappa is not None
    assert perfect.kappa.value == pytest.approx(1)
    assert perfect.spearman.value == pytest.approx(1)
    assert other.kappa is not None
    assert other.kappa.value == pytest.approx(quadratic_kappa(pairs))
    assert other.difference == pytest.approx(sum(a - b for a, b in pairs) / len(pairs))
    assert by_pair["R1", "R2", "clarity"].difference == 0
    kinder = [(judge[key] or 0) - (odd_one[key] or 0) for key in judge if key[1] == "empathy"]
    assert set(map(abs, kinder)) == {2}
    assert by_pair["R1", "R2", "empathy"].difference == sum(kinder) / len(kinder)
    assert {one.dimension for one in found.together} == {ALL, *(item.id for item in load_rubric().dimensions)}


def quadratic_kappa(pairs: list[tuple[int, int]]) -> float:
    """Cohen's kappa with quadratic weights, from the definition."""
    apart = sum((a - b) ** 2 for a, b in pairs) / len(pairs)
    by_chance = sum((a - b) ** 2 for a, _ in pairs for _, b in pairs) / len(pairs) ** 2
    return 1 - apart / by_chance


def test_a_form_can_be_gone_on_with_from_its_file(rated_run: Run, tmp_path: Path, browser: "Browser") -> None:
    made = write_forms(rated_run, tmp_path / "forms", n=2, seed=1, raters=1)
    path = next(path for path in made.files if path.suffix == ".html")
    page, _ = open_form(browser, path)
    some = dict(list(judge_scores(rated_run, made).items())[:3])
    fill(page, some)
    kept = download(page, "Download ratings", tmp_path)

    again, trouble = open_form(browser, path)
    again.locator("#load").set_input_files(kept)

    again.get_by_text("3 of 20 questions answered, 0 of 2 dialogues done").wait_for()
    again.get_by_role("button", name="Go to the next open question").click()
    assert again.evaluate("document.activeElement.name") not in {f"{item}-{name}" for item, name in some}
    assert json.loads(download(again, "Download ratings", tmp_path).read_text())["ratings"] == [
        {"item": item, "dimension": name, "score": score}
        for item in made.pack.orders["R1"] for name in made.pack.dimensions
        for (at, of), score in some.items() if (at, of) == (item, name)
    ]  # fmt: skip
    assert trouble == []


def test_hostile_text_is_inert_and_the_form_is_accessible(tmp_path: Path, browser: "Browser") -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    result = EpisodeResult(profile="P1", supporter="s", repeat=0, outcome=Outcome.TURN_CAP, judgements=())
    made = make_pack("run", [result], load_rubric(), n=1, raters=1, seed=0)
    record = EpisodeRecord(
        episode="P1/s/0", profile="P1", supporter="s", repeat=0, outcome=Outcome.TURN_CAP, outcome_reason="",
        turns=(TurnRecord(user=HOSTILE, supporter=HOSTILE, inner_world=None),), judgements=(),
    )  # fmt: skip
    path = tmp_path / "form.html"
    path.write_text(form(made, "R1", {"D01": shown("D01", record, PartialProfile(id="P1", note=HOSTILE))}))

    page, trouble = open_form(browser, path)

    assert page.title() == "Rating form R1, 1 dialogues"
    assert page.locator(".said .text").first.inner_text() == HOSTILE
    assert trouble == []
    found = axe.Axe().run(page, options={"resultTypes": ["violations"]})
    assert [item["id"] for item in found.response["violations"]] == []


def test_every_question_can_be_answered_by_keyboard_alone(rated_run: Run, tmp_path: Path, browser: "Browser") -> None:
    made = write_forms(rated_run, tmp_path / "forms", n=1, seed=1, raters=1)
    page, _ = open_form(browser, next(path for path in made.files if path.suffix == ".html"))

    page.locator("fieldset input").first.focus()
    for _ in range(10):
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Tab")

    page.get_by_text("10 of 10 questions answered, 1 of 1 dialogues done").wait_for()
    assert page.locator('input[value="2"]:checked').count() == 10
