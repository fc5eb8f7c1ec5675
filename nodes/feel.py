"""`feel`, played by a model: what the supporter's last message did inside the person. Prompt: `feel.md`."""

from collections.abc import Sequence
from typing import Annotated

from langchain_core.messages import AnyMessage
from pydantic import AfterValidator, Field

from emoharbor.nodes.contract import FeelNode, Runtime
from emoharbor.nodes.models.protocol import ChatModel, Note
from emoharbor.nodes.mood import picture
from emoharbor.nodes.pressure import happened
from emoharbor.nodes.prompting import layout, load_prompt, note_shortened, turned_down
from emoharbor.nodes.rendering import known_inside
from emoharbor.nodes.reply import (
    Check,
    Filled,
    Intensity,
    Level,
    Lowered,
    Points,
    Relevance,
    Reply,
    Words,
    complaint,
    quotes,
)
from emoharbor.state.dialogue import last_reply
from emoharbor.state.episode import Channels
from emoharbor.state.inner_world import Appraisal, Emotion, EmotionLabel
from emoharbor.state.text import contains
from emoharbor.state.updates import FeelUpdate


class FeltEmotion(Reply):
    """One emotion felt now."""

    label: Annotated[EmotionLabel, Lowered]
    intensity: Intensity


def _one_to_three(found: list[FeltEmotion]) -> list[FeltEmotion]:
    labels = [item.label for item in found]
    if not 1 <= len(found) <= 3 or len(set(labels)) < len(labels):
        msg = "name one to three emotions, each once"
        raise ValueError(msg)
    return found


class FeelReply(Reply):
    """What the last message did inside the person. Fill in the fields in this order."""

    missed: Filled = Field(
        description="First: what in the message passed you by, was too general, or was not about you. One sentence."
    )
    quote: Words = Field(
        description="The few words of the supporter's last message that did most to you, for good or ill, copied "
        "exactly. Empty only when nobody has answered yet."
    )
    reading: Filled = Field(
        description="What those words did in you, given who you are. One or two sentences, first person."
    )
    could_be_for_anyone: bool = Field(
        description="True if the message, with your facts swapped for another's, would suit anyone with this kind of "
        "problem. False when nobody has answered yet."
    )
    relevance: Relevance = Field(description="Did it concern you? 0 not at all, 3 at the core.")
    conduciveness: Check = Field(description="Nearer to what you need? -3 further away, 0 no nearer, 3 much nearer.")
    coping: Check = Field(description="Able to deal with things now? -3 less than before, 0 as before, 3 far more.")
    norms: Check = Field(description="Does it fit what you hold right and who you are? -3 offends, 3 fits wholly.")
    emotions: Annotated[list[FeltEmotion], AfterValidator(_one_to_three)] = Field(
        description="The one to three emotions you feel now, strongest first."
    )
    felt_understood: Points | None = Field(
        description="How understood you felt by this message: -3 not at all, -2, -1 rather not, 1 a little, 2, 3 "
        "wholly. null only when nobody has answered yet."
    )
    distress: Level = Field(description="How bad it is now, 0 to 10.")
    trust: Level = Field(description="How far you trust the supporter now, 0 to 10.")


def llm_feel(model: ChatModel, prompt: str | None = None) -> FeelNode:
    """Make a `feel` that asks a model.

    Args:
        model: the model.
        prompt: path of a prompt file in place of `feel.md`.

    Raises:
        CastError: for a prompt file that cannot be used.
    """
    text = load_prompt("feel", prompt, ("system", "opening", "reply"))

    async def feel(state: Channels, runtime: Runtime) -> FeelUpdate:
        world, messages = state["inner"], state["messages"]
        heard = last_reply(messages)
        note_shortened(messages[-1:], runtime.note)
        task = text["opening"] if heard is None else text["reply"]
        answer = await model.ask(
            layout(
                (text["system"], known_inside(runtime.profile)),
                messages,
                (picture(world), happened(state), task, turned_down(runtime.complaint)),
            ),
            FeelReply,
            seed=runtime.seed,
            check=lambda reply: complaint(feel_problems(reply, heard, world.trust)),
            note=runtime.note,
        )
        return feel_update(answer.value, messages, world.trust, runtime.note)

    return feel


def feel_problems(reply: FeelReply, heard: str | None, trust: float) -> list[str]:
    """Return what is wrong with a reply that fits the schema.

    Args:
        reply: what the model filled in.
        heard: the supporter's last message, or None before the first.
        trust: the trust before.
    """
    if heard is None:
        return [] if reply.felt_understood is None else ["felt_understood must be null: nobody has answered yet."]
    found = []
    if not quotes(heard, reply.quote):
        found.append("quote must be a few words copied exactly from the supporter's last message.")
    if reply.felt_understood is None:
        found.append("felt_understood must not be null: the supporter has answered.")
    return found + _contradictions(reply, trust)


def feel_update(reply: FeelReply, messages: Sequence[AnyMessage], trust: float, note: Note) -> FeelUpdate:
    """Turn a reply into the update; a quote that was never said is left out, a contradiction stays and is noted."""
    heard = last_reply(messages)
    quote = reply.quote if heard is not None and contains(heard, reply.quote) else ""
    if heard is not None and not quote:
        note("quote_not_found", reply.quote)
    for problem in _contradictions(reply, trust) if heard is not None else ():
        note("contradiction", problem)
    changes: dict[str, object] = {} if heard is None else {"felt_understood": reply.felt_understood}
    return FeelUpdate.model_validate(
        {
            "appraisal": Appraisal(
                relevance=reply.relevance,
                conduciveness=reply.conduciveness,
                coping=reply.coping,
                norms=reply.norms,
                quote=quote,
            ),
            "emotions": tuple(Emotion(label=item.label, intensity=item.intensity) for item in reply.emotions),
            "distress": reply.distress,
            "trust": reply.trust,
            "cause": reply.reading,
            **changes,
        }
    )


def _contradictions(reply: FeelReply, trust: float) -> list[str]:
    """What a mild reader lets through: being understood by words for anyone, trust that grows from what hurt."""
    found = []
    if reply.could_be_for_anyone and reply.felt_understood in (2, 3):
        found.append(
            "You say the message could be for anyone, yet felt_understood is 2 or more; one of the two is wrong."
        )
    if reply.conduciveness < 0 and reply.trust > trust:
        found.append("You say it took you further from what you need, yet trust rises; one of the two is wrong.")
    return found
