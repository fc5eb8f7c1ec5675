"""Talking with a person as the supporter, watching a supporter live, and forking an episode: what changes something."""

import asyncio
import secrets
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from emoharbor.eval.api import evaluate
from emoharbor.eval.config import RunConfig, make_config
from emoharbor.eval.people.branch import make_branch
from emoharbor.eval.people.taken_up import resume_run
from emoharbor.eval.people.talk import Talk, talk_config
from emoharbor.eval.record import EpisodeKey, EpisodeRecord
from emoharbor.eval.reports.person import person_name
from emoharbor.eval.runs.manifest import read_manifest
from emoharbor.eval.runs.plan import planned
from emoharbor.eval.viewer.desk import Desk, desk_of, episode_url, page
from emoharbor.eval.viewer.episode import turn_views
from emoharbor.eval.viewer.episode_page import OFFLINE, fork_choices
from emoharbor.eval.viewer.library import TALKS
from emoharbor.eval.viewer.open_run import Shelved
from emoharbor.nodes.supporters.human import HUMAN
from emoharbor.profiles.loader import load_people
from emoharbor.state.errors import ConfigError, EmoHarborError

_LONGEST = 1_000_000
"""Bytes of a form; a message of 100 KB takes at most 300 KB."""


@dataclass
class Held:
    """A talk that somebody holds in this viewer.

    Attributes:
        talk: the talk.
        folder: its run.
        inner: whether the inner world is shown.
        lock: one reply at a time.
    """

    talk: Talk
    folder: Path
    inner: bool
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Talks:
    """What was started from pages and goes on in the server's own loop."""

    def __init__(self) -> None:
        self.held: dict[str, Held] = {}
        self._played: set[asyncio.Task[None]] = set()

    def play(self, work: Coroutine[Any, Any, object], problems: dict[str, str], slug: str) -> None:
        """Let a run go on in the background; what stops it is told on its page."""

        async def playing() -> None:
            try:
                await work
            except EmoHarborError as error:
                problems[slug] = str(error)

        task = asyncio.create_task(playing())
        self._played.add(task)
        task.add_done_callback(self._played.discard)

    async def close(self) -> None:
        """Leave every talk, and stop what is played; all that was said is saved."""
        for task in self._played:
            task.cancel()
        await asyncio.gather(*self._played, return_exceptions=True)
        for item in self.held.values():
            await item.talk.close()


def talks_of(request: Request) -> Talks:
    """Return the talks of the viewer that a request came to."""
    found = request.app.state.talks
    assert isinstance(found, Talks)  # noqa: S101 - set when the app is made
    return found


def choose(request: Request) -> Response:
    """Answer with the choice of a person and of who supports them."""
    desk = desk_of(request)
    people = [
        (name, f"{person_name(person)}, {person.person.age}: {person.situation.title} ({name})")
        for name, person in load_people("all").items()
    ]
    whom = [(HUMAN, "I am the supporter"), *((f"offline:{style}", f"watch: {style} (rule-based)") for style in OFFLINE)]
    whom += [(f"{slug}:{name}", f"watch: {name}, as in {run}") for slug, run, name in _supporters(desk)]
    held = [(name, str(item.talk.key), item.talk.asked is None) for name, item in talks_of(request).held.items()]
    return page(
        request, "talk_choose.html", "Talk", [("runs", "/"), ("talk", "")],
        people=people, whom=whom, casts=_casts(desk), held=held, chosen=request.query_params.get("person", ""),
    )  # fmt: skip


async def begin(request: Request) -> Response:
    """Begin a talk, or let a supporter hold one."""
    desk, talks, form = desk_of(request), talks_of(request), await read_form(request)
    person, whom = form.get("person", ""), form.get("whom", HUMAN)
    if person not in await asyncio.to_thread(load_people, "all"):
        raise ConfigError(f"person {person!r}: choose one of the list")
    base = _base(desk, form.get("cast", ""))
    folder = desk.library.root / TALKS / f"{person}-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    if whom == HUMAN:
        cast = base.cast if base else None
        config = talk_config(person, seed=secrets.randbelow(10**6), cast=cast, models=base.models if base else None)
        return _go(await _hold(talks, await Talk.begin(config, folder), folder, form))
    config = _watched(desk, person, whom, base)
    talks.play(evaluate(config, folder), desk.problems, "")
    shelved = await _appeared(desk, folder)
    key = planned(read_manifest(folder))[0]
    return _go(episode_url(shelved.slug, key))


async def show(request: Request) -> Response:
    """Answer with a talk as it stands."""
    name = request.path_params["talk"]
    held = talks_of(request).held.get(name)
    if held is None:
        raise ConfigError("this talk is not open here any more; what was said is kept among the runs")
    return await _talk_page(request, name, held)


async def say(request: Request) -> Response:
    """Take what the supporter says, and answer with what the person says to it."""
    name = request.path_params["talk"]
    held, form = talks_of(request).held.get(name), await read_form(request)
    if held is None:
        raise ConfigError("this talk is not open here any more; what was said is kept among the runs")
    async with held.lock:
        # a second copy of the same form finds another turn, and says nothing
        if held.talk.asked is not None and form.get("turn") == str(held.talk.asked.turn):
            await held.talk.reply(form.get("text", "").replace("\r\n", "\n"))
    return _go(f"/talk/{name}")


