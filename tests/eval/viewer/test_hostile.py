"""Text under test in every field is data: it runs nothing, hides nothing, reorders nothing, and can be read."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from helpers.viewer import opened, slug_of, until
from starlette.testclient import TestClient

from emoharbor.eval.api import evaluate_sync
from emoharbor.eval.store.folder import DATABASE, prepare
from emoharbor.eval.store.store import Store
from emoharbor.eval.viewer.library import Library
from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.profiles.loader import load_people
from emoharbor.state.dialogue import supporter_message, user_message
from emoharbor.state.episode import EpisodeState, Fault
from emoharbor.state.inner_world import Appraisal, Disclosure, Thought
from emoharbor.state.outcome import Outcome
from emoharbor.state.shift import Shift
from emoharbor.state.verdict import Evidence, Judgement, Rating, Scores

EVIL = (
    "<script>alert(1)</script><img src=x onerror=alert(2)>\"'`</textarea></style>{{7*7}}${1}"
    "\x1b[31m\x07\x00\x85\u202egnp.exe\u2066\u200b\ufeff\u2028 شكرا 谢谢 & <b>kept</b>"
)
NAME = 'a/../b?c#d&e="f"<i>\u202e'
LONG = "wörter <u>und</u> mehr\n" * 5000
WORDS = "&lt;b&gt;kept&lt;/b&gt;"
"""What has to be left of it for a reader."""
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def _rating(dimension: str, group: str | None) -> Rating:
    evidence = (Evidence(turn=0, quote=EVIL), Evidence(turn=99, quote=EVIL))
    return Rating(dimension=dimension, group=group, score=3, reason=EVIL, evidence=evidence, evidence_ok=False)


def _state() -> EpisodeState:
    person = load_people("P010")["P010"]
    state = first_state(person, EpisodeContext(supporter=NAME, max_turns=3))
    fact = person.situation.guarded[0].id
    thought = Thought(monologue=EVIL, view_of_supporter=EVIL, continue_reason=EVIL, intention="disclose", gist=EVIL)
    world = state.inner.model_copy(
        update={
            "thought": thought, "released": (fact,),
            "disclosed": (Disclosure(fact=fact, turn=0, quote=EVIL, released=False, claimed=False),),
            "appraisal": Appraisal(relevance=1, conduciveness=1, coping=1, norms=1, quote=EVIL),
        }
    )  # fmt: skip
    shift = Shift(field="distress", before=1.0, proposed=9.0, applied=2.0, role="feel", turn=0, cause=EVIL)
    groups = [("empathy", "general"), (EVIL, EVIL), ("discovery", "tailored")]
    verdict = Judgement(
        judge=EVIL, own=True, rubric="ten/1", ratings=tuple(_rating(*item) for item in groups), raw=EVIL,
        scores=Scores(overall=50, general=3, tailored=3, gap=0),
    )  # fmt: skip
    return state.model_copy(
        update={
            "messages": [user_message(0, EVIL), supporter_message(0, LONG)], "inner": world, "worlds": (world,),
            "turn": 1, "last": "supporter", "outcome": Outcome.USER_LEFT, "outcome_reason": EVIL, "verdict": verdict,
            "faults": (Fault(role="speak", turn=0, kind=EVIL, detail=EVIL),), "shifts": (shift,),
        }
    )  # fmt: skip


async def _write(folder: Path) -> None:
    state = _state()
    store = Store(folder)
    await store.begin(state.model_copy(update={"messages": [], "worlds": (), "verdict": None, "outcome": None}))
    await store.finish(state)
    store.close()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder in which every text that is not ours is hostile, its name included."""
    root = tmp_path_factory.mktemp("hostile")
    folder = root / "<img src=x onerror=alert(3)>"
    supporters = [{"name": NAME, "use": "offline", "style": "silent"}]
    evaluate_sync({"run": {"name": EVIL}, "profiles": ["P010"], "supporters": supporters}, folder)
    (folder / DATABASE).unlink()
    prepare(folder, resume=True).release()
    asyncio.run(_write(folder))
    return root


@pytest.fixture
def browser(hostile: Path) -> Iterator[TestClient]:
    """Somebody who looks at it."""
    with opened(Library(hostile)) as client:
        yield client


PAGES = (
    "/", "/r/{slug}", "/r/{slug}/dimensions", "/r/{slug}/episodes", "/r/{slug}/episodes?q={evil}&fault={evil}",
    "/r/{slug}/episode?e={key}", "/r/{slug}/episode?e={key}&dimension={evil}&list={evil}", "/r/{slug}/about",
    "/compare?a={slug}:{key}&b={slug}:{key}", "/compare?a={evil}&b=", "/r/{slug}/episode?e={evil}", "/r/{evil}",
    "/talk",
)  # fmt: skip


@pytest.mark.parametrize("address", PAGES)
def test_hostile_text_is_inert_on_every_page(browser: TestClient, hostile: Path, address: str) -> None:
    slug = slug_of(hostile, "<img src=x onerror=alert(3)>")
    key, evil = quote(f"P010/{NAME}/0", safe=""), quote(EVIL, safe="")
    page = until(browser, address.format(slug=slug, key=key, evil=evil))

    for sign in ("<script>alert", "<img", "onerror=alert(2)>", "</textarea></style>", "<b>", "<u>", "<i>"):
        assert sign not in page, sign
    assert not UNSEEN.search(page)
    assert ("{{7*7}}" in page) == (WORDS in page)  # templates do not read it as theirs


def test_what_is_hostile_can_still_be_read(browser: TestClient, hostile: Path) -> None:
    slug = slug_of(hostile, "<img src=x onerror=alert(3)>")
    page = browser.get(f"/r/{slug}/episode", params={"e": f"P010/{NAME}/0"}).text

    assert page.count(WORDS) >= 12
    assert page.count("شكرا 谢谢") >= 12
    assert page.count("wörter &lt;u&gt;und&lt;/u&gt; mehr") == 5000
    assert 'class="text long"' in page


def test_figures_handed_to_scripts_cannot_end_their_element(browser: TestClient, hostile: Path) -> None:
    slug = slug_of(hostile, "<img src=x onerror=alert(3)>")
    page = until(browser, f"/r/{slug}")
    (figure,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)

    assert json.loads(figure)["names"] == [NAME.replace("\u202e", "")]
    assert "<" not in figure
