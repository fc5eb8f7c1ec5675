"""The page of an episode, and its steps one by one."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, quote

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from emoharbor.eval.audit.episode import audit_episode
from emoharbor.eval.audit.finding import Finding
from emoharbor.eval.record import EpisodeKey, EpisodeRecord
from emoharbor.eval.viewer.desk import Desk, desk_of, episode_url, live, page, run_url
from emoharbor.eval.viewer.episode import ENDS, groups, name_of, turn_views
from emoharbor.eval.viewer.figures import trajectory
from emoharbor.eval.viewer.graph import graph_svg
from emoharbor.eval.viewer.listing import Wanted, fitting, in_order, neighbours, said_of
from emoharbor.eval.viewer.open_run import OpenRun
from emoharbor.eval.viewer.run_pages import crumbs
from emoharbor.eval.viewer.steps import Step, detail, steps
from emoharbor.nodes.supporters.human import HUMAN
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Judgement

OFFLINE = ("attuned", "generic", "advice", "silent")
"""The rule-based supporters, offered for a branch beside those of the run."""


def episode(request: Request) -> Response:
    """Answer with an episode."""
    desk = desk_of(request)
    run = desk.run(request)
    record = run.record(EpisodeKey.parse(request.query_params.get("e", "")))
    key = EpisodeKey(profile=record.profile, supporter=record.supporter, repeat=record.repeat)
    person = run.person(record.profile)
    found, why_not = _steps(run, key)
    step = _number(request, "step", len(found))
    views = turn_views(record, person)
    turn = found[step].turn if step is not None and found else _number(request, "turn", len(views))
    first_steps = _first_steps(found)
    shown = first_steps.get(turn or 0, 0) if step is None else step
    who = name_of(person)

    def at(number: int, wanted_step: int | None = None) -> str:
        return episode_url(run.slug, key, turn=number, step=wanted_step) + f"#turn-{number}"

    return page(
        request, "episode.html", f"{who} with {record.supporter}", crumbs(run, str(key)),
        run=run, record=record, who=who, about=_about(person), views=views, selected=turn or 0, at=at,
        end=ENDS[record.outcome] if record.outcome else "", reason=_reason(record), branch_of=run.manifest.branch_of,
        branches=_branches(desk, run, key), figure=trajectory([record]), graph=_graph(run, record.supporter),
        scale=run.run.scale(), wanted_dimension=request.query_params.get("dimension", ""),
        steps=found, no_steps=why_not, step=step, shown=shown, first_step=first_steps,
        detail=detail(run.trace(key), shown) if found else None, step_url=run_url(run.slug, "step", e=str(key)),
        compare=f"/compare?a={_side(run, key)}", can_fork=bool(views), fork_to=fork_choices(run),
        findings=_findings(record, person), live=live(run), **_neighbours(request, run, key), **_verdict(record),
    )  # fmt: skip


def step(request: Request) -> Response:
    """Answer with one step, to be put into the page of its episode."""
    run = desk_of(request).run(request)
    trace = run.trace(EpisodeKey.parse(request.query_params.get("e", "")))
    number = _number(request, "n", len(trace.seats()))
    return page(request, "step.html", "Step", detail=detail(trace, number or 0))


def fork_choices(run: OpenRun) -> list[tuple[str, str]]:
    """Return who may take over in a branch: value and name."""
    own = [(f"run:{item.name}", item.name) for item in run.manifest.config.supporters]
    rules = [(f"offline:{style}", f"{style} (rule-based)") for style in OFFLINE]
    return [*own, *rules, (HUMAN, "you, at the keyboard")]


def primary(record: EpisodeRecord) -> Judgement | None:
    """Return the run's own rating of an episode, the first of its repeats that could be read."""
    own = record.primary
    return next((item for item in own if item.scores is not None), own[0] if own else None)


def _verdict(record: EpisodeRecord) -> dict[str, Any]:
    judgement = primary(record)
    return {
        "judgement": judgement, "grouped": groups(judgement) if judgement else [],
        "others": [item for item in record.judgements if item is not judgement],
    }  # fmt: skip


def _reason(record: EpisodeRecord) -> str:
    """Return why it ended, where that says more than the outcome does."""
    return "" if record.outcome in (Outcome.TURN_CAP, Outcome.STALE) else record.outcome_reason


def _steps(run: OpenRun, key: EpisodeKey) -> tuple[Sequence[Step], str]:
    """Return the steps; without any, why not."""
    try:
        return steps(run.trace(key)), "Nothing is recorded yet: a turn shows here when it is finished."
    except ValueError as error:
        return (), f"The trace of this episode cannot be read: {error}"


def _first_steps(found: Sequence[Step]) -> Mapping[int, int]:
    """Return the first step of each turn."""
    first: dict[int, int] = {}
    for item in found:
        if item.turn is not None:
            first.setdefault(item.turn, item.number)
    return first


def _number(request: Request, name: str, count: int) -> int | None:
    """Return a number from the address that lies within what there is."""
    text = request.query_params.get(name, "")
    if not text.isdecimal() or len(text) > 6 or count == 0:
        return None
    return min(int(text), count - 1)


def _about(person: PartialProfile) -> str:
    if person.person is None or person.situation is None:
        return person.id
    one = person.person
    return f"{one.name}, {one.age}, {one.occupation}, {one.country}: {person.situation.title}"


def _graph(run: OpenRun, supporter: str) -> Markup:
    return graph_svg(run.manifest, supporter)


def _neighbours(request: Request, run: OpenRun, key: EpisodeKey) -> dict[str, Any]:
    """Return the addresses of the episodes before and after, in the list the reader came from."""
    query = request.query_params.get("list", "")
    wanted = Wanted.parse(dict(_pairs(query)))
    found = fitting(run.lines() or (), wanted, run.people, said_of(wanted.q, run.saying))
    lines = in_order(found, wanted.order, wanted.dimension)
    before, after = neighbours(lines, key)
    about = {"dimension": request.query_params.get("dimension", ""), "list": query}
    return {
        "before": episode_url(run.slug, before.key, **about) if before else "",
        "after": episode_url(run.slug, after.key, **about) if after else "",
    }


def _pairs(query: str) -> list[tuple[str, str]]:
    return parse_qsl(query)


def _branches(desk: Desk, run: OpenRun, key: EpisodeKey) -> list[dict[str, Any]]:
    found = []
    for item in desk.library.branches(run.slug):
        of = item.manifest.branch_of if item.manifest else None
        if item.manifest is None or of is None or of.episode != str(key):
            continue
        supporter = item.manifest.config.supporters[0].name
        there = EpisodeKey(profile=next(iter(item.manifest.profiles)), supporter=supporter, repeat=key.repeat)
        found.append({"turn": of.turn, "supporter": supporter, "href": episode_url(item.slug, there, turn=of.turn)})
    return found


def _side(run: OpenRun, key: EpisodeKey) -> str:
    return quote(f"{run.slug}:{key}", safe="")


def _findings(record: EpisodeRecord, person: PartialProfile) -> Sequence[Finding]:
    """Return what the audit says about the simulated person; nothing for an episode that goes on."""
    if record.outcome is None or person.person is None:
        return ()
    return audit_episode(record, person).findings
