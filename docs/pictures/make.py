"""Makes the pictures of the docs from the product itself: `python docs/pictures/make.py`.

It plays two small runs without any key or network (rule-based people; one with every role played over HTTP by the
bundled endpoint, so that prompts and replies can be seen), opens `emoharbor view` and takes screenshots with Chromium.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from emoharbor.eval.api import evaluate_sync
from emoharbor.eval.viewer.library import Library

HERE = Path(__file__).parent
PORT = 8872
STYLES = ("attuned", "generic", "advice", "silent")
PILOT = {
    "run": {"name": "pilot", "seed": 7, "max_turns": 8},
    "profiles": ["core", "P010"],
    "supporters": [{"name": style, "use": "offline", "style": style} for style in STYLES],
}
_MODEL = {
    "model": "stand-in", "base_url": f"http://127.0.0.1:{PORT}/v1", "api_key_env": "NO_KEY", "rehearsal": True,
}  # fmt: skip
REHEARSED = {
    "run": {"name": "over-http", "seed": 3, "max_turns": 5},
    "profiles": ["P010"],
    "models": {"m": _MODEL},
    "cast": {role: {"use": "llm", "model": "m"} for role in ("feel", "think", "speak", "judge")},
    "supporters": [{"name": "attuned", "use": "offline", "style": "attuned"}],
}


def pictures(page: Page, pilot: str, rehearsed: str) -> Iterator[tuple[str, int, int]]:
    """Go to each page; yield name, width and height of its picture."""
    page.goto(f"/r/{pilot}")
    page.wait_for_selector("figure .main-svg")
    yield "leaderboard", 1280, 720
    page.goto(f"/r/{pilot}/dimensions")
    yield "dimensions", 1280, 860
    page.get_by_role("row", name="discovery").first.get_by_role("link").nth(1).click()
    yield "episodes", 1280, 720
    page.locator("#list tbody a").first.click()
    page.wait_for_selector("figure .main-svg")
    yield "verdict", 1280, 720
    page.locator(".rating.wanted .quotes a").first.click()
    yield "quote", 1280, 720
    page.set_viewport_size({"width": 1440, "height": 810})
    page.goto(f"/r/{pilot}/episode?e=P010/attuned/0&turn=4&dimension=discovery")
    page.wait_for_selector("figure .main-svg")
    yield "episode", 1440, 810
    page.goto(f"/r/{rehearsed}/episode?e=P010/attuned/0&step=5")
    page.wait_for_selector("figure .main-svg")
    yield "step", 1280, 720
    page.goto(f"/compare?a={pilot}:P010/attuned/0&b={pilot}:P010/advice/0")
    page.wait_for_selector("figure .main-svg")
    yield "compare", 1280, 900


def main() -> None:
    """Make them all."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        sys.exit("no Chromium on this machine")
    with tempfile.TemporaryDirectory() as scratch:
        runs = Path(scratch) / "runs"
        evaluate_sync(PILOT, runs / "pilot")
        with _process(["endpoint", "--port", str(PORT)], "stderr"):
            os.environ["NO_KEY"] = "none"
            evaluate_sync(REHEARSED, runs / "over-http")
        slugs = {item.name: item.slug for item in Library(runs).shelves()}
        with _process(["view", str(runs), "--json"], "stdout") as said, sync_playwright() as playwright:
            address = json.loads(said)["address"]
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(base_url=address.split("/?")[0], reduced_motion="reduce")
            page.set_viewport_size({"width": 1280, "height": 720})
            page.set_default_timeout(120_000)
            page.goto(address)
            for name, width, height in pictures(page, slugs["pilot"], slugs["over-http"]):
                page.set_viewport_size({"width": width, "height": height})
                page.wait_for_timeout(600)
                page.screenshot(path=HERE / f"{name}.png")
                page.set_viewport_size({"width": 1280, "height": 720})
            page.emulate_media(color_scheme="dark")
            page.goto(f"/r/{slugs['pilot']}/episode?e=P010/attuned/0&turn=4&step=17")
            page.set_viewport_size({"width": 1280, "height": 720})
            page.wait_for_selector("figure .main-svg")
            page.wait_for_timeout(600)
            page.screenshot(path=HERE / "dark.png")
            browser.close()


@contextmanager
def _process(arguments: Sequence[str], says: str) -> Iterator[str]:
    """Start a command of ours, wait for what it says first, and end it."""
    command = [sys.executable, "-m", "emoharbor.eval.cli", *arguments]
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: S603 - ourselves
        lines = getattr(process, says)
        try:
            yield "".join(iter(lines.readline, "}\n")) + "}" if says == "stdout" else lines.readline()
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate()


if __name__ == "__main__":
    main()
