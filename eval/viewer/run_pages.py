"""The pages of a run: leaderboard, dimensions, episodes, about; and the list of runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emoharbor.eval.config import RunConfig
from emoharbor.eval.plain import plain
from emoharbor.eval.reports.person import person_name
from emoharbor.eval.statistics.rows import Counts
from emoharbor.eval.statistics.slices import By
from emoharbor.eval.store.browse import Line
from emoharbor.eval.viewer.desk import Desk, desk_of, episode_url, live, page, run_url
from emoharbor.eval.viewer.figures import intervals
from emoharbor.eval.viewer.graph import graph_svg
from emoharbor.eval.viewer.heat import by_kind, by_supporter, pairs
from emoharbor.eval.viewer.listing import ANY_FAULT, NO_FAULT, Wanted, first_said, listed, said_of
from emoharbor.eval.viewer.open_run import OpenRun, Shelved
from emoharbor.eval.viewer.pages import pretty, words

_TABS = (("Leaderboard", ""), ("Dimensions", "dimensions"), ("Episodes", "episodes"), ("About", "about"))
_WAYS: tuple[By, ...] = get_args(By)


@dataclass(frozen=True, slots=True)
class _Row:
    """A run in the list; `problem` says why it cannot be read."""

    slug: str
    name: str
    depth: int
    problem: str
    branch: Any
    created: str
    people: int
    supporters: str
    done: int
    planned: int
    state: str


def runs(request: Request) -> Response:
    """Answer with the list of runs."""
    desk = desk_of(request)
    shelves = desk.library.shelves()
    depths: dict[str, int] = {}
    for item in shelves:
        depths[item.slug] = depths[item.parent] + 1 if item.parent in depths else 0
    rows = [_row(item, depths[item.slug], desk) for item in shelves]
    return page(request, "runs.html", "Runs", where=str(desk.library.root.resolve()), rows=rows)


def _row(item: Shelved, depth: int, desk: Desk) -> _Row:
    manifest = item.manifest
    if manifest is None:
        return _Row(item.slug, item.name, depth, item.problem, None, "", 0, "", 0, 0, "")
    done, planned, going_on = desk.library.progress(item)
    state = "done" if done >= planned else "going on" if going_on else "stopped"
    return _Row(
        item.slug, item.name, depth, "", manifest.branch_of, manifest.created[:16].replace("T", " "),
        len(manifest.profiles), ", ".join(part.name for part in manifest.config.supporters), done, planned, state,
    )  # fmt: skip


def board(request: Request) -> Response:
    """Answer with the leaderboard."""
    run = desk_of(request).run(request)
    if run.lines() is None:
        return _reading(request, run, "Leaderboard")
    found, fresh = run.board()
    names = list(dict.fromkeys(name for row in found.supporters for name in row.outcomes)) if found else []

    def episodes_of(supporter: str, outcome: str = "") -> str:
        return run_url(run.slug, "episodes", supporter=supporter, outcome="under_way" if outcome == "none" else outcome)

    return _run_page(
        request, "board.html", run, "Leaderboard",
        board=found, fresh=fresh, figure=intervals(found) if found else None, outcomes=names,
        counted=list(Counts.model_fields),
        reported=found is not None and any(row.reported for row in found.supporters), episodes_of=episodes_of,
    )  # fmt: skip


def dimensions(request: Request) -> Response:
    """Answer with the heat maps."""
    run = desk_of(request).run(request)
    lines, scale = run.lines(), run.run.scale()
    if lines is None:
        return _reading(request, run, "Dimensions")
    by: By = next((way for way in _WAYS if way == request.query_params.get("by")), "problem")
    names = [item.name for item in run.manifest.config.supporters]
    of = request.query_params.get("of", "")
    of = of if of in names else ""
    found = run.kept("pairs", lambda: pairs(lines, scale)) if scale else {}

    def href_supporter(supporter: str, dimension: str) -> str:
        return run_url(run.slug, "episodes", supporter=supporter, dimension=dimension, order="score")

    def href_kind(_kind: str, dimension: str) -> str:
        return run_url(run.slug, "episodes", supporter=of, dimension=dimension, order="score")

    return _run_page(
        request, "dimensions.html", run, "Dimensions",
        supporters=by_supporter(found, scale, names) if scale else None, scale=scale,
        kinds=by_kind(found, scale, run.people, by, [of] if of else names) if scale else None,
        ways=_WAYS, by=by, names=names, of=of,
        href_supporter=href_supporter, href_kind=href_kind,
    )  # fmt: skip


def episodes(request: Request) -> Response:
    """Answer with the list of episodes."""
    run = desk_of(request).run(request)
    lines = run.lines()
    if lines is None:
        return _reading(request, run, "Episodes")
    wanted = Wanted.parse(request.query_params)
    said = said_of(wanted.q, run.saying)
    found = listed(lines, wanted, run.people, said)
    scale = run.run.scale()
    names = {name: person_name(person) for name, person in run.people.items()}
    names |= {line.key.profile: line.key.profile for line in found.lines if line.key.profile not in names}
    options = _options(found.facets, names, list(scale.groups) if scale else [])

    def href(line: Line) -> str:
        about = {"dimension": wanted.dimension, "list": wanted.query(page=1)}
        turn = first_said(line, said)
        return episode_url(run.slug, line.key, **about, turn="" if turn is None else str(turn))

    return _run_page(
        request, "episodes.html", run, "Episodes", wanted=wanted, page=found, names=names, options=options, href=href
    )


def about(request: Request) -> Response:
    """Answer with what was run."""
    desk = desk_of(request)
    run = desk.run(request)
    return _run_page(
        request, "about.html", run, "About",
        manifest=run.manifest, graph=graph_svg(run.manifest), config=_config(run.manifest.config),
        branches=desk.library.branches(run.slug),
    )  # fmt: skip


def pulse(request: Request) -> Response:
    """Answer with how far a run is, for a page that follows it."""
    run = desk_of(request).run(request)
    standing = _standing(run)
    return JSONResponse({"stamp": str(run.stamp), "finished": run.finished(), **standing})


def _run_page(request: Request, template: str, run: OpenRun, tab: str, **values: Any) -> Response:
    tabs = [(name, run_url(run.slug, address)) for name, address in _TABS]
    return page(
        request, template, f"{tab} of {run.name}", crumbs(run, ""),
        run=run, tab=tab, tabs=tabs, standing=_standing(run), branch_of=run.manifest.branch_of, live=live(run),
        **values,
    )  # fmt: skip


def crumbs(run: OpenRun, here: str) -> list[tuple[str, str]]:
    """Return the way to a page of a run."""
    way = [("runs", "/"), (run.name, run_url(run.slug) if here else "")]
    return [*way, (here, "")] if here else way


def _reading(request: Request, run: OpenRun, tab: str) -> Response:
    return _run_page(request, "reading.html", run, tab)


def _standing(run: OpenRun) -> dict[str, Any]:
    lines = run.lines() or ()
    done = sum(line.outcome is not None for line in lines)
    return {"done": done, "planned": run.planned, "going_on": run.going_on()}


def _options(
    facets: Mapping[str, Mapping[str, int]], names: Mapping[str, str], dimensions: list[str]
) -> dict[str, list[tuple[str, str]]]:
    counted = {
        name: [(value, f"{words(value)} ({count})") for value, count in sorted(facets[name].items())]
        for name in ("outcome", "fault")
    }
    counted["fault"] = [(ANY_FAULT, "any fault"), (NO_FAULT, "no fault"), *counted["fault"]]
    counted["supporter"] = [(value, f"{value} ({count})") for value, count in facets["supporter"].items()]
    counted["person"] = [(value, f"{names.get(value, value)} · {value}") for value in facets["person"]]
    counted["dimension"] = [(name, words(name)) for name in dimensions]
    return counted


def _config(config: RunConfig) -> str:
    return pretty(plain(config))