async def fork(request: Request) -> Response:
    """Fork an episode at a turn, and go on with another supporter."""
    desk, talks, form = desk_of(request), talks_of(request), await read_form(request)
    run = desk.run(request)
    whom, turn = form.get("supporter", ""), form.get("turn", "")
    if whom not in dict(fork_choices(run)) or not turn.isdecimal():
        raise ConfigError("choose a turn and one of the supporters of the list")
    kind, _, name = whom.partition(":")
    target: Any = {"name": name, "use": "offline", "style": name} if kind == "offline" else name or HUMAN
    folder = await make_branch(run.run, EpisodeKey.parse(form.get("e", "")), int(turn), target)
    shelved = await _appeared(desk, folder)
    if whom == HUMAN:
        return _go(await _hold(talks, await Talk.resume(folder), folder, form))
    talks.play(resume_run(folder), desk.problems, shelved.slug)
    return _go(episode_url(shelved.slug, planned(read_manifest(folder))[0], turn=turn) + f"#turn-{turn}")


async def read_form(request: Request) -> Mapping[str, str]:
    """Read a form that is sent as plain fields.

    Raises:
        ConfigError: for one that is too long.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LONGEST:
            raise ConfigError(f"the message is longer than {_LONGEST // 1000} KB")
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=50))


async def _hold(talks: Talks, talk: Talk, folder: Path, form: Mapping[str, str]) -> str:
    name = secrets.token_urlsafe(6)
    talks.held[name] = Held(talk, folder, inner=form.get("inner") == "yes")
    return f"/talk/{name}"


async def _talk_page(request: Request, name: str, held: Held) -> Response:
    desk, talk = desk_of(request), held.talk
    shelved = await _appeared(desk, held.folder)
    run = await asyncio.to_thread(desk.library.get, shelved.slug)
    person = run.person(talk.key.profile)
    state = talk.state
    world = None
    if held.inner and state is not None:
        world = turn_views(EpisodeRecord.of(state), person)[-1]
    ended = talk.asked is None
    return page(
        request, "talk.html", f"Talk with {person_name(person)}", [("runs", "/"), ("talk", "/talk"), (person.id, "")],
        name=name, who=person_name(person), asked=talk.asked, ended=ended, stopped=talk.stopped, inner=held.inner,
        view=world, said=_said(talk), episode=episode_url(shelved.slug, talk.key),
    )  # fmt: skip


def _said(talk: Talk) -> list[tuple[str, str]]:
    if talk.state is None:
        return []
    return [("user" if message.type == "human" else "supporter", message.text) for message in talk.state.messages]


async def _appeared(desk: Desk, folder: Path) -> Shelved:
    """Return the run of a folder as soon as its manifest is there."""
    for _ in range(200):
        found = next((item for item in desk.library.shelves() if item.folder == folder), None)
        if found is not None and found.manifest is not None:
            return found
        if problem := desk.problems.pop("", ""):
            raise ConfigError(problem)
        await asyncio.sleep(0.02)
    raise ConfigError(f"{folder}: the run has not begun; see the terminal of `emoharbor view`")


def _supporters(desk: Desk) -> list[tuple[str, str, str]]:
    return [
        (item.slug, item.name, part.name)
        for item in desk.library.shelves()
        if item.manifest is not None and item.parent is None
        for part in item.manifest.config.supporters
        if part.use not in (HUMAN, "recorded")
    ][:200]


def _casts(desk: Desk) -> list[tuple[str, str]]:
    """Offer the casts of the runs that are here, so that a model may play the person."""
    found = [
        (item.slug, f"played as in {item.name}")
        for item in desk.library.shelves()
        if item.manifest is not None and item.manifest.models
    ]
    return [("", "played by rules (no model)"), *found[:50]]


def _base(desk: Desk, slug: str) -> RunConfig | None:
    return desk.library.get(slug).manifest.config if slug else None


def _watched(desk: Desk, person: str, whom: str, base: RunConfig | None) -> RunConfig:
    """Return the config of one episode: a person, a supporter, and the cast that was chosen."""
    slug, _, name = whom.partition(":")
    if slug == "offline":
        given: dict[str, Any] = base.model_dump() if base else {}
        spec: Any = {"name": name, "use": "offline", "style": name}
    else:
        theirs = desk.library.get(slug).manifest.config
        given = (base or theirs).model_dump() | {"models": {**(base.models if base else {}), **theirs.models}}
        spec = next((item for item in theirs.supporters if item.name == name), None)
        if spec is None:
            raise ConfigError(f"supporter {name!r}: choose one of the list")
    run = {"name": "watched", "seed": secrets.randbelow(10**6)}
    return make_config({**given, "run": run, "profiles": [person], "supporters": [spec]})


def _go(address: str) -> Response:
    return RedirectResponse(address, 303)
