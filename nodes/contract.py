"""What a node is. Everything that can be swapped keeps one of these shapes.

A role is made by a factory with typed arguments, and is one async function:

    def stoic_think(model: ChatModel, *, calm: float = 0.5) -> ThinkNode:
        async def think(state: Channels, runtime: Runtime) -> ThinkUpdate: ...
        return think

The supporter is the system under test, so it gets something else: a `Request` that holds the dialogue and nothing of
the person. No profile, inner world, run configuration or context variable reaches it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.messages import AnyMessage

from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.episode import Channels
from emoharbor.state.updates import FeelUpdate, FusedUpdate, JudgeUpdate, SpeakUpdate, SupporterUpdate, ThinkUpdate

Send = Literal["history", "last"]
"""What a supporter is sent each turn: the whole dialogue, or (an agent with memory) only the last message."""


def _drop(kind: str, detail: str) -> None:
    """Note nothing."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """What a role is given beside the state.

    Attributes:
        profile: the person. `speak` sees only the guarded facts that `think` has released.
        seed: the seed for this role at this turn; the supporter's name is not part of it.
        max_turns: the turn cap.
        complaint: why the last attempt at this very step was turned down; empty at the first attempt.
        note: records a fault that was mended or worked around (kind, detail).
        repeat: which of several ratings of one episode this is; 0 but for the judge.
        rated_as: id of the person it is rated as, when the profile is not the one who spoke.
    """

    profile: PartialProfile
    seed: int
    max_turns: int
    complaint: str = ""
    note: Callable[[str, str], None] = _drop
    repeat: int = 0
    rated_as: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """All that a supporter gets.

    Attributes:
        messages: the dialogue; `HumanMessage` is the person, `AIMessage` the supporter; ids `u0`, `a0`, `u1` ...
        briefing: what the run tells the supporter about the person; empty for nothing.
        thread_id: one dialogue's id, for agents with memory; never shared between people or attempts.
        turn: index of the turn to answer.
        seed: for the supporter's own randomness.
        callbacks: the trace to hang child runs on, with no metadata of ours; pass it on in the config.
        note: records a fault that was mended or worked around (kind, detail), such as a call that was tried again.
    """

    messages: tuple[AnyMessage, ...]
    thread_id: str
    turn: int
    seed: int
    briefing: str = ""
    callbacks: BaseCallbackManager | None = field(default=None, repr=False)
    note: Callable[[str, str], None] = field(default=_drop, repr=False)


class FeelNode(Protocol):
    """Appraises the supporter's last message, or at turn 0 the situation."""

    async def __call__(self, state: Channels, runtime: Runtime, /) -> FeelUpdate:
        """Propose how the feelings change."""


class ThinkNode(Protocol):
    """The inner monologue and what it decides."""

    async def __call__(self, state: Channels, runtime: Runtime, /) -> ThinkUpdate:
        """Propose a thought, moved needs and released facts."""


class SpeakNode(Protocol):
    """Turns the intention into the one message the supporter sees."""

    async def __call__(self, state: Channels, runtime: Runtime, /) -> SpeakUpdate:
        """Say it."""


class FusedNode(Protocol):
    """Feel, think and speak in one."""

    async def __call__(self, state: Channels, runtime: Runtime, /) -> FusedUpdate:
        """Propose all three; `speak` is None at the turn cap, when the last reply is only taken in."""


class JudgeNode(Protocol):
    """Rates a finished episode as the person."""

    async def __call__(self, state: Channels, runtime: Runtime, /) -> JudgeUpdate:
        """Rate; what cannot be read is `unscored` with its reason, never a number."""


class Supporter(Protocol):
    """The system under test."""

    async def __call__(self, request: Request, /) -> SupporterUpdate:
        """Answer the last message.

        Raises:
            SupporterFault: when there is no usable answer.
        """


RoleNode = FeelNode | ThinkNode | SpeakNode | FusedNode | JudgeNode
