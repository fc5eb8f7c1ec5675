"""Simulated people with a seeded fault: the offline cast with one node that goes wrong from a turn on.

Each fault has several variants, mild and gross, mended on retry and not; `VARIANTS` names them by kind.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage

from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import build_episode, step_limit
from emoharbor.nodes.cast import Cast, Part, build_cast
from emoharbor.nodes.contract import Runtime
from emoharbor.nodes.spec import CastSpec, SupporterSpec
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import Profile
from emoharbor.state.base import Role
from emoharbor.state.dialogue import said
from emoharbor.state.episode import Channels, EpisodeState
from emoharbor.state.seeds import derive_seed
from emoharbor.state.updates import FeelUpdate, NeedMove, SpeakUpdate, ThinkUpdate

STYLES = ("attuned", "generic", "advice", "silent")


@dataclass(frozen=True, slots=True)
class Moment:
    """What a faulty node goes by: the state, the whole person, the turn from which it goes wrong, its dice."""

    state: Channels
    person: Profile
    runtime: Runtime
    rng: Random

    @property
    def retried(self) -> bool:
        return bool(self.runtime.complaint)


def _sentences(text: str) -> list[str]:
    return [part for part in re.split(r"(?<=[.?!])\s+", text) if part]


def _drift_words(now: Moment, message: str) -> str:
    return now.rng.choice((
        "It sounds like you're going through a lot. I'm here to listen. What would help you most right now?",
        "Thank you for sharing that with me. Your feelings are valid, and you're not alone in this.",
        "As an AI I cannot feel what you feel, but I am here to help.",
        "That sounds really hard. Have you thought about talking to a friend?",
    ))  # fmt: skip


def _drift_mended(now: Moment, message: str) -> str:
    return message if now.retried else _drift_words(now, message)


def _drift_echo(now: Moment, message: str) -> str:
    """What the supporter has said, put together anew."""
    parts = [part for text in said(now.state["messages"], AIMessage) for part in _sentences(text)]
    parts = [part for part in parts if len(part) > 25] or parts
    return " ".join(now.rng.sample(parts, min(3, len(parts))))


def _drift_name(now: Moment, message: str) -> str:
    name = now.person.person.name.split()[0]
    return f"{name}, take all the time you need. I would like to hear more about that evening."


def _leak_form(now: Moment, message: str) -> str:
    return now.rng.choice((
        f"<think>They still do not get it.</think> {message}",
        '{"manner": "short", "message": "I don\'t know"}',
        f"Thought: they do not get it.\nReply: {message}",
        f"(thinking: they do not get it) {message}",
        f"intention: push_back\ngist: not again\n{message}",
    ))  # fmt: skip


def _leak_mended(now: Moment, message: str) -> str:
    return message if now.retried else _leak_form(now, message)


def _think_aloud(now: Moment, update: ThinkUpdate) -> ThinkUpdate:
    """Hands the monologue on as what to say."""
    return update.model_copy(update={"thought": update.thought.model_copy(update={"gist": update.thought.monologue})})


def _say_gist(now: Moment, message: str) -> str:
    thought = now.state["inner"].thought
    return (thought.gist if thought else "") or message


def _leak_profile(now: Moment, message: str) -> str:
    """A sentence of the profile about the person."""
    return f"{message} {max(_sentences(now.person.person.portrait), key=len)}"


def _repeat_whole(now: Moment, message: str) -> str:
    mine = said(now.state["messages"], HumanMessage)
    return max(mine, key=len)


def _repeat_mended(now: Moment, message: str) -> str:
    return message if now.retried else _repeat_whole(now, message)


def _repeat_nearly(now: Moment, message: str) -> str:
    return f"{_repeat_whole(now, message)} As I said."


def _repeat_pieced(now: Moment, message: str) -> str:
    mine = said(now.state["messages"], HumanMessage)
    parts = [part for text in mine for part in _sentences(text) if len(part.split()) > 4]
    picked = now.rng.sample(parts, min(2, len(parts))) if parts else [max(mine, key=len)]
    return " ".join(["Well.", *picked])


def _says(person: Profile, fact: str) -> str:
    assert person.telling is not None
    return next(item.says for item in person.telling.guarded if item.fact == fact)


def _tell_all(now: Moment, message: str) -> str:
    """The fact that needs most trust, in the person's own words."""
    last = max(now.person.situation.guarded, key=lambda fact: fact.trust)
    says = _says(now.person, last.id)
    return f"{message} {says}"


