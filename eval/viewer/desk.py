"""What every page needs: the library, the talks under way, and how a template becomes an answer."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.viewer.library import Library
from emoharbor.eval.viewer.open_run import OpenRun
from emoharbor.eval.viewer.pages import environment, plotly_script, static_file

STATIC = (
    "base.css",
    "viewer.css",
    "theme.js",
    "viewer.js",
    "policy.js",
    "charts.js",
    "episode.js",
    "talk.js",
    "icon.svg",
)
PLOTLY = "plotly.min.js"
Crumbs = Sequence[tuple[str, str]]


@dataclass
class Desk:
    """One viewer.

    Attributes:
        library: the runs.
        problems: what went wrong with a run that was started from a page, by its slug.
    """

    library: Library
    problems: dict[str, str] = field(default_factory=dict)

    def run(self, request: Request) -> OpenRun:
        """Return the run that an address names.

        Raises:
            RunFolderError: when there is none.
        """
        return self.library.get(request.path_params["slug"])


def desk_of(request: Request) -> Desk:
    """Return the desk of the viewer that a request came to."""
    found = request.app.state.desk
    assert isinstance(found, Desk)  # noqa: S101 - set when the app is made
    return found


def page(
    request: Request, template: str, title: str, crumbs: Crumbs = (), status: int = 200, **values: Any
) -> Response:
    """Return a page.

    Args:
        request: what is answered.
        template: its file.
        title: of the page.
        crumbs: names and addresses of the way here; an empty address is the page itself.
        status: HTTP status.
        values: for the template.
    """
    found = environment().get_template(template)
    trouble = desk_of(request).problems.get(request.path_params.get("slug", ""), "")
    shared = {
        "title": title, "crumbs": crumbs, "nonce": request.state.nonce, "static": static, "live": None,
        "trouble": trouble,
    }  # fmt: skip
    return HTMLResponse(found.render(**(shared | values)), status)


def static(name: str) -> str:
    """Return the address of a file of ours; it changes with the file, so that browsers may keep it for good."""
    return f"/static/{name}?{_version(name)}"


def file_of(name: str) -> Path | None:
    """Return a file that pages may ask for; None for any other."""
    if name == PLOTLY:
        return plotly_script()
    return static_file(name) if name in STATIC else None


@cache
def _version(name: str) -> str:
    path = file_of(name)
    return hashlib.sha256(path.read_bytes()).hexdigest()[:10] if path else ""


def run_url(slug: str, page_name: str = "", **query: object) -> str:
    """Return the address of a page of a run."""
    below = f"/{page_name}" if page_name else ""
    asked = {name: value for name, value in query.items() if value not in (None, "")}
    return f"/r/{quote(slug, safe='')}{below}" + (f"?{urlencode(asked)}" if asked else "")


def episode_url(slug: str, key: EpisodeKey, **query: object) -> str:
    """Return the address of an episode. Its name stands in the query: it may hold anything."""
    return run_url(slug, "episode", e=str(key), **query)


def live(run: OpenRun, url: str = "") -> Mapping[str, str] | None:
    """Return what a page needs to follow a run that is not finished; None for one that is."""
    if run.finished():
        return None
    return {"url": url or run_url(run.slug, "pulse"), "stamp": str(run.stamp)}
