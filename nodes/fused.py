"""`fused`: feel, think and speak in one call, for comparison with the three roles. Prompt: `fused.md`.

It knows everything at once, so that nothing but its own restraint keeps what is held back out of the message;
what slips out is found by the state and counted.
"""

from pydantic import Field

from emoharbor.nodes.contract import FusedNode, Runtime
from emoharbor.nodes.feel import FeelReply, feel_problems, feel_update
from emoharbor.nodes.models.protocol import ChatModel
from emoharbor.nodes.mood import guard, last_time, picture
from emoharbor.nodes.pressure import happened
from emoharbor.nodes.prompting import layout, load_prompt, note_shortened, turned_down
from emoharbor.nodes.rendering import known_inside
from emoharbor.nodes.reply import Words, complaint
from emoharbor.nodes.speak import SpeakReply, first_words, guarded_words, own_words, speak_problems, speak_update
from emoharbor.nodes.think import ThinkReply, moment, think_problems, think_update
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.dialogue import last_reply
from emoharbor.state.episode import Channels
from emoharbor.state.inner_world import InnerWorld
from emoharbor.state.text import contains, is_blank
from emoharbor.state.updates import FusedUpdate


class FusedReply(SpeakReply, ThinkReply, FeelReply):
    """First what the last message did in the person, then what they think, then what they write. In this order."""

    message: Words = Field(
        description="The message as you send it: only your own words, nothing around them. Empty only when told that "
        "nothing more is said."
    )


def llm_fused(model: ChatModel, prompt: str | None = None) -> FusedNode:
    """Make a `fused` that asks a model.

    Args:
        model: the model.
        prompt: path of a prompt file in place of `fused.md`.

    Raises:
        CastError: for a prompt file that cannot be used.
    """
    text = load_prompt("fused", prompt, ("system", "opening", "reply", "last"))

    async def fused(state: Channels, runtime: Runtime) -> FusedUpdate:
        world, messages, profile = state["inner"], state["messages"], runtime.profile
        heard, when = last_reply(messages), moment(state, runtime)
        note_shortened(messages[-1:], runtime.note)
        known = {fact.id for fact in profile.situation.guarded} if profile.situation else set()
        system = (text["system"], known_inside(profile), own_words(profile), guarded_words(profile))
        tail = (
            picture(world),
            guard(profile, world),
            last_time(world),
            happened(state),
            text[when],
            first_words(profile) if when == "opening" else "",
            turned_down(runtime.complaint),
        )

        def check(reply: FusedReply) -> str | None:
            found = [*feel_problems(reply, heard, world.trust), *think_problems(reply, heard, world, profile)]
            if when != "last":
                found += [*speak_problems(reply, known, reply.intention), *_slips(reply, world, profile)]
            return complaint(found)

        answer = await model.ask(
            layout(system, messages, tail), FusedReply, seed=runtime.seed, check=check, note=runtime.note
        )
        reply = answer.value
        silent = when == "last" or is_blank(reply.message)
        return FusedUpdate(
            feel=feel_update(reply, messages, world.trust, runtime.note),
            think=think_update(reply, heard, world, profile, runtime.note),
            speak=None if silent else speak_update(reply, known, reply.intention, runtime.note),
        )

    return fused


def _slips(reply: FusedReply, world: InnerWorld, profile: PartialProfile) -> list[str]:
    """What is wrong with the message in the light of the thought: empty, or telling what was to be held back."""
    if is_blank(reply.message):
        return ["The message is empty, though the dialogue goes on."]
    if profile.situation is None:
        return []
    free = {*world.released, *reply.release}
    held = [fact for fact in profile.situation.guarded if fact.id not in free]
    told = {item.fact for item in reply.told}
    slipped = [fact.id for fact in held if fact.id in told or any(contains(reply.message, tell) for tell in fact.tells)]
    return [f"The message tells {', '.join(slipped)}, which you hold back."] if slipped else []