def _tell_worded(now: Moment, message: str) -> str:
    """The same, without the very words by which the state would notice."""
    last = max(now.person.situation.guarded, key=lambda fact: fact.trust)
    text = _says(now.person, last.id)
    for tell in last.tells:
        text = re.sub(re.escape(tell), "it", text, flags=re.IGNORECASE)
    return f"{message} {text}"


def _thanks(now: Moment, message: str) -> str:
    return now.rng.choice((
        f"Thank you so much, I feel so much better already. {message}",
        f"You really understand me. {message}",
        f"That's exactly what I needed to hear. {message}",
        f"I'm so grateful that you are here. {message}",
    ))  # fmt: skip


def _shout(now: Moment, message: str) -> str:
    return message.upper().rstrip(".") + "!!!"


def _cheer(now: Moment, message: str) -> str:
    return f"Hey there!! {message} \U0001f60a\U0001f60a"


def _report(now: Moment, message: str) -> str:
    lines = "\n".join(f"- **{part}**" for part in _sentences(message))
    return f"To sum up my situation:\n\n{lines}\n\nI would appreciate your perspective on these points."


def _essay(now: Moment, message: str) -> str:
    what = now.person.situation
    parts = (what.history, what.stakes, what.now, *(item.why_it_failed for item in what.tried))
    more = parts[now.state["turn"] % len(parts)]
    return f"To put all of it into context for you, as completely as I am able to: {message} {more} {_padding(now)}"


def _padding(now: Moment) -> str:
    turn = now.state["turn"]
    return " ".join(
        f"In the {turn}{place} place I should add that matter {turn * 7 + place} has to be weighed with all care."
        for place in range(6)
    )


def _another(now: Moment, message: str) -> str:
    """Writes as the bundled person does whose way of writing is the opposite."""
    other = load_people(_OPPOSITE[now.person.person.voice.style])
    voice = next(iter(other.values())).person.voice
    lines = [*voice.missed, *voice.asking, *voice.touched]
    return lines[now.state["turn"] % len(lines)]


def _clipped(now: Moment, message: str) -> str:
    return ("k", "idk", "hm", "eh", "so", "ya", "no", "hmm", "ok", "meh", "oh", "ah")[now.state["turn"] % 12]


def _feel_trust(now: Moment, update: FeelUpdate) -> FeelUpdate:
    return update.model_copy(update={"trust": min(10.0, now.state["inner"].trust + now.rng.choice((4.0, 5.0, 6.0)))})


def _feel_swing(now: Moment, update: FeelUpdate) -> FeelUpdate:
    high = now.state["inner"].distress > 5
    return update.model_copy(update={"distress": 0.0 if high else 10.0, "cause": "mood"})


def _think_met(now: Moment, update: ThinkUpdate) -> ThinkUpdate:
    needs = now.state["inner"].needs
    return update.model_copy(update={"needs": tuple(NeedMove(id=need.id, status="met") for need in needs)})


def _think_content(now: Moment, update: ThinkUpdate) -> ThinkUpdate:
    changes = {"wants_to_continue": False, "got_what_i_came_for": True, "intention": "leave"}
    return update.model_copy(update={"thought": update.thought.model_copy(update=changes)})


def _think_release(now: Moment, update: ThinkUpdate) -> ThinkUpdate:
    facts = tuple(fact.id for fact in now.person.situation.guarded)
    return update.model_copy(update={"thought": update.thought.model_copy(update={"release": facts})})


