"""`think`, played by a model: the inner monologue and what it decides. Prompt: `think.md`."""

from typing import Annotated

from pydantic import Field

from emoharbor.nodes.contract import Runtime, ThinkNode
from emoharbor.nodes.models.protocol import ChatModel, Note
from emoharbor.nodes.mood import appraised, guard, last_time, picture
from emoharbor.nodes.pressure import happened
from emoharbor.nodes.prompting import layout, load_prompt, note_shortened, turned_down
from emoharbor.nodes.rendering import known_inside
from emoharbor.nodes.reply import Filled, Level, Lowered, Reply, Words, complaint, quotes
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.dialogue import last_reply
from emoharbor.state.episode import Channels
from emoharbor.state.inner_world import InnerWorld, Intention, NeedStatus, Thought
from emoharbor.state.updates import NeedMove, ThinkUpdate

TOO_SOON = "You do not trust the supporter enough to tell"
"""How the complaint begins about a fact that was to be told too soon; audits look for it."""


class NeedNow(Reply):
    """A need whose standing changed with the last message."""

    id: str = Field(description="`primary` or `secondary`.")
    words: Words = Field(
        description="The supporter's words that changed it, copied exactly from the last message; empty if it fell "
        "back for want of an answer."
    )
    status: Annotated[NeedStatus, Lowered] = Field(
        description="touched: it came near. met: you have what you needed. unmet: not, or no longer."
    )


class ThinkReply(Reply):
    """What goes through the person's mind, and what comes of it. Fill in the fields in this order."""

    monologue: Filled = Field(
        description="What you think and would not say, in first person, unpolished: two to five sentences, doubts and "
        "unkind thoughts included."
    )
    view_of_supporter: Words = Field(
        description="What you make of the supporter by now, one sentence. Empty when nobody has answered yet."
    )
    needs: list[NeedNow] = Field(
        description="Only the needs whose standing changed with the last message; most times an empty list."
    )
    readiness: Level = Field(description="How ready you are to tell what you hold back, 0 to 10.")
    continue_reason: Filled = Field(description="Why you go on or why you stop, one sentence.")
    got_what_i_came_for: bool = Field(description="True only if you would say so to a friend tomorrow.")
    wants_to_continue: bool = Field(description="False if your next message is your last.")
    intention: Annotated[Intention, Lowered] = Field(description="What your next message is for; one of the list.")
    release: list[str] = Field(
        description="Ids of facts you hold back and have decided to tell in the next message; most times an empty list."
    )
    gist: Words = Field(
        description="What the next message says, in under fifteen words; nothing of what you still hold back."
    )


def llm_think(model: ChatModel, prompt: str | None = None) -> ThinkNode:
    """Make a `think` that asks a model.

    Args:
        model: the model.
        prompt: path of a prompt file in place of `think.md`.

    Raises:
        CastError: for a prompt file that cannot be used.
    """
    text = load_prompt("think", prompt, ("system", "opening", "reply", "last"))

    async def think(state: Channels, runtime: Runtime) -> ThinkUpdate:
        world, messages, profile = state["inner"], state["messages"], runtime.profile
        heard = last_reply(messages)
        note_shortened(messages[-1:], runtime.note)
        tail = (
            picture(world),
            appraised(world),
            guard(profile, world),
            last_time(world),
            happened(state),
            text[moment(state, runtime)],
            turned_down(runtime.complaint),
        )
        answer = await model.ask(
            layout((text["system"], known_inside(profile)), messages, tail),
            ThinkReply,
            seed=runtime.seed,
            check=lambda reply: complaint(think_problems(reply, heard, world, profile)),
            note=runtime.note,
        )
        return think_update(answer.value, heard, world, profile, runtime.note)

    return think


def moment(state: Channels, runtime: Runtime) -> str:
    """Return which task it is: the `opening`, a `reply` to take in, or the `last` one, after which no more is said."""
    if last_reply(state["messages"]) is None:
        return "opening"
    return "last" if state["turn"] >= runtime.max_turns else "reply"


