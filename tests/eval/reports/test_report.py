"""The report: one file that holds everything, in which text under test is only text."""

import asyncio
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from emoharbor.eval import evaluate
from emoharbor.eval.record import EpisodeResult
from emoharbor.eval.reports.chosen import choose
from emoharbor.eval.reports.report import make_report
from emoharbor.eval.reports.report_markdown import report_markdown
from emoharbor.eval.run import Run
from emoharbor.eval.viewer.report_page import report_html
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Judgement, Scores

pytestmark = pytest.mark.slow  # whole reports of whole runs

HOSTILE = (
    "</div><script>alert(1)</script><img src=x onerror=alert(1)> \x1b[31mred\x07 \u202egnol\u202c "
    "# head\n| a | b |\n[x](javascript:alert(1)) " + "long " * 20_000
)


def hostile(messages: list[dict[str, str]]) -> str:
    """The supporter of these tests."""
    return HOSTILE


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("report") / "run"
    spec = {"use": "callable", "target": hostile}
    config = {
        "run": {"name": "<b>pilot</b>", "seed": 7, "max_turns": 2},
        "profiles": ["P040", "P010"],
        "supporters": [{"name": "attuned", "use": "offline", "style": "attuned"}, {"name": "<i>evil</i>", **spec}],
    }
    asyncio.run(evaluate(config, folder))
    return Run(folder)


@pytest.fixture(scope="module")
def page(run: Run) -> str:
    return report_html(make_report(run, run.planned()))


class Parts(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "action", "data")]
        self.ids += [value or "" for name, value in attrs if name == "id"]


def test_nothing_in_the_page_runs_or_is_loaded(page: str) -> None:
    parts = Parts(page)

    assert parts.tags.isdisjoint({"script", "img", "iframe", "object", "link", "form", "i", "b"})
    assert [name for name in parts.attributes if name.startswith("on")] == []
    assert [address for address in parts.addresses if not address.startswith("#")] == []
    assert "url(" not in page
    assert "default-src 'none'" in page


def test_hostile_text_is_there_to_be_read(page: str) -> None:
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "&lt;i&gt;evil&lt;/i&gt;" in page
    assert not set("\x1b\x07\u202e\u202c") & set(page)


def test_every_link_leads_somewhere_and_no_id_stands_twice(page: str) -> None:
    parts = Parts(page)

    assert {address.removeprefix("#") for address in parts.addresses} <= set(parts.ids)
    assert len(parts.ids) == len(set(parts.ids))


def test_it_holds_figures_tables_dialogue_and_verdict(run: Run) -> None:
    (key,) = [key for key in run.planned() if str(key) == "P010/attuned/0"]
    page = report_html(make_report(run, [key]))
    record = run.episode(key)

    assert page.count('<svg class="plot"') == 2
    assert "Denominators" in page
    assert "h10" in page  # a cell of the heat map
    for turn in record.turns:
        assert turn.user is None or turn.user.split("'")[0] in page
    assert page.count('<article class="rating') == 10


def test_markdown_says_the_same_and_escapes_what_others_wrote(run: Run) -> None:
    text = report_markdown(make_report(run, run.planned()))

    assert r"\<script\>" in text
    assert "<script>" not in text
    assert not re.search(r"^(# head|\| a \|)", text, re.MULTILINE)
    assert r"\[x\](javascript" in text
    assert "**Turn 0**" in text
    assert not set("\x1b\x07\u202e") & set(text)


def result(name: str, *overall: float, gap: float = 0.0, **more: Any) -> EpisodeResult:
    judgements = tuple(
        Judgement(
            judge="j", rubric="r", own=True, repeat=repeat,
            scores=Scores(overall=value, general=3, tailored=3 - gap, gap=gap), **more,
        )
        for repeat, value in enumerate(overall)
    )  # fmt: skip
    return EpisodeResult(profile=name, supporter="s", repeat=0, outcome=Outcome.TURN_CAP, judgements=judgements)


@pytest.mark.parametrize(
    ("results", "chosen"),
    [
        ([], []),
        ([result("A", 50)], ["A"]),
        ([result("A", 90), result("B", 10), result("C", 50, gap=-2)], ["A", "B", "C"]),
        ([result("A", 90, 88), result("B", 10, 12), result("C", 30, 70)], ["A", "B", "C"]),
        ([result("A", 90, 20), result("B", 10, 12)], ["A", "B"]),
        ([result("A", 90), result("B")], ["A"]),
    ],
    ids=["nothing", "one", "widest gap", "most disputed", "one reason more", "unrated ones are left out"],
)
def test_best_worst_and_most_disputed_are_chosen(results: list[EpisodeResult], chosen: list[str]) -> None:
    found = choose(results)

    assert [item.key.profile for item in found] == chosen
    assert all(item.why for item in found)


def test_a_run_without_an_episode_has_a_report(tmp_path: Path, run: Run) -> None:
    shutil.copy(run.folder / "manifest.json", tmp_path)

    assert "Figures" in report_html(make_report(Run(tmp_path)))


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_opens_from_disk_without_a_network_and_axe_finds_nothing(page: str, tmp_path: Path, scheme: Any) -> None:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("needs Chromium")
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # noqa: PLC0415 - no types
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - the same

    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        shown = browser.new_page(color_scheme=scheme, viewport={"width": 1000, "height": 800}, bypass_csp=True)
        asked: list[str] = []
        said: list[str] = []
        shown.on("request", lambda request: asked.append(request.url))
        shown.on("console", lambda message: said.append(message.text))
        shown.on("dialog", lambda dialog: said.append(dialog.message))
        shown.goto(path.as_uri())
        shown.click('a[href="#e1"]')
        quote = shown.locator("article.episode .quotes a").first
        quote.click()
        at = shown.evaluate("document.querySelector(':target').getBoundingClientRect().top")
        wide = shown.evaluate("document.documentElement.scrollWidth")
        serious = [
            item["id"] for item in Axe().run(shown).response["violations"] if item["impact"] in ("serious", "critical")
        ]
        browser.close()

    assert asked == [path.as_uri()]
    assert said == []
    assert -1 <= at < 800
    assert wide <= 1000
    assert serious == []
