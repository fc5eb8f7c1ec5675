"""The person as text, in the second person and in blocks, so that each role is given only the blocks it may see.

A block whose part of the profile is missing is empty. Nothing here changes during an episode.
"""

from functools import lru_cache

from emoharbor.nodes.prompting import joined
from emoharbor.profiles.population import population
from emoharbor.profiles.schema import (
    Attachment,
    GuardedFact,
    PartialProfile,
    Person,
    Sheet,
    Situation,
    Telling,
    Traits,
    Voice,
)

_NEEDS = {
    "emotional": "to be heard and comforted",
    "esteem": "to be told, credibly, what you are able to do and what you are worth",
    "network": "to feel that you belong and are not the only one",
    "informational": "facts, advice, another way to look at it",
    "tangible": "a hand with the thing itself",
}
_PACE = (
    "You tell very slowly; the first answers get the surface only.",
    "You tell slowly, a little at a time, and wait to see how it is taken.",
    "You tell things once you are asked well.",
    "You open up fairly soon.",
    "You open up at once, and more comes out than you meant.",
)
_RESISTANCE = (
    "You readily take up what is offered, if it fits.",
    "You take up most things, with a reservation here and there.",
    "You weigh what is offered and turn down what does not fit.",
    "You push back on much of what is offered.",
    "You push back on nearly everything, good things too, before you let them in.",
)
_VOLATILITY = (
    "Your feelings are steady; one message hardly moves them.",
    "Your feelings move slowly.",
    "Your feelings move as most people's do.",
    "Your feelings move quickly, up and down.",
    "Your feelings swing within a few messages.",
)
_ANXIETY = {
    "low": "You do not worry much about being left or disliked.",
    "mid": "You sometimes look for signs that people lose patience with you.",
    "high": "You watch for signs that people lose interest, and need to hear it more than once that they have not.",
}
_AVOIDANCE = {
    "low": "Leaning on others comes easily enough.",
    "mid": "Leaning on others feels somewhat uneasy.",
    "high": "You would rather lean on nobody; closeness makes you step back.",
}


@lru_cache(maxsize=512)  # the same for all turns of a dialogue
def known_inside(profile: PartialProfile) -> str:
    """What the inner roles and the judge know of the person: everything but the voice."""
    blocks = (
        who(profile.person),
        inside(profile.person),
        story(profile.situation, profile.note),
        held_back(profile.situation),
        sheet(profile.sheet),
        f"## What you keep to yourself\n\n{profile.sheet.hidden}" if profile.sheet and profile.sheet.hidden else "",
    )
    return joined(blocks)


def story(situation: Situation | None, note: str = "") -> str:
    """What happened, without what is held back."""
    if situation is None:
        return f"## What is known of you\n\n{note}" if note else ""
    tried = [f"{item.what}. It failed: {item.why_it_failed}" for item in situation.tried]
    lines = [
        "## What happened",
        f"{situation.title} ({situation.problem}: {situation.angle}). {situation.history}",
        f"At stake: {situation.stakes}",
        "Already tried:\n" + _bullets(*tried),
        f"Today: {situation.now}",
        "Your limits:\n" + _bullets(*situation.circumstances),
    ]
    if situation.risk == "low":
        lines.append(
            "Hopeless thoughts pass through you at times. You have no wish to die and no plan, and it goes no further."
        )
    return joined([*lines, note])


def sheet(found: Sheet | None) -> str:
    """What a foreign source says of a person who is known in part only, without what they keep to themselves."""
    if found is None:
        return ""
    facts = (found.name, str(found.age) if found.age else None, found.gender, found.occupation)
    blocks = ", ".join(fact for fact in facts if fact), found.persona, found.story, _troubled(found)
    manner = f"How you write: {found.manner}" if found.manner else ""
    return joined(["## What is known of you", *(block for block in blocks if block), manner])


def _troubled(found: Sheet) -> str:
    """What it is about, and how it feels as the talk begins, as far as the source says."""
    about = f"What it is about: {found.problem}." if found.problem else ""
    strength = "" if found.intensity is None else f"{found.intensity} of 10"
    felt = ", ".join(part for part in (found.feeling, strength) if part)
    return " ".join(part for part in (about, f"What you feel as you begin: {felt}." if felt else "") if part)


