"""Looking at pages of the viewer in tests."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from starlette.testclient import TestClient

from emoharbor.eval.viewer.app import make_app
from emoharbor.eval.viewer.library import Library

PORT = 8642
TOKEN = "the-token"  # noqa: S105 - opens a viewer of a test run


def opened(library: Library) -> TestClient:
    """Return somebody who holds the token, and comes when every run has been read for the first time."""
    for item in library.shelves():
        _within(partial(_is_read, library, item.slug), f"{item.name} is not read")
    client = TestClient(make_app(library, TOKEN, PORT), base_url=f"http://127.0.0.1:{PORT}")
    client.cookies.set(f"emoharbor-{PORT}", TOKEN)
    client.headers["origin"] = f"http://127.0.0.1:{PORT}"
    return client


def slug_of(folder: Path, name: str) -> str:
    """Return the name of a run in addresses."""
    return next(item.slug for item in Library(folder).shelves() if item.name == name)


def until(client: TestClient, address: str, *, without: str = "data-again") -> str:
    """Return a page once it no longer says that its figures are being made."""
    _within(lambda: without not in client.get(address).text, f"{address} still says {without!r}")
    return client.get(address).text


def _is_read(library: Library, slug: str) -> bool:
    return library.get(slug).lines() is not None


def _within(holds: Callable[[], bool], otherwise: str, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, otherwise
        time.sleep(0.02)
