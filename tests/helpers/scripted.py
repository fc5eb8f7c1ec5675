"""Scripted casts: nodes that do as they are told, so that the graph alone is under test."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import build_episode, step_limit
from emoharbor.nodes.cast import Cast, Part
from emoharbor.nodes.contract import Request, RoleNode, Runtime, Supporter
from emoharbor.profiles.schema import Profile
from emoharbor.state.base import Role
from emoharbor.state.episode import Channels, EpisodeState
from emoharbor.state.inner_world import Appraisal, Emotion, Thought
from emoharbor.state.updates import (
    FeelUpdate,
    FusedUpdate,
    JudgeUpdate,
    SpeakUpdate,
    SupporterUpdate,
    ThinkUpdate,
)
from emoharbor.state.verdict import Judgement

Called = list[tuple[Role, int]]


@dataclass
class Script:
    """What each role does; tests replace what they need."""

    called: Called = field(default_factory=list)
    leaves_at: int | None = None
    satisfied: bool = False
    speaks: Callable[[int], str] = lambda turn: f"What I say at turn {turn}."
    answers: Callable[[Request], str] = lambda request: f"An answer at turn {request.turn}."
    chain: tuple[Role, ...] = ("feel", "think", "speak")

    def nodes(self) -> dict[Role, RoleNode]:
        """Return every node of the person and the judge."""

        async def feel(state: Channels, _: Runtime) -> FeelUpdate:
            self.called.append(("feel", state["turn"]))
            return self.feeling(state)

        async def think(state: Channels, runtime: Runtime) -> ThinkUpdate:
            self.called.append(("think", state["turn"]))
            return self.thinking(state, runtime)

        async def speak(state: Channels, _: Runtime) -> SpeakUpdate:
            self.called.append(("speak", state["turn"]))
            return SpeakUpdate(message=self.speaks(state["turn"]), ends=self._ends(state["turn"]))

        async def fused(state: Channels, runtime: Runtime) -> FusedUpdate:
            self.called.append(("fused", state["turn"]))
            goes_on = state["turn"] < state["max_turns"]
            spoken = SpeakUpdate(message=self.speaks(state["turn"])) if goes_on else None
            return FusedUpdate(feel=self.feeling(state), think=self.thinking(state, runtime), speak=spoken)

        async def judge(state: Channels, _: Runtime) -> JudgeUpdate:
            self.called.append(("judge", state["turn"]))
            return JudgeUpdate(judgement=Judgement(judge="scripted", rubric="none", unscored="a scripted judge"))

        return {"feel": feel, "think": think, "speak": speak, "fused": fused, "judge": judge}

    def feeling(self, state: Channels) -> FeelUpdate:
        """Rise and fall, so that no turn is stale."""
        up = state["turn"] % 2 == 0
        appraisal = Appraisal(
            relevance=2, conduciveness=1, coping=1, norms=1, quote="An answer" if state["turn"] else ""
        )
        return FeelUpdate(
            appraisal=appraisal,
            emotions=(Emotion(label="hope" if up else "sadness", intensity=5),),
            distress=3.0 if up else 8.0,
            trust=9.0,
            cause="because",
        )

    def thinking(self, state: Channels, runtime: Runtime) -> ThinkUpdate:
        """Release everything the limits allow, and leave when told to."""
        leaves = self._ends(state["turn"]) is not None
        situation = runtime.profile.situation
        facts = tuple(fact.id for fact in situation.guarded) if situation else ()
        thought = Thought(
            monologue=f"monologue of turn {state['turn']}",
            intention="leave" if leaves else "disclose",
            release=facts,
            wants_to_continue=not leaves,
            continue_reason="enough" if leaves else "",
            got_what_i_came_for=self.satisfied,
        )
        return ThinkUpdate(thought=thought, readiness=5.0)

    def supporter(self) -> Supporter:
        """Return the supporter."""

        async def answer(request: Request) -> SupporterUpdate:
            self.called.append(("supporter", request.turn))
            return SupporterUpdate(message=self.answers(request))

        return answer

    def cast(self) -> Cast:
        """Return the cast of this script."""
        nodes = self.nodes()
        user = tuple(part(role, nodes[role]) for role in self.chain)
        return Cast(user, part("judge", nodes["judge"]), {"scripted": part("supporter", self.supporter())})

    def _ends(self, turn: int) -> Literal["satisfied", "gave_up"] | None:
        if self.leaves_at is None or turn < self.leaves_at:
            return None
        return "satisfied" if self.satisfied else "gave_up"


def part(role: Role, node: RoleNode | Supporter) -> Part:
    """Wrap a node as the part of a cast."""
    return Part(role, "scripted", {}, "0", None, node)


async def play_out(cast: Cast, profile: Profile, max_turns: int = 4, start: EpisodeState | None = None) -> EpisodeState:
    """Run an episode to its end."""
    graph = build_episode(cast, {profile.id: profile}.__getitem__)
    first = start or first_state(profile, EpisodeContext(supporter="scripted", max_turns=max_turns))
    end = await graph.ainvoke(first.channels(), {"recursion_limit": step_limit(first.max_turns)})
    return EpisodeState.from_channels(end)