def held_back(situation: Situation | None) -> str:
    """Everything the person holds back, with the reason."""
    if situation is None or not situation.guarded:
        return ""
    return "## What you hold back\n\n" + _bullets(*(_held(fact) for fact in situation.guarded))


def who(person: Person | None) -> str:
    """Who it is, as anybody who knows them would say."""
    if person is None:
        return ""
    origin = "" if person.country == person.country_of_origin else f", from {person.country_of_origin}"
    facts = (
        f"{person.name}, {person.age}, {person.gender}, {person.country}{origin}. {person.occupation}. "
        f"Education: {person.education}. Relationship: {person.relationship}. Children: {person.children}. "
        f"{person.means}"
    )
    return joined(["## Who you are", facts, person.portrait])


def inside(person: Person | None) -> str:
    """What the person is like inside: never shown to the role that writes their messages."""
    if person is None:
        return ""
    needs = person.needs
    lines = (
        _traits(person.traits),
        _attachment(person.attachment),
        f"How you get through things: {', '.join(person.coping)}.",
        f"What you want from this talk (need `primary`): {_NEEDS[needs.primary]}.",
        f"And (need `secondary`): {_NEEDS[needs.secondary]}.",
        f"What you would not ask for: {needs.hidden}",
        _PACE[person.disclosure_pace - 1],
        _RESISTANCE[person.resistance - 1],
        _VOLATILITY[person.volatility - 1],
        f"What gets through to you: {person.lands}",
        f"What puts you off: {person.backfires}",
    )
    return "## What you are like inside\n\n" + _bullets(*lines)


def voice(found: Voice | None) -> str:
    """How the person writes, with samples."""
    if found is None:
        return ""
    lines = [f"## How you write\n\n{found.style}. {found.description}"]
    for when, samples in (
        ("an answer got through to you", found.touched),
        ("an answer missed you", found.missed),
        ("you want something", found.asking),
        ("you end a talk", found.closing),
    ):
        lines.append(f"When {when}:\n" + _bullets(*samples))
    return joined(lines)


def open_lines(telling: Telling | None) -> str:
    """What the person would tell anybody, in their words."""
    if telling is None:
        return ""
    return "## What you would tell anybody, in your words\n\n" + _bullets(*telling.open)


def taste(profile: PartialProfile) -> str:
    """How the person writes, and for a person at risk what they need of a supporter: for the judge."""
    lines = []
    if profile.person is not None:
        lines.append(f"How you write yourself: {profile.person.voice.style}. {profile.person.voice.description}")
    if profile.situation is not None and profile.situation.risk_note:
        lines.append(f"What care your hopeless moments called for: {profile.situation.risk_note}")
    return joined(lines)


def written_in(profile: PartialProfile) -> str:
    """The language of the person's messages, when it is not English."""
    return "" if profile.language == "en" else f"You write your messages in this language: {profile.language}."


def fact_words(profile: PartialProfile, fact: GuardedFact) -> str:
    """One guarded fact with the person's own words for it."""
    says = next((item.says for item in profile.telling.guarded if item.fact == fact.id), "") if profile.telling else ""
    return f"[{fact.id}] {fact.fact}" + (f" In your words: {says}" if says else "")


def _held(fact: GuardedFact) -> str:
    return f"[{fact.id}] {fact.fact} Held back because: {fact.why_held_back}"


def _traits(traits: Traits) -> str:
    """Scores are told against other people: a model takes 73 for very agreeable, while it is what most people have."""
    told, others = [], population()
    for name, mean in others.means.items():
        away = (getattr(traits, name) - mean) / others.deviations[name]
        told.append(f"{name} {_against_others(away)}")
    return "Beside other people: " + "; ".join(told) + "."


def _against_others(away: float) -> str:
    """Put standard deviations from the mean into words."""
    if abs(away) < 0.5:
        return "as most people's"
    return f"{'far ' if abs(away) >= 1.5 else ''}{'above' if away > 0 else 'below'} most people's"


def _attachment(attachment: Attachment) -> str:
    return f"{_ANXIETY[attachment.anxiety]} {_AVOIDANCE[attachment.avoidance]}"


def _bullets(*lines: str) -> str:
    return "\n".join(f"- {line}" for line in lines)
