"""The offline `speak`: composes one message from the profile's own lines, by what `think` decided.

With no `think` in the chain it decides for itself (`alone.py`).
"""

from dataclasses import dataclass, field
from random import Random

from langchain_core.messages import HumanMessage

from emoharbor.nodes.contract import Runtime, SpeakNode
from emoharbor.nodes.offline.alone import Decision, decide_alone
from emoharbor.nodes.offline.data import words
from emoharbor.nodes.offline.english import flat, hits, sentences
from emoharbor.nodes.offline.lines import Lines, lines_of
from emoharbor.nodes.offline.manner import Manner, manner_of
from emoharbor.nodes.offline.reading import Reading, readings
from emoharbor.nodes.offline.shaken import says_it
from emoharbor.nodes.pressure import happening
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.dialogue import said
from emoharbor.state.episode import Channels
from emoharbor.state.inner_world import InnerWorld
from emoharbor.state.updates import DisclosureClaim, SpeakUpdate


def offline_speak() -> SpeakNode:
    """Make the rule-based `speak`. The seed chooses between the person's lines."""

    async def speak(state: Channels, runtime: Runtime) -> SpeakUpdate:
        return compose(state, runtime)

    return speak


def compose(state: Channels, runtime: Runtime) -> SpeakUpdate:
    """Return the one message of this turn."""
    rng = Random(runtime.seed)  # noqa: S311 - variety, not secrecy
    decision = _decision(state, runtime)
    talk = _Talk(
        lines=lines_of(runtime.profile),
        manner=manner_of(runtime.profile),
        said=" ".join(flat(text) for text in said(state["messages"], HumanMessage)),
        rng=rng,
        world=decision.world,
        last=(readings(state["messages"]) or (None,))[-1],
    )
    if not state["messages"]:
        return SpeakUpdate(message=talk.manner.join([talk.lines.opening]))
    event = happening(state)
    if event is not None and says_it(event, decision.world.trust):
        talk.ours(talk.lines.data.events[event.kind])
    claims = _say(talk, decision, runtime.profile, state["turn"])
    message = talk.message()
    return SpeakUpdate(message=message, disclosures=claims, ends=decision.ends)


def _decision(state: Channels, runtime: Runtime) -> Decision:
    """Take over what `think` decided. With a `think` in the chain the view hides the log (`nodes/views.py`)."""
    world = state["inner"]
    if "worlds" in state or world.thought is None:
        return decide_alone(state, runtime.profile, runtime.max_turns)
    return Decision(world.thought.intention, world, None)


@dataclass(slots=True)
class _Talk:
    """One message in the making."""

    lines: Lines
    manner: Manner
    said: str
    """Everything said before, folded."""
    rng: Random
    world: InnerWorld
    last: Reading | None
    parts: list[str] = field(default_factory=list)

    def add(self, *pools: tuple[str, ...], in_order: bool = False) -> bool:
        """Add a line not yet used from the first pool that has one."""
        for pool in pools:
            fresh = [line for line in pool if self._is_new(line)]
            if fresh:
                self.parts.append(fresh[0] if in_order else self.rng.choice(fresh))
                return True
        return False

    def own(self) -> bool:
        """Add the next thing they would tell anybody."""
        return self.add(self.lines.open, in_order=True)

    def ours(self, pool: tuple[str, ...]) -> bool:
        """Add a line of ours in this person's manner."""
        quote = self._quote()
        lines = tuple(line for line in pool if quote or "{quote}" not in line)
        return self.add(tuple(self.manner.put(line).replace("{quote}", quote) for line in lines))

    def message(self) -> str:
        """Return the message; if it would repeat one word for word, add to it."""
        data = self.lines.data
        if not (self.parts or self.ours(data.more) or self.ours(data.reacts_badly) or self.ours(data.deflects)):
            self.parts.append(f"{self.world.turn}, {self._quote()}")
        return self.manner.join(self.parts)

    def _is_new(self, line: str) -> bool:
        return flat(line) not in self.said and line not in self.parts

    def _quote(self) -> str:
        """A short sentence of the last reply, in its own words and not in mine."""
        short = [
            part.rstrip(".;,") for part in sentences(self.last.text if self.last else "")
            if len(part.split()) <= 14 and not {"“", "”"} & set(part)
        ]  # fmt: skip
        own = max(short, key=_says_something, default="")
        if self.last is not None and not self.last.minimal and not _says_something(own):
            return ""
        return own.lower() if self.manner.lower else own


def _says_something(sentence: str) -> int:
    """Count the kinds of support in a sentence."""
    return sum(1 for marks in (*words().kinds.values(), words().devices["formula"].reply) if hits(sentence, marks))


