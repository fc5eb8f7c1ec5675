"""The simulated user for other harnesses: the messages so far in, the person's next message out.

What goes out is text. The inner world stays here, for whoever evaluates to ask for: inside a message it would reach the
system under test.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Self

from langchain_core.messages import HumanMessage

from emoharbor.eval.assembly import assemble
from emoharbor.eval.harness.background import Background
from emoharbor.eval.harness.messages import Line, lines_of
from emoharbor.eval.harness.rate import ELSEWHERE, config_of, judged
from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import step_limit
from emoharbor.graphs.user import build_user, hear
from emoharbor.nodes.models.client import Models
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.nodes.spec import CastSpec
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.base import Frozen
from emoharbor.state.dialogue import said
from emoharbor.state.episode import MAX_TURNS, EpisodeState
from emoharbor.state.errors import ConfigError, EmoHarborError
from emoharbor.state.inner_world import InnerWorld
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Judgement

People = PartialProfile | str | Sequence[PartialProfile | str]


class Said(Frozen):
    """What the person did next."""

    text: str | None
    """The message; None when nothing more is said."""
    outcome: Outcome | None
    """How the talk ended: with this message, if there is one. None while it goes on."""
    reason: str
    inner_world: InnerWorld
    """For whoever evaluates; never for the system under test."""


class SimulatedUser:
    """People of a cast, each dialogue a thread of its own, remembered until it is forgotten.

    Use it as a context manager, or call `close` at the end. It may be called from any thread and any event loop; calls
    for one dialogue must follow each other.
    """

    def __init__(
        self,
        people: People,
        *,
        cast: CastSpec | Mapping[str, Any] | None = None,
        models: Mapping[str, ModelSettings | Mapping[str, Any]] | None = None,
        max_turns: int = MAX_TURNS,
        seed: int = 0,
    ) -> None:
        """Build the cast; nothing is called yet.

        Args:
            people: who: profiles, ids, names of sets, or paths.
            cast: who plays the person and the judge, as in a config; None for the offline cast.
            models: the models that the cast names, as in a config.
            max_turns: messages of the person at most; then the last reply is taken in and no more is said.
            seed: the same one gives the same person again, as far as the models do.

        Raises:
            UserError: for a mistake in any of these.
        """
        self._people = people_named(people)
        self._models = Models()
        self._parts = assemble(config_of(cast, models), self._models, self._people).cast
        self._graph = build_user(self._parts, self._people.__getitem__)
        self._max_turns, self._seed = max_turns, seed
        self._threads: dict[str, EpisodeState] = {}
        self._background = Background()

    @property
    def people(self) -> tuple[str, ...]:
        """The ids of those who can be played."""
        return tuple(self._people)

    async def next(self, messages: Any, thread_id: str, profile: str | None = None, *, repeat: int = 0) -> Said:
        """Return what the person says next.

        Args:
            messages: the dialogue so far, or its last message alone. The person speaks first: what the other side says
                before is not heard.
            thread_id: names the dialogue. The same id goes on with the same person, another one begins anew.
            profile: who, when there are several; needed in the first call of a thread.
            repeat: which of several dialogues of the same person this is; their seeds differ.

        Raises:
            ConfigError: when the messages do not follow on this thread, or nobody is called so.
            EmoHarborError: when a model could not be reached; the same call may be made again.
        """
        return await self._background.run(partial(self._next, lines_of(messages), thread_id, profile, repeat))

    def next_sync(self, messages: Any, thread_id: str, profile: str | None = None, *, repeat: int = 0) -> Said:
        """Do `next` and wait for it."""
        return self._background.start(partial(self._next, lines_of(messages), thread_id, profile, repeat)).result()

    async def rate(self, thread_id: str, messages: Any = ()) -> Judgement:
        """Rate a dialogue as the person who held it, from the inner-world log as well.

        Args:
            thread_id: names the dialogue.
            messages: the dialogue, if there is a last reply that the person has not heard yet.

        Raises:
            ConfigError: when there is no such dialogue, or the cast has no judge.
            EmoHarborError: when it was no valid dialogue, or a model could not be reached.
        """
        return await self._background.run(partial(self._rate, lines_of(messages), thread_id))

    def rate_sync(self, thread_id: str, messages: Any = ()) -> Judgement:
        """Do `rate` and wait for it."""
        return self._background.start(partial(self._rate, lines_of(messages), thread_id)).result()

    def state(self, thread_id: str) -> EpisodeState:
        """Return all that is known of a dialogue, inner world and log included.

        Raises:
            ConfigError: when there is no such dialogue.
        """
        if thread_id not in self._threads:
            raise ConfigError(f"no dialogue is called {thread_id!r}; a thread begins with its first message")
        return self._threads[thread_id]

    def forget(self, thread_id: str) -> None:
        """Forget a dialogue."""
        self._threads.pop(thread_id, None)

    def close(self) -> None:
        """Close the connections of the models."""
        self._background.start(self._models.aclose).result()
        self._background.close()

    def __enter__(self) -> Self:
        """Do nothing yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the connections of the models."""
        self.close()

    async def _next(self, lines: Sequence[Line], thread_id: str, profile: str | None, repeat: int) -> Said:
        state = self._threads.get(thread_id)
        if state is None:
            state = self._begin(profile, repeat)
        elif profile is not None and profile != state.profile_id:
            raise ConfigError(f"thread {thread_id!r} is {state.profile_id}'s, not {profile}'s; name another thread")
        elif state.outcome is None:
            reply = _heard(lines, state)
            if reply is None:
                raise ConfigError(f"thread {thread_id!r}: there is no answer yet to the person's last message")
            state = hear(state, reply)
        before = len(state.messages)
        if state.outcome is None:
            state = await self._played(state)
            self._threads[thread_id] = state
        spoken = said(state.messages[before:], HumanMessage)
        return Said(
            text=spoken[0] if spoken else None, outcome=state.outcome, reason=state.outcome_reason,
            inner_world=state.inner,
        )  # fmt: skip

    async def _rate(self, lines: Sequence[Line], thread_id: str) -> Judgement:
        state = self.state(thread_id)
        reply = _heard(lines, state) if state.outcome is None else None
        if reply is not None:
            # at the cap a reply is taken in and nothing more is said
            state = hear(state, reply)
            state = await self._played(state.model_copy(update={"max_turns": state.turn}))
        if state.outcome is not None and not state.outcome.judged:
            raise EmoHarborError(f"thread {thread_id!r} is not rated: {state.outcome.value}: {state.outcome_reason}")
        return await judged(state, self._parts, self._people[state.profile_id])

    async def _played(self, state: EpisodeState) -> EpisodeState:
        end = EpisodeState.from_channels(
            await self._graph.ainvoke(state.channels(), {"recursion_limit": step_limit(state.max_turns)})
        )
        if end.outcome is Outcome.INFRASTRUCTURE:
            raise EmoHarborError(f"{end.profile_id} could not go on: {end.outcome_reason}")
        return end

    def _begin(self, profile: str | None, repeat: int) -> EpisodeState:
        if profile is None and len(self._people) == 1:
            (profile,) = self._people
        if profile is None or profile not in self._people:
            asked = "say which person this is" if profile is None else f"nobody here is called {profile!r}"
            raise ConfigError(f"{asked}; there are: {', '.join(self._people)}")
        context = EpisodeContext(supporter=ELSEWHERE, max_turns=self._max_turns, seed=self._seed, repeat=repeat)
        return first_state(self._people[profile], context)


def people_named(wanted: People) -> dict[str, PartialProfile]:
    """Return profiles by id.

    Raises:
        ProfileError: for an unknown name, or a broken file.
        ConfigError: when nobody is asked for.
    """
    items = [wanted] if isinstance(wanted, PartialProfile | str) else list(wanted)
    found: dict[str, PartialProfile] = {}
    for item in items:
        found |= load_people(item) if isinstance(item, str) else {item.id: item}
    if not found:
        raise ConfigError("no profile is asked for; name a set (core, all), ids, or a path")
    return found


def _heard(lines: Sequence[Line], state: EpisodeState) -> str | None:
    """Return the reply to the person's last message, None when there is none yet.

    Raises:
        ConfigError: when the messages are not this dialogue.
    """
    last = said(state.messages, HumanMessage)[-1]
    at = max((index for index, (side, _) in enumerate(lines) if side == "user"), default=-1)
    if at >= 0 and lines[at][1].strip() != last.strip():
        raise ConfigError("the messages are not this thread's: the person's last message in them is another one")
    return "\n".join(text for _, text in lines[at + 1 :]) or None
