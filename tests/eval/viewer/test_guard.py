"""Who gets in, and what a page may do."""

import re
from pathlib import Path

import pytest
from helpers.viewer import PORT, TOKEN
from starlette.testclient import TestClient

from emoharbor.eval.viewer.app import make_app
from emoharbor.eval.viewer.guard import policy
from emoharbor.eval.viewer.library import Library

HERE = f"http://127.0.0.1:{PORT}"


@pytest.fixture
def stranger(runs: Path) -> TestClient:
    """Somebody without the token."""
    return TestClient(make_app(Library(runs), TOKEN, PORT), base_url=HERE, follow_redirects=False)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8642", "127.0.0.1:8643", "127.0.0.1", "localhost.evil.example:8642", ""]
)
def test_a_request_under_another_name_than_the_loopback_is_refused_even_with_the_token(
    browser: TestClient, host: str
) -> None:
    assert browser.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("path", ["/", "/r/abc", "/static/base.css", "/talk", "/compare", "/nothing"])
@pytest.mark.parametrize("token", [None, "", "the-toke", "the-token2"])
def test_without_the_token_nothing_is_shown(stranger: TestClient, path: str, token: str | None) -> None:
    answer = stranger.get(path, params={} if token is None else {"token": token})

    assert answer.status_code == 403
    assert "EmoHarbor" not in answer.text
    assert "set-cookie" not in answer.headers


def test_the_token_becomes_a_cookie_that_no_script_reads_and_leaves_the_address(stranger: TestClient) -> None:
    answer = stranger.get(f"/compare?a=x&token={TOKEN}&b=y")

    assert answer.status_code == 303
    assert answer.headers["location"] == "/compare?a=x&b=y"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert stranger.get("/").status_code == 200


def test_the_way_in_never_leads_to_another_site(stranger: TestClient) -> None:
    answer = stranger.get(f"{HERE}//evil.example/x?token={TOKEN}")

    assert answer.headers["location"] == "/evil.example/x"


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "", f"https://127.0.0.1:{PORT}", "http://127.0.0.1:1"]
)
def test_a_form_of_another_site_does_nothing(browser: TestClient, slug: str, origin: str) -> None:
    form = {"e": "P010/attuned/0", "turn": "1", "supporter": "offline:silent"}
    answer = browser.post(f"/r/{slug}/fork", data=form, headers={"origin": origin})

    assert answer.status_code == 403


def test_a_page_that_another_site_makes_the_browser_send_does_nothing(browser: TestClient) -> None:
    assert browser.post("/talk", data={"person": "P010"}, headers={"sec-fetch-site": "cross-site"}).status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static/app.py", "/static//etc/passwd",
        "/r/..%2f..%2fetc", "/r/%00", "/static/base.css%00.js", "/static/templates/base.html",
    ],
)  # fmt: skip
def test_paths_lead_to_nothing_but_our_own_files_and_runs(browser: TestClient, path: str) -> None:
    assert browser.get(path).status_code == 404


def test_every_page_allows_only_its_own_scripts_and_styles(browser: TestClient, slug: str) -> None:
    pages = [browser.get(path) for path in (f"/r/{slug}", f"/r/{slug}/episode?e=P010/attuned/0", "/talk", "/nothing")]

    policies = [page.headers["content-security-policy"] for page in pages]
    assert len(set(policies)) == len(pages)
    for page, said in zip(pages, policies, strict=True):
        (nonce,) = set(re.findall(r"'nonce-([^']+)'", said))
        assert said == policy(nonce)
        assert "unsafe" not in said
        for tag in re.findall(r"<(?:script|style|link rel=\"stylesheet\")[^>]*>", page.text):
            assert f'nonce="{nonce}"' in tag, tag
        assert not re.search(r"<[^>]+\son[a-z]+\s*=", page.text)
        assert not re.search(r"<[^>]+\sstyle\s*=", page.text)
        assert "http://" not in page.text.replace(HERE, "").replace("http://www.w3.org/2000/svg", "")
        assert "https://" not in page.text
        assert page.headers["cache-control"] == "no-store"
        assert page.headers["x-content-type-options"] == "nosniff"
