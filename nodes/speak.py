"""`speak`, played by a model: the one message the supporter sees, in this person's own voice. Prompt: `speak.md`.

Behind a `think` it is given the intention and the gist, the feelings, and of the facts held back only those released.
Without one (chain `[speak]` or `[feel, speak]`) it knows the whole person and decides itself whether to leave.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import Field

from emoharbor.nodes.contract import Runtime, SpeakNode
from emoharbor.nodes.models.protocol import ChatModel, Note
from emoharbor.nodes.mood import emotions, picture
from emoharbor.nodes.pressure import happened
from emoharbor.nodes.prompting import joined, layout, load_prompt, note_shortened, turned_down
from emoharbor.nodes.rendering import fact_words, known_inside, open_lines, sheet, story, voice, who, written_in
from emoharbor.nodes.reply import Filled, Lowered, Reply, Words, complaint
from emoharbor.profiles.schema import PartialProfile
from emoharbor.profiles.views import with_facts
from emoharbor.state.dialogue import last_reply
from emoharbor.state.episode import Channels
from emoharbor.state.inner_world import InnerWorld, Intention
from emoharbor.state.text import contains
from emoharbor.state.updates import DisclosureClaim, SpeakUpdate

LONGEST = 1500
"""Characters of a chat message from which it reads as a report; such a message is asked for again once."""


class Told(Reply):
    """A fact you had held back and that the message tells."""

    fact: str = Field(description="Its id.")
    quote: Words = Field(description="The words of your message that tell it, copied exactly.")


class SpeakReply(Reply):
    """The next message. Fill in the fields in this order."""

    manner: Words = Field(description="In under ten words: how you put it, how long, and what you leave out.")
    message: Filled = Field(description="The message as you send it: only your own words, nothing around them.")
    thanks: bool = Field(
        description="True if the message thanks the supporter or praises what it wrote, other than as a courtesy of "
        "your voice."
    )
    told: list[Told] = Field(description="The facts you had held back that this message tells; else an empty list.")


class SpeakAloneReply(SpeakReply):
    """The next message, and whether it is your last. Fill in the fields in this order."""

    ends: Annotated[Literal["no", "satisfied", "gave_up"], Lowered] = Field(
        description="no: the talk goes on. satisfied: it is your last message and you got what you came for. gave_up: "
        "it is your last message and you did not."
    )


def llm_speak(model: ChatModel, prompt: str | None = None) -> SpeakNode:
    """Make a `speak` that asks a model.

    Args:
        model: the model.
        prompt: path of a prompt file in place of `speak.md`.

    Raises:
        CastError: for a prompt file that cannot be used.
    """
    text = load_prompt("speak", prompt, ("system", "led", "alone", "opening", "reply", "goodbye", "alone_reply"))

    async def speak(state: Channels, runtime: Runtime) -> SpeakUpdate:
        world, messages = state["inner"], state["messages"]
        led = world.thought is not None
        intention = world.thought.intention if world.thought else None
        profile = with_facts(runtime.profile, frozenset(world.released)) if led else runtime.profile
        note_shortened(messages[-1:], runtime.note)
        opening = last_reply(messages) is None
        if led:
            system = [text["system"], text["led"], outward(profile)]
            task = text["opening"] if opening else text["reply"] if _goes_on(world) else text["goodbye"]
            now = (meaning(world), may_tell(profile, world))
        else:
            system = [text["system"], text["alone"], known_inside(profile), own_words(profile), guarded_words(profile)]
            task = text["opening"] if opening else text["alone_reply"]
            now = (picture(world), "")
        tail = (*now, happened(state), task, first_words(profile) if opening else "", turned_down(runtime.complaint))
        known = {fact.id for fact in profile.situation.guarded} if profile.situation else set()
        answer = await model.ask(
            layout(system, messages, tail),
            SpeakReply if led else SpeakAloneReply,
            seed=runtime.seed,
            check=lambda reply: complaint(
                [*speak_problems(reply, known, intention), *_too_soon(reply, opening=opening)]
            ),
            note=runtime.note,
        )
        update = speak_update(answer.value, known, intention, runtime.note)
        return _with_end(update, answer.value, opening=opening, note=runtime.note)

    return speak


@lru_cache(maxsize=512)  # the same from one told fact to the next
def outward(profile: PartialProfile) -> str:
    """What the writing role knows of the person: no facts held back, nothing of what they are like inside."""
    return joined(
        (who(profile.person), story(profile.situation, profile.note), sheet(profile.sheet), own_words(profile))
    )


@lru_cache(maxsize=512)  # the same for all turns of a dialogue
def own_words(profile: PartialProfile) -> str:
    """The person's voice, what they would tell anybody, and their language."""
    return joined(
        (
            voice(profile.person.voice if profile.person else None),
            open_lines(profile.telling),
            written_in(profile),
        )
    )


