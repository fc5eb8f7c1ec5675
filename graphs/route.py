"""The control flow: pure functions of the state. The state alone decides the next node and how an episode ends."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.constants import END

from emoharbor.nodes.circle import in_a_circle
from emoharbor.state.base import Role
from emoharbor.state.dialogue import said
from emoharbor.state.episode import Channels
from emoharbor.state.inner_world import InnerWorld
from emoharbor.state.outcome import Outcome

Stop = Literal["__end__"]
Ending = tuple[Outcome, str]
SPEAKS: frozenset[Role] = frozenset({"speak", "fused"})
"""The roles that say the person's message."""
STALE_TURNS = 4
"""Turns in a row in which nothing new happened, after which a dialogue is stale."""
_SMALL = 0.5
"""A move of distress or trust below this is nothing new."""
_STOP: Stop = "__end__"
assert _STOP == END, "LangGraph renamed its end node"  # noqa: S101 - the type of `route` is written with the literal


def route(state: Channels, chain: Sequence[Role], *, judged: bool = True, supported: bool = True) -> Role | Stop:
    """Return the next node.

    Args:
        state: the state as it is now.
        chain: the user's roles in order, for example feel, think, speak.
        judged: whether the graph has a judge.
        supported: whether the graph has a supporter; without one, the person speaks once and the graph ends.
    """
    outcome, last = state.get("outcome"), state.get("last")
    if outcome is not None:
        waiting = judged and Outcome(outcome).judged and state.get("verdict") is None and last != "judge"
        return "judge" if waiting else _STOP
    if last is None or last not in chain:
        return chain[0]
    following = chain.index(last) + 1
    if following < len(chain):
        return chain[following]
    return "supporter" if supported else _STOP


def at_cap(state: Channels, role: Role, chain: Sequence[Role]) -> Ending | None:
    """Return the ending by the turn cap, or None.

    Args:
        state: the state after the role's update.
        role: the role that just ran; the last reply is taken in by the chain's inner roles, if it has any.
        chain: the user's roles.
    """
    if state["turn"] < state["max_turns"]:
        return None
    inner = [name for name in chain if name != "speak"]
    if not inner and role == "supporter":
        return Outcome.TURN_CAP, f"{state['max_turns']} turns"
    if inner and role == inner[-1]:
        return Outcome.TURN_CAP, f"{state['max_turns']} turns, the last reply taken in"
    return None


def parting(world: InnerWorld, worlds: Sequence[InnerWorld], talk: Sequence[AnyMessage]) -> Ending | None:
    """Return how the episode ends with the message that was just said, or None while it goes on.

    Args:
        world: the inner world it was said from.
        worlds: the inner worlds of all turns, this one included.
        talk: the dialogue, this message included.
    """
    return _farewell(world) or _stale(worlds) or _circle(talk)


def takes_in(chain: Sequence[Role]) -> bool:
    """Tell whether the chain has an inner world that takes in the last reply: all but `[speak]` alone have."""
    return any(name != "speak" for name in chain)


def _farewell(world: InnerWorld) -> Ending | None:
    thought = world.thought
    if thought is None or thought.wants_to_continue:
        return None
    outcome = Outcome.USER_SATISFIED if thought.got_what_i_came_for else Outcome.USER_LEFT
    return outcome, thought.continue_reason or thought.monologue


def _stale(worlds: Sequence[InnerWorld]) -> Ending | None:
    recent = worlds[-(STALE_TURNS + 1) :]
    if len(recent) <= STALE_TURNS:
        return None
    still = all(_nothing_new(before, after) for before, after in pairwise(recent))
    return (Outcome.STALE, f"nothing new for {STALE_TURNS} turns") if still else None


def _circle(talk: Sequence[AnyMessage]) -> Ending | None:
    message = said(talk[-1:], HumanMessage)
    if not message or not in_a_circle(message[0], talk[:-1]):
        return None
    return Outcome.STALE, "both sides go round in a circle"


def _nothing_new(before: InnerWorld, after: InnerWorld) -> bool:
    return (
        abs(before.distress - after.distress) < _SMALL
        and abs(before.trust - after.trust) < _SMALL
        and [need.status for need in before.needs] == [need.status for need in after.needs]
        and len(before.disclosed) == len(after.disclosed)
    )
