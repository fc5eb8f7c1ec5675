"""A person at the keyboard as the supporter of one simulated person, turn by turn.

A talk is a run of one episode, in a run folder from its first message on, so that everything that reads runs reads it.
`emoharbor chat` and the viewer's talk page both use it.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from emoharbor.eval.assembly import assemble
from emoharbor.eval.config import RunConfig, make_config
from emoharbor.eval.people.taken_up import people_of
from emoharbor.eval.record import EpisodeKey, EpisodeRecord
from emoharbor.eval.run import Run
from emoharbor.eval.runs.manifest import read_manifest
from emoharbor.eval.runs.plan import planned
from emoharbor.eval.runs.start import Options, run_assembly
from emoharbor.nodes.briefing import Briefing
from emoharbor.nodes.models.client import Models
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.nodes.spec import CastSpec
from emoharbor.nodes.supporters.human import HUMAN
from emoharbor.state.base import Frozen
from emoharbor.state.episode import MAX_TURNS, EpisodeState
from emoharbor.state.errors import ConfigError, RunFolderError


class Said(Frozen):
    """One message of the dialogue."""

    role: Literal["user", "assistant"]
    """`user` is the simulated person, `assistant` the supporter."""
    content: str


class Asked(Frozen):
    """What the supporter may see when it is their turn: nothing of the person but what was said."""

    turn: int
    says: str
    """The person's last message."""
    messages: tuple[Said, ...]
    """The dialogue so far, that message included."""
    briefing: str = ""
    problem: str = ""
    """Why the last answer was not taken, when it was not."""


def talk_config(  # noqa: PLR0913 - the knobs of a talk, all keyword-only
    profile: str,
    *,
    name: str = HUMAN,
    seed: int = 0,
    max_turns: int = MAX_TURNS,
    briefing: Briefing = "none",
    cast: CastSpec | Mapping[str, Any] | None = None,
    models: Mapping[str, ModelSettings | Mapping[str, Any]] | None = None,
) -> RunConfig:
    """Return the config of a talk. Unless a cast is given, person and judge are rule-based.

    Args:
        profile: id or file of the person.
        name: how the supporter is called in the run.
        seed: another seed gives another talk.
        max_turns: turn limit.
        briefing: what the supporter is told beforehand.
        cast: who plays the person and the judge, as in a config.
        models: the models that the cast names, as in a config.

    Raises:
        ConfigError: for a mistake in these.
    """
    return make_config({
        "run": {"name": "chat", "seed": seed, "max_turns": max_turns, "briefing": briefing},
        "profiles": [profile],
        "cast": cast or {},
        "models": models or {},
        "supporters": [{"name": name, "use": HUMAN}],
    })  # fmt: skip


class Talk:
    """One talk under way. Made by `begin` or `resume`; `close` leaves it, and everything is saved.

    Attributes:
        folder: the run folder.
        key: the episode.
        asked: what the supporter sees, when it is their turn; None once the talk has ended.
        state: the whole state at this moment. It holds the inner world, which a supporter under test must not see.
    """

    def __init__(self, config: RunConfig, folder: Path, *, resume: bool) -> None:
        """Use `begin` or `resume`."""
        self.folder = folder
        self.asked: Asked | None = None
        self.state: EpisodeState | None = None
        self._config = config
        self._resume = resume
        self._reply: asyncio.Future[str] | None = None
        self._turn: asyncio.Future[None] | None = None
        self._task: asyncio.Task[Run] | None = None

    @classmethod
    async def begin(cls, config: RunConfig, folder: Path | str) -> Self:
        """Begin a talk in a new folder, and return once the person has said the first thing.

        Raises:
            UserError: for a mistake in config or folder.
        """
        return await cls(config, Path(folder), resume=False)._start()

    @classmethod
    async def resume(cls, folder: Path | str) -> Self:
        """Go on with a talk that was left, where it was left.

        Raises:
            RunFolderError: when the folder holds no run of one person with a human supporter.
        """
        manifest = read_manifest(Path(folder))
        if len(planned(manifest)) != 1 or manifest.config.supporters[0].use != HUMAN:
            raise RunFolderError(
                f"{folder}: is no talk with a person at the keyboard; go on by: emoharbor run --resume"
            )
        return await cls(manifest.config, Path(folder), resume=True)._start()

    async def reply(self, text: str) -> Asked | None:
        """Say something, and return what the person says to it; None when the talk has ended, the judge included.

        A text that shows nothing is not taken: the same is asked again, with `problem` set.

        Raises:
            ConfigError: when it is not the supporter's turn.
            UserError: when the run folder cannot be written any more.
        """
        if self._reply is None or self._reply.done():
            raise ConfigError("it is not the supporter's turn")
        self._reply.set_result(text)
        return await self._next()

    @property
    def stopped(self) -> str:
        """Why the talk stopped before its end (an endpoint refused, the budget); empty otherwise."""
        task = self._task
        if task is None or not task.done() or task.cancelled() or task.exception() is not None:
            return ""
        return str(task.result().stopped or "")

    @property
    def key(self) -> EpisodeKey:
        """The episode, as `show` names it."""
        return planned(read_manifest(self.folder))[0]

    def record(self) -> EpisodeRecord:
        """Return the episode as `show` reads it."""
        return Run(self.folder).episode(self.key)

    async def close(self) -> None:
        """Leave. All that was said is saved, the message that waits for an answer too."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def __aenter__(self) -> Self:
        """Return itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close it."""
        await self.close()

    async def _start(self) -> Self:
        self._task = asyncio.create_task(self._run())
        try:
            await self._next()
        except BaseException:
            await self.close()
            raise
        return self

    async def _run(self) -> Run:
        people = people_of(read_manifest(self.folder)) if self._resume else None
        async with Models() as models:
            assembly = assemble(self._config, models, people, attended=True)
            how = Options(resume=self._resume, answer=self._ask, reports=models.report, waited=models.waited)
            return await run_assembly(assembly, self.folder, how)

    async def _ask(self, state: EpisodeState, asked: Mapping[str, Any]) -> str:
        """Called by the run when it is the supporter's turn."""
        self.state, self.asked = state, Asked.model_validate(asked)
        self._reply = asyncio.get_running_loop().create_future()
        if self._turn is not None and not self._turn.done():
            self._turn.set_result(None)
        return await self._reply

    async def _next(self) -> Asked | None:
        """Wait until it is the supporter's turn, or the run has ended."""
        assert self._task is not None  # noqa: S101 - made by _start
        self._turn = asyncio.get_running_loop().create_future()
        self.asked = None
        either: list[asyncio.Future[Any]] = [self._task, self._turn]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if self._task.done():
            ended = self._task.result()  # raises what the run raised
            self.state = ended.state(self.key)
        return self.asked