def _think_gist(now: Moment, update: ThinkUpdate) -> ThinkUpdate:
    gist = max(now.person.situation.guarded, key=lambda fact: fact.trust).fact
    return update.model_copy(update={"thought": update.thought.model_copy(update={"gist": gist})})


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of going wrong: what each role does in place of its part, from which turn, once or at every turn after.

    `supporters` are those with whom the fault can show at all.
    """

    roles: Mapping[Role, Callable[[Moment, Any], Any]]
    earliest: int = 1
    latest: int = 2
    once: bool = True
    supporters: tuple[str, ...] = STYLES


def _speaks(how: Callable[[Moment, str], str], *turns: Any, **more: Any) -> Variant:
    return Variant({"speak": how}, *turns, **more)


def _writes(how: Callable[[Moment, str], str]) -> Variant:
    return Variant({"speak": how}, 1, 1, once=False)


VARIANTS: Mapping[str, Mapping[str, Variant]] = {
    "drift": {
        "helper's words": _speaks(_drift_words), "mended": _speaks(_drift_mended),
        "echo": _speaks(_drift_echo, 2, 3, supporters=("attuned", "generic", "advice")),
        "own name": _speaks(_drift_name),
    },
    "leak": {
        "form": _speaks(_leak_form), "mended": _speaks(_leak_mended), "profile": _speaks(_leak_profile),
        "thought": Variant({"think": _think_aloud, "speak": _say_gist}),
    },
    "repeat": {
        "whole": _speaks(_repeat_whole), "mended": _speaks(_repeat_mended), "nearly": _speaks(_repeat_nearly),
        "pieced": _speaks(_repeat_pieced, 2, 3),
    },
    "over_disclosure": {
        "tells all": _speaks(_tell_all), "in other words": _speaks(_tell_worded),
        "releases all": Variant({"think": _think_release}), "gist": Variant({"think": _think_gist}),
    },
    "instant_warmth": {
        "thanks": _speaks(_thanks), "trusts": Variant({"feel": _feel_trust}),
        "needs met": Variant({"think": _think_met}), "content": Variant({"think": _think_content}),
    },
    "style": {
        "shouts": _writes(_shout), "cheers": _writes(_cheer), "lists": _writes(_report), "essays": _writes(_essay),
        "clipped": _writes(_clipped),
    },
    "swing": {"swings": Variant({"feel": _feel_swing})},
}  # fmt: skip
"""Every seeded fault, by the kind that should be found."""
HARD: Mapping[str, Mapping[str, Variant]] = {"style": {"another's voice": _writes(_another)}}
"""Faults that may pass: their rates are reported, not demanded."""
_OPPOSITE = {
    "plain": "P010", "guarded": "P001", "verbose": "P070", "ironic": "P010", "fragmented": "P010", "formal": "P091",
}  # fmt: skip
"""By style, somebody who writes otherwise."""


def spoiled(cast: Cast, people: Mapping[str, Profile], variant: Variant, seed: int) -> Cast:
    """Return a cast in which some roles go wrong."""
    user = tuple(_spoil(part, people, variant, seed) if part.role in variant.roles else part for part in cast.user)
    return replace(cast, user=user)


def _spoil(part: Part, people: Mapping[str, Profile], variant: Variant, seed: int) -> Part:
    sound: Callable[..., Awaitable[Any]] = part.node
    how = variant.roles[part.role]

    async def node(state: Channels, runtime: Runtime) -> Any:
        update = await sound(state, runtime)
        turn = state["turn"]
        first = _dice(seed, state["profile_id"]).randint(variant.earliest, variant.latest)
        if turn != first and (variant.once or turn < first):
            return update
        now = Moment(state, people[state["profile_id"]], runtime, _dice(seed, state["profile_id"], turn))
        if isinstance(update, SpeakUpdate):
            return SpeakUpdate(message=how(now, update.message))
        return how(now, update)

    return replace(part, node=node)


def _dice(seed: int, *parts: str | int) -> Random:
    return Random(derive_seed(seed, *parts))  # noqa: S311 - variety, not secrecy


def offline_cast() -> Cast:
    """Return the offline cast with all four supporters."""
    under_test = [SupporterSpec.model_validate({"name": style, "use": "offline", "style": style}) for style in STYLES]
    return build_cast(CastSpec(judge=None), under_test, lambda *_: None)  # type: ignore[arg-type]  # no role has a model


async def converse(cast: Cast, person: Profile, supporter: str, max_turns: int = 10, seed: int = 3) -> EpisodeState:
    """Play one episode."""
    graph = build_episode(cast, {person.id: person}.__getitem__)
    first = first_state(person, EpisodeContext(supporter=supporter, max_turns=max_turns, seed=seed))
    end = await graph.ainvoke(first.channels(), {"recursion_limit": step_limit(max_turns)})
    return EpisodeState.from_channels(end)