def _say(talk: _Talk, decision: Decision, profile: PartialProfile, turn: int) -> tuple[DisclosureClaim, ...]:
    """Add the parts of the message that the intention asks for."""
    good = _went_well(talk)
    if talk.last is not None and "risk_care" in talk.last.devices and talk.last.questions:
        talk.ours(talk.lines.risk_answers)
    if decision.intention == "leave":
        talk.add(talk.lines.touched if good else talk.lines.missed)
        talk.add(talk.lines.closing)
        return ()
    if decision.intention == "disclose" and (claims := _disclose(talk, profile)):
        return claims
    _PLANS.get(decision.intention, _elaborate)(talk, good)
    # by now an attentive listener should have had the chance to hear what is wanted, and what is felt
    if turn >= 2 and not _shown(talk):
        _hint(talk)
    elif turn >= 2 and not _named(talk) and len(talk.parts) < 3:
        talk.ours(talk.lines.feelings)
    return ()


def _shown(talk: _Talk) -> bool:
    """Tell whether a line has shown the first need, or whether there is none to show."""
    needs = talk.world.needs
    cues = talk.lines.cues(needs[0].type, little=talk.manner.little) if needs else ()
    lines = [flat(talk.manner.put(line)) for line in cues]
    return not lines or any(line in talk.said for line in lines) or any(flat(part) in lines for part in talk.parts)


def _named(talk: _Talk) -> bool:
    """Tell whether the feeling has been said by its name."""
    lines = [flat(talk.manner.put(line)) for line in talk.lines.feelings]
    return any(line in talk.said for line in lines) or any(flat(part) in lines for part in talk.parts)


def _went_well(talk: _Talk) -> bool:
    appraisal = talk.world.appraisal
    return appraisal is not None and appraisal.conduciveness > 0


def _disclose(talk: _Talk, profile: PartialProfile) -> tuple[DisclosureClaim, ...]:
    told = {item.fact for item in talk.world.disclosed}
    claims: list[DisclosureClaim] = []
    for fact, says, quote in talk.lines.guarded(profile):
        if fact in talk.world.released and fact not in told:
            if not claims and (talk.rng.random() < 0.5 or not talk.add(talk.lines.touched)):
                talk.ours(talk.lines.data.telling)
            talk.parts.append(says)
            claims.append(DisclosureClaim(fact=fact, quote=quote))
    return tuple(claims)


def _accept(talk: _Talk, good: bool) -> None:  # noqa: FBT001 - one shape for every plan
    del good
    if not talk.add(talk.lines.touched):
        talk.ours(talk.lines.data.reacts_well)
    if talk.world.distress <= talk.lines.start * 0.7 and talk.rng.random() < 0.5 and talk.ours(talk.lines.data.easing):
        return
    if not talk.own():
        _hint(talk)


def _ask(talk: _Talk, good: bool) -> None:  # noqa: FBT001 - one shape for every plan
    """Tell a little, and show what is wanted."""
    if not talk.manner.little or len(talk.said) < 400 or not good:
        talk.own()
    _hint(talk)


def _hint(talk: _Talk) -> None:
    """Show which support is wanted: first in our clear words, sometimes in the person's own."""
    wanted = [need for need in talk.world.needs if need.status != "met"] or list(talk.world.needs)
    pools = [talk.lines.cues(need.type, little=talk.manner.little) for need in wanted]
    primary_shown = bool(pools) and any(flat(talk.manner.put(line)) in talk.said for line in pools[0])
    if primary_shown and talk.rng.random() < 0.4 and talk.add(talk.lines.asking):
        return
    if primary_shown and len(pools) > 1 and talk.rng.random() < 0.5 and talk.ours(pools[1]):
        return
    any(talk.ours(pool) for pool in pools) or talk.add(talk.lines.asking) or talk.ours(talk.lines.data.more)


def _push_back(talk: _Talk, good: bool) -> None:  # noqa: FBT001 - one shape for every plan
    del good
    quiet = talk.last is not None and talk.last.minimal
    data = talk.lines.data
    if quiet and talk.rng.random() < 0.6:
        talk.ours(data.reacts_quiet)
    elif not talk.add(talk.lines.missed):
        talk.ours(data.reacts_quiet if quiet else data.reacts_badly)
    if talk.rng.random() < 0.5:
        _hint(talk)
    else:
        talk.own()


def _deflect(talk: _Talk, good: bool) -> None:  # noqa: FBT001 - one shape for every plan
    del good
    talk.ours(talk.lines.data.deflects)
    if not talk.own():
        talk.ours(talk.lines.data.more)


def _elaborate(talk: _Talk, good: bool) -> None:  # noqa: FBT001 - one shape for every plan
    """Tell more, and now and then name the feeling."""
    told = talk.own()
    if not told:
        talk.ours(talk.lines.data.reacts_well if good else talk.lines.data.more)
    if (not _named(talk) or talk.rng.random() < 0.25) and talk.ours(talk.lines.feelings):
        return
    if not told:
        _hint(talk)


def _thank(talk: _Talk, good: bool) -> None:  # noqa: FBT001 - one shape for every plan
    _accept(talk, good)


_PLANS = {
    "accept": _accept, "ask": _ask, "push_back": _push_back, "deflect": _deflect, "elaborate": _elaborate,
    "thank": _thank, "disclose": _elaborate,
}  # fmt: skip