def think_problems(reply: ThinkReply, heard: str | None, world: InnerWorld, profile: PartialProfile) -> list[str]:
    """Return what is wrong with a reply that fits the schema.

    Args:
        reply: what the model filled in.
        heard: the supporter's last message, or None before the first.
        world: the inner world before this thought.
        profile: the person.
    """
    return [
        *_need_problems(reply, heard, world),
        *_release_problems(reply, world, profile),
        *_leaving_problems(reply, heard, world),
    ]


def think_update(
    reply: ThinkReply, heard: str | None, world: InnerWorld, profile: PartialProfile, note: Note
) -> ThinkUpdate:
    """Turn a reply into the update. Unknown ids and needs moved by words never said are dropped and noted."""
    moves = []
    for need in reply.needs:
        if _need_problem(need, heard, world):
            note("need_without_words", f"{need.id}: {need.status}")
        else:
            moves.append(NeedMove(id=need.id, status=need.status, cause=need.words))
    known = _fact_ids(profile)
    asked = dict.fromkeys(reply.release)
    release = tuple(fact for fact in asked if fact in known)
    for fact in asked:
        if fact not in known:
            note("unknown_fact", fact)
    for problem in _leaving_problems(reply, heard, world):
        note("contradiction", problem)
    thought = Thought(
        monologue=reply.monologue,
        view_of_supporter=reply.view_of_supporter,
        continue_reason=reply.continue_reason,
        intention=reply.intention,
        gist=reply.gist,
        release=release,
        wants_to_continue=reply.wants_to_continue,
        got_what_i_came_for=reply.got_what_i_came_for,
    )
    return ThinkUpdate(thought=thought, readiness=reply.readiness, needs=tuple(moves))


def _need_problems(reply: ThinkReply, heard: str | None, world: InnerWorld) -> list[str]:
    found = (_need_problem(need, heard, world) for need in reply.needs)
    return [problem for problem in found if problem]


def _need_problem(need: NeedNow, heard: str | None, world: InnerWorld) -> str | None:
    known = [item.id for item in world.needs]
    if need.id not in known:
        return f"There is no need {need.id!r}; the needs are: {', '.join(known) or 'none'}."
    if need.status != "unmet" and not quotes(heard or "", need.words):
        return f"Need {need.id!r} is said to be {need.status}, but its words are not in the supporter's last message."
    return None


def _release_problems(reply: ThinkReply, world: InnerWorld, profile: PartialProfile) -> list[str]:
    known, facts = _fact_ids(profile), profile.situation.guarded if profile.situation else ()
    found = [f"There is no fact {fact!r}." for fact in dict.fromkeys(reply.release) if fact not in known]
    early = [
        fact.id
        for fact in facts
        if fact.id in reply.release and fact.id not in world.released and world.trust < fact.trust
    ]
    if early:
        found.append(f"{TOO_SOON} {', '.join(early)} now; say something else.")
    untold = set(world.released) - {item.fact for item in world.disclosed}
    if reply.intention == "disclose" and not reply.release and not untold:
        found.append("The intention is disclose, but release names no fact; choose another intention or name it.")
    return found


def _leaving_problems(reply: ThinkReply, heard: str | None, world: InnerWorld) -> list[str]:
    """What an agreeable user does: stays or goes against its own intention, is content too soon, thanks again."""
    found = []
    if heard is None and not reply.wants_to_continue:
        found.append("You have only just come: wants_to_continue must be true.")
    if (reply.intention == "leave") == reply.wants_to_continue:
        found.append("intention is leave exactly when wants_to_continue is false.")
    if reply.got_what_i_came_for and _none_met(reply, heard, world):
        found.append("got_what_i_came_for is true, but none of your needs is met.")
    if reply.intention == "thank" and world.thought is not None and world.thought.intention == "thank":
        found.append("Your last message was already for thanking; nobody thanks twice running. Choose another.")
    return found


def _none_met(reply: ThinkReply, heard: str | None, world: InnerWorld) -> bool:
    if not world.needs:
        return False
    standing = {need.id: need.status for need in world.needs}
    standing |= {need.id: need.status for need in reply.needs if not _need_problem(need, heard, world)}
    return "met" not in standing.values()


def _fact_ids(profile: PartialProfile) -> set[str]:
    return {fact.id for fact in profile.situation.guarded} if profile.situation else set()
