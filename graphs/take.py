"""Taking in what a node handed back: one pure function an update type, from proposal to changed channels."""

from typing import Any, assert_never

from emoharbor.graphs.table import Sitter
from emoharbor.nodes.disclosure import find_disclosures
from emoharbor.profiles.schema import GuardedFact, PartialProfile
from emoharbor.state.base import Role
from emoharbor.state.dialogue import supporter_message, user_message
from emoharbor.state.episode import Channels
from emoharbor.state.inner_world import InnerWorld
from emoharbor.state.outcome import Outcome
from emoharbor.state.reducers import Change, apply_disclosures, apply_feel, apply_think, withhold_gist
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
    world, turn = state["inner"], state["turn"]
    match update:
        case FeelUpdate() | ThinkUpdate():
            return _inner(_inward(world, update, sitter, turn), role)
        case SpeakUpdate():
            return _speak(update, role, (world, ()), sitter, turn, thinks=thinks)
        case FusedUpdate():
            world, felt = _inward(world, update.feel, sitter, turn)
            world, thought = _inward(world, update.think, sitter, turn)
            change = world, (*felt, *thought)
            if update.speak is None:
                return _inner(change, role)
            return _speak(update.speak, role, change, sitter, turn, thinks=True)
        case SupporterUpdate():
            return _changed(messages=[supporter_message(turn, update.message)], turn=turn + 1, last=role)
        case JudgeUpdate():
            return _changed(verdict=update.judgement, last=role)
        case _:
            assert_never(update)


def _inward(world: InnerWorld, update: FeelUpdate | ThinkUpdate, sitter: Sitter, turn: int) -> Change:
    if isinstance(update, FeelUpdate):
        return apply_feel(world, update, sitter.bounds, turn)
    return _guarded(apply_think(world, update, sitter.bounds, turn), sitter, turn)


def _guarded(change: Change, sitter: Sitter, turn: int) -> Change:
    """Withhold the gist if it quotes what is still held back: `speak` reads the gist."""
    world, shifts = change
    gist = world.thought.gist if world.thought else ""
    held = (fact for fact in _facts(sitter.profile) if fact.id not in world.released)
    if gist and any(shares_a_run(gist, text) for fact in held for text in (fact.fact, *fact.tells)):
        world, more = withhold_gist(world, turn)
        return world, (*shifts, *more)
    return change


def _inner(change: Change, role: Role) -> Channels:
    world, shifts = change
    return _changed(inner=world, worlds=(world,), shifts=shifts, last=role)


def _speak(  # noqa: PLR0913 - a message, and all that it is said from
    update: SpeakUpdate, role: Role, change: Change, sitter: Sitter, turn: int, *, thinks: bool
) -> Channels:
    world, shifts = change
    found = find_disclosures(update.message, update.disclosures, _facts(sitter.profile), world, turn)
    world, more = apply_disclosures(world, found, role, turn)
    channels = _inner((world, (*shifts, *more)), role)
    channels["messages"] = [user_message(turn, update.message)]
    if update.ends == "over":
        channels["outcome"], channels["outcome_reason"] = Outcome.TURN_CAP, "the record ends here"
    elif update.ends is not None and not thinks:
        channels["outcome"] = _ENDS[update.ends]
        channels["outcome_reason"] = "the person ended the talk"
    return channels


def _facts(profile: PartialProfile) -> tuple[GuardedFact, ...]:
    return profile.situation.guarded if profile.situation else ()


def _changed(**channels: Any) -> Channels:
    return channels  # type: ignore[return-value]  # keys of Channels
