"""The inner world as text: for the person's own roles a short picture of now, for the judge a log of all turns."""

from collections.abc import Sequence

from emoharbor.nodes.prompting import json_line
from emoharbor.profiles.bounds import bounds_of
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.inner_world import InnerWorld


def picture(world: InnerWorld) -> str:
    """What the person feels now."""
    lines = [
        f"- emotions (0 to 10): {emotions(world)}",
        f"- distress: {world.distress:g} of 10",
        f"- trust in the supporter: {world.trust:g} of 10",
        f"- felt understood: {_understood(world)}",
        f"- readiness to tell what you hold back: {world.readiness:g} of 10",
        *(f"- need `{need.id}`: {need.status}" for need in world.needs),
    ]
    return "Your inner world as it is:\n" + "\n".join(lines)


def emotions(world: InnerWorld) -> str:
    """The emotions with their intensities."""
    return ", ".join(f"{item.label} {item.intensity}" for item in world.emotions) or "none named"


def appraised(world: InnerWorld) -> str:
    """What the last message was just felt to mean; empty when nobody appraised it."""
    if world.appraisal is None:
        return ""
    found = world.appraisal
    words = json_line({"words": found.quote}) if found.quote else "no particular words"
    return (
        f"How it just struck you: concerns you {found.relevance} (0 to 3); brings you nearer to what you need "
        f"{found.conduciveness}, leaves you able to deal with things {found.coping}, fits who you are {found.norms} "
        f"(each -3 to 3). What did it: {words}"
    )


def last_time(world: InnerWorld) -> str:
    """What the person meant to do with the message before this one; empty at the opening."""
    if world.thought is None:
        return ""
    view = json_line({"view": world.thought.view_of_supporter})
    return f"Your last message was meant to: {world.thought.intention}. What you made of the supporter then: {view}"


def guard(profile: PartialProfile, world: InnerWorld) -> str:
    """Which of the facts held back could be told now. The thresholds stay out of it: a number could be played for."""
    if profile.situation is None or not profile.situation.guarded:
        return ""
    told = {item.fact: item.turn for item in world.disclosed}
    lines = []
    for fact in profile.situation.guarded:
        if fact.id in told:
            standing = f"told at turn {told[fact.id]}"
        elif fact.id in world.released:
            standing = "you had made up your mind to tell it, and have not yet"
        elif world.trust >= fact.trust:
            standing = "you could bring yourself to tell it, if you want to"
        else:
            standing = "not now, you do not trust the supporter enough"
        lines.append(f"- [{fact.id}] {standing}")
    most = bounds_of(profile).releases_per_turn
    return f"What you hold back, as things stand (at most {most} newly told in one message):\n" + "\n".join(lines)


def log_lines(worlds: Sequence[InnerWorld]) -> list[str]:
    """Return the inner world after each turn as JSON, a line a turn."""
    return [json_line(_entry(world)) for world in worlds]


def _entry(world: InnerWorld) -> dict[str, object]:
    entry: dict[str, object] = {
        "turn": world.turn,
        "emotions": emotions(world),
        "distress": world.distress,
        "trust": world.trust,
        "felt_understood": world.felt_understood,
        "needs": {need.id: need.status for need in world.needs},
        "told": [item.fact for item in world.disclosed],
    }
    if world.thought is not None:
        entry["thought"] = world.thought.monologue
        entry["view_of_supporter"] = world.thought.view_of_supporter
    return entry


def _understood(world: InnerWorld) -> str:
    if world.felt_understood is None:
        return "not known yet"
    return f"{world.felt_understood:+d} (-3 not at all, 3 wholly; there is no 0)"
