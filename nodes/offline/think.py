"""The offline `think`: a monologue by rules, which needs are answered, what may be told now, and whether to go on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from random import Random
from typing import Literal

from emoharbor.nodes.contract import Runtime, ThinkNode
from emoharbor.nodes.offline.data import person_lines
from emoharbor.nodes.offline.english import inner
from emoharbor.nodes.offline.impact import Impact, impact
from emoharbor.nodes.offline.reading import Reading, readings
from emoharbor.nodes.offline.shaken import AFTER
from emoharbor.nodes.offline.ways import Ways, ways_of
from emoharbor.nodes.pressure import happening
from emoharbor.profiles.bounds import bounds_of, starting_world
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.episode import Channels
from emoharbor.state.inner_world import InnerWorld, Intention, Thought
from emoharbor.state.updates import NeedMove, ThinkUpdate

Ends = Literal["satisfied", "gave_up"]

_TOUCHED, _MET = 0.45, 0.7
"""Support of the wanted kind from which a need is touched, and from which a touched need can be met."""
_TRUSTING = 5
"""Trust from which a need can be met at all."""
_FIRST_GOODBYE = 5
"""Nobody leaves content before this turn: it takes a while to have been heard."""


def offline_think() -> ThinkNode:
    """Make the rule-based `think`. The seed only chooses between wordings of the monologue."""

    async def think(state: Channels, runtime: Runtime) -> ThinkUpdate:
        rng = Random(runtime.seed)  # noqa: S311 - variety, not secrecy
        return decide(state, runtime.profile, runtime.max_turns, rng)

    return think


@dataclass(frozen=True, slots=True)
class _Moment:
    """The last reply, and the person it reached."""

    state: Channels
    profile: PartialProfile
    ways: Ways
    world: InnerWorld
    reading: Reading
    taken: Impact

    @property
    def turn(self) -> int:
        return self.state["turn"]


def decide(state: Channels, profile: PartialProfile, max_turns: int, rng: Random) -> ThinkUpdate:
    """Return what this person makes of the last reply and means to do."""
    world, ways, found = state["inner"], ways_of(profile), readings(state["messages"])
    if not found:
        return _before_anything(rng)
    taken = impact(found, ways, [emotion.label for emotion in world.emotions])
    now = _Moment(state, profile, ways, world, found[-1], taken)
    moves = _needs_moved(now)
    needs = {need.id: need.status for need in world.needs} | {move.id: move.status for move in moves}
    event = happening(state)
    release = () if event else _release(now)
    untold = (*_untold(world), *release)
    ends = None if now.turn >= max_turns else _ends(now, needs, untold)
    if event and ends == "satisfied":
        ends = None  # nobody closes the window content just when something comes in between
    intention: Intention = "leave" if ends else "disclose" if untold else _intention(now, needs, max_turns)
    if event and not ends:
        intention = AFTER[event.kind]
    monologue = _monologue(now, ends, rng, tells=bool(release))
    thought = Thought(
        monologue=f"{_one(person_lines().monologue[event.kind], rng)} {monologue}" if event else monologue,
        view_of_supporter=_view(world.trust),
        continue_reason=_reason(ends),
        intention=intention,
        gist=person_lines().gist[intention],
        release=release,
        wants_to_continue=ends is None,
        got_what_i_came_for=ends == "satisfied",
    )
    return ThinkUpdate(thought=thought, readiness=_readiness(now), needs=moves)


def _before_anything(rng: Random) -> ThinkUpdate:
    lines = person_lines()
    thought = Thought(
        monologue=_one(lines.monologue["situation"], rng),
        continue_reason=lines.reason.goes_on,
        intention="elaborate",
        gist=lines.gist["elaborate"],
    )
    return ThinkUpdate(thought=thought)


def _needs_moved(now: _Moment) -> tuple[NeedMove, ...]:
    """A need is touched by support of its kind, and met when more of it comes, tied to the person, once trust is up."""
    moves = []
    grates = now.taken.grates > 0
    for need in now.world.needs:
        strength = 0.0 if grates else now.reading.gives.get(need.type, 0.0)
        if need.status == "unmet" and strength >= _TOUCHED:
            moves.append(NeedMove(id=need.id, status="touched", cause=now.reading.quote()))
        elif need.status == "touched" and strength >= _MET and now.reading.picked and now.world.trust >= _TRUSTING:
            moves.append(NeedMove(id=need.id, status="met", cause=now.reading.quote()))
    return tuple(moves)


def _release(now: _Moment) -> tuple[str, ...]:
    """Let go of the next facts that trust allows: one at a time, and only when the last reply did not miss."""
    situation, world = now.profile.situation, now.world
    if situation is None or now.taken.total < 0.2 or _untold(world):
        return ()
    told = [item.turn for item in world.disclosed]
    if now.ways.pace <= 2 and told and now.turn - max(told) < 2:
        return ()  # who tells slowly needs a turn to see how it was taken
    ready = sorted((fact.trust, fact.id) for fact in situation.guarded if fact.id not in world.released)
    open_now = [name for trust, name in ready if trust <= world.trust]
    return tuple(open_now[: bounds_of(now.profile).releases_per_turn])


def _untold(world: InnerWorld) -> tuple[str, ...]:
    told = {item.fact for item in world.disclosed}
    return tuple(fact for fact in world.released if fact not in told)


def _ends(now: _Moment, needs: Mapping[str, str], untold: Sequence[str]) -> Ends | None:
    """Return how the person goes, or None while they stay."""
    if _had_enough(now):
        return "gave_up"
    just_told = any(item.turn == now.turn - 1 for item in now.world.disclosed)
    answered = bool(needs) and all(status == "met" for status in needs.values())
    content = answered and _lighter(now) and now.turn >= _FIRST_GOODBYE and now.taken.total > 0
    if not content or untold or just_told or _more_to_tell(now):
        return None
    return "satisfied"


def _lighter(now: _Moment) -> bool:
    """Tell whether distress is clearly down; a steady person cannot be moved as far as one who swings."""
    start = starting_world(now.profile).distress
    return start - now.world.distress >= max(1.2, min(0.3 * start, 1.2 * bounds_of(now.profile).distress_step))


def _more_to_tell(now: _Moment) -> bool:
    """Tell whether a fact still held back is nearly within reach of the trust there is."""
    guarded = now.profile.situation.guarded if now.profile.situation else ()
    return any(fact.trust <= now.world.trust + 1.0 for fact in guarded if fact.id not in now.world.released)


def _had_enough(now: _Moment) -> bool:
    """Tell whether trust has been too low for too long. Those who cling hold out longer, those who resist shorter."""
    patience = 3 + now.ways.clings - (1 if now.ways.resistance >= 4 else 0)
    floor = max(0.7, starting_world(now.profile).trust - 1.2)
    past = [world for world in now.state.get("worlds", ()) if world.turn < now.turn]
    low = takewhile(lambda world: world.trust <= floor, reversed([*past, now.world]))
    return sum(1 for _ in low) >= patience


def _intention(now: _Moment, needs: Mapping[str, str], max_turns: int) -> Intention:
    """Choose what to do while staying with nothing to confess."""
    total, turn = now.taken.total, now.turn
    if total <= -0.35:
        return _against(now)
    if turn == 1 or (turn % 3 == 1 and "unmet" in needs.values()):
        return "ask"
    if turn == max_turns - 1 and total > 1:
        return "thank"
    return "accept" if total >= 0.8 and turn % 3 != 1 else "elaborate"


def _against(now: _Moment) -> Intention:
    """Choose between ways of showing that a reply missed."""
    if now.ways.keeps_away == 2 and now.turn % 2 == 0:
        return "deflect"
    return "push_back" if now.turn % 3 else "ask"


def _readiness(now: _Moment) -> float:
    """Readiness follows trust, from where the person's pace of disclosure sets out."""
    start = starting_world(now.profile).readiness
    grown = start + 0.7 * (now.world.trust - starting_world(now.profile).trust) + 0.4 * now.taken.total
    return round(max(0.0, min(10.0, grown)), 1)


