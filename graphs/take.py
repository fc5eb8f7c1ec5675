"""Taking in what a node handed back: one pure function an update type, from proposal to changed channels."""

from collections.abc import Callable
from typing import Any, assert_never, cast

from emoharbor.graphs.table import Sitter
from emoharbor.nodes.disclosure import find_disclosures
from emoharbor.profiles.schema import GuardedFact, PartialProfile
from emoharbor.state.base import Role
from emoharbor.state.dialogue import supporter_message, user_message
from emoharbor.state.episode import Channels
from emoharbor.state.inner_world import InnerWorld
from emoharbor.state.outcome import Outcome
from emoharbor.state.reducers import Change, apply_disclosures, apply_feel, apply_think, withhold_gist
from emoharbor.state.shift import Shift
from emoharbor.state.text import shares_a_run
from emoharbor.state.updates import (
    FeelUpdate,
    FusedUpdate,
    JudgeUpdate,
    NodeUpdate,
    SpeakUpdate,
    SupporterUpdate,
    ThinkUpdate,
)

_ENDS = {"satisfied": Outcome.USER_SATISFIED, "gave_up": Outcome.USER_LEFT}


def take(update: NodeUpdate, role: Role, state: Channels, sitter: Sitter, *, thinks: bool) -> Channels:
    """Return the channels that `update` changes.

    Args:
        update: what the node handed back, already validated.
        role: the seat it came from.
        state: the state before.
        sitter: the whole person and their limits.
        thinks: whether the chain has a `think`; only without one does `speak` decide about leaving.
    """
    match update:
        case FeelUpdate() | ThinkUpdate():
            return _inner(_Steps(state).then(_inward(update, sitter, state["turn"])), role)
        case SpeakUpdate():
            return _speak(update, role, _Steps(state), sitter, thinks=thinks)
        case FusedUpdate():
            return _fused(update, role, state, sitter)
        case SupporterUpdate():
            message = supporter_message(state["turn"], update.message)
            return _changed(messages=[message], turn=state["turn"] + 1, last=role)
        case JudgeUpdate():
            return _changed(verdict=update.judgement, last=role)
        case _:
            assert_never(update)


class _Steps:
    """The inner world through several changes, with the shifts they leave."""

    def __init__(self, state: Channels) -> None:
        self.turn = state["turn"]
        self.world: InnerWorld = state["inner"]
        self.shifts: tuple[Shift, ...] = ()

    def then(self, change: Callable[[InnerWorld], Change]) -> "_Steps":
        self.world, shifts = change(self.world)
        self.shifts += shifts
        return self


def _inward(update: FeelUpdate | ThinkUpdate, sitter: Sitter, turn: int) -> Callable[[InnerWorld], Change]:
    if isinstance(update, FeelUpdate):
        return lambda world: apply_feel(world, update, sitter.bounds, turn)
    return lambda world: _guarded(apply_think(world, update, sitter.bounds, turn), sitter, turn)


def _guarded(change: Change, sitter: Sitter, turn: int) -> Change:
    """Withhold the gist if it quotes what is still held back: `speak` reads the gist."""
    world, shifts = change
    held = [fact for fact in _facts(sitter.profile) if fact.id not in world.released]
    gist = world.thought.gist if world.thought else ""
    if gist and any(shares_a_run(gist, text) for fact in held for text in (fact.fact, *fact.tells)):
        world, more = withhold_gist(world, turn)
        return world, (*shifts, *more)
    return world, shifts


def _inner(steps: _Steps, role: Role) -> Channels:
    return _changed(inner=steps.world, worlds=(steps.world,), shifts=steps.shifts, last=role)


def _speak(update: SpeakUpdate, role: Role, steps: _Steps, sitter: Sitter, *, thinks: bool) -> Channels:
    turn = steps.turn
    found = find_disclosures(update.message, update.disclosures, _facts(sitter.profile), steps.world, turn)
    steps.then(lambda world: apply_disclosures(world, found, role, turn))
    channels = _inner(steps, role)
    channels["messages"] = [user_message(turn, update.message)]
    if update.ends == "over":
        channels["outcome"], channels["outcome_reason"] = Outcome.TURN_CAP, "the record ends here"
    elif update.ends is not None and not thinks:
        channels["outcome"] = _ENDS[update.ends]
        channels["outcome_reason"] = "the person ended the talk"
    return channels


def _fused(update: FusedUpdate, role: Role, state: Channels, sitter: Sitter) -> Channels:
    steps = _Steps(state)
    steps.then(_inward(update.feel, sitter, steps.turn)).then(_inward(update.think, sitter, steps.turn))
    if update.speak is None:
        return _inner(steps, role)
    return _speak(update.speak, role, steps, sitter, thinks=True)


def _facts(profile: PartialProfile) -> tuple[GuardedFact, ...]:
    return profile.situation.guarded if profile.situation else ()


def _changed(**channels: Any) -> Channels:
    return cast("Channels", channels)