@lru_cache(maxsize=512)  # the same for all turns of a dialogue
def guarded_words(profile: PartialProfile) -> str:
    """The person's own words for everything they hold back: only for a role that knows it all."""
    if profile.situation is None or profile.telling is None:
        return ""
    lines = (f"- {fact_words(profile, fact)}" for fact in profile.situation.guarded)
    return joined(("## Your words for what you hold back, once you tell it", "\n".join(lines)))


def meaning(world: InnerWorld) -> str:
    """What the message is to do, and the feelings behind it."""
    if world.thought is None:
        return ""
    gist = " ".join(world.thought.gist.split()) or "nothing settled; say what fits the intention"
    return f"What you feel: {emotions(world)}\nWhat the message is for: {world.thought.intention}\nWhat it says: {gist}"


def may_tell(profile: PartialProfile, world: InnerWorld) -> str:
    """The released facts, told or not, with the person's words for them; empty when there are none."""
    if profile.situation is None or world.thought is None:
        return ""
    told, now = {item.fact for item in world.disclosed}, world.thought.release
    lines = []
    for fact in profile.situation.guarded:
        if fact.id in told:
            standing = "You have told this; do not tell it anew:"
        else:
            standing = "You tell this now:" if fact.id in now else "You may tell this:"
        lines.append(f"- {standing} {fact_words(profile, fact)}")
    return "Things you had held back:\n" + "\n".join(lines) if lines else ""


def first_words(profile: PartialProfile) -> str:
    """The opening as the profile has it."""
    source = profile.telling or profile.sheet
    return f"You begin much like this: {source.opening}" if source and source.opening else ""


def speak_problems(reply: SpeakReply, known: Iterable[str], intention: Intention | None) -> list[str]:
    """Return what is wrong with a message that fits the schema.

    Args:
        reply: what the model filled in.
        known: ids of the facts that could have been told.
        intention: what the message is for, or None when nobody thought about it.
    """
    found = []
    if reply.thanks and intention not in (None, "thank", "leave"):
        found.append(f"The message thanks or praises, but it is for {intention}; leave that out.")
    for item in reply.told:
        if item.fact not in known:
            found.append(f"told names {item.fact!r}, which is no fact of those you may tell.")
        elif not contains(reply.message, item.quote):
            found.append(f"told gives words for {item.fact!r} that are not in the message.")
    if len(reply.message) > LONGEST:
        found.append(f"The message is {len(reply.message)} characters long; this is a chat. Say one thing.")
    return found


def speak_update(reply: SpeakReply, known: Iterable[str], intention: Intention | None, note: Note) -> SpeakUpdate:
    """Turn a reply into the update; claims about unknown facts or with words that were not said are dropped."""
    for problem in speak_problems(reply, known, intention):
        note("speak_problem", problem)
    claims = tuple(
        DisclosureClaim(fact=item.fact, quote=item.quote)
        for item in reply.told
        if item.fact in known and contains(reply.message, item.quote)
    )
    return SpeakUpdate(message=reply.message, disclosures=claims)


def _too_soon(reply: SpeakReply, *, opening: bool) -> list[str]:
    leaves = isinstance(reply, SpeakAloneReply) and reply.ends != "no"
    return ["You have only just come: ends must be no."] if opening and leaves else []


def _with_end(update: SpeakUpdate, reply: SpeakReply, *, opening: bool, note: Note) -> SpeakUpdate:
    if not isinstance(reply, SpeakAloneReply) or reply.ends == "no":
        return update
    for problem in _too_soon(reply, opening=opening):
        note("contradiction", problem)
    return update.model_copy(update={"ends": reply.ends})


def _goes_on(world: InnerWorld) -> bool:
    return world.thought is None or world.thought.wants_to_continue