def _monologue(now: _Moment, ends: Ends | None, rng: Random, *, tells: bool) -> str:
    lines = person_lines().monologue
    quote = inner(now.reading.quote(now.taken.marks, now.taken.stems))
    before = " ".join(world.thought.monologue for world in now.state.get("worlds", ()) if world.thought)
    pool = lines[now.taken.cause]
    fresh = [line for line in pool if _fixed(line) not in before] if not isinstance(pool, str) else pool
    text = _one(fresh or pool, rng).replace("{quote}", quote)
    if ends is not None:
        return f"{text} {_one(lines['content' if ends == 'satisfied' else 'leaves'], rng)}"
    return f"{text} {_one(lines['tells'], rng)}" if tells else text


def _fixed(line: str) -> str:
    """Return the longer side of a line around its quotation."""
    return max(line.split("“{quote}”"), key=len)


def _one(lines: Sequence[str] | str, rng: Random) -> str:
    return lines if isinstance(lines, str) else rng.choice(lines)


def _view(trust: float) -> str:
    views = person_lines().view
    return next((text for top, text in views if trust <= top), views[-1][1])


def _reason(ends: Ends | None) -> str:
    reasons = person_lines().reason
    return reasons.goes_on if ends is None else reasons.satisfied if ends == "satisfied" else reasons.gave_up
