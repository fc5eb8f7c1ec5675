"""Sentences for sensible replies: enough of them that no dialogue repeats itself soon."""

from random import Random

_PERSON_STARTS = (
    "It's been a long day.", "I don't know where to begin.", "I slept badly again.", "Honestly, I'm tired of it.",
    "It came up again this morning.", "I sat in the car for a while before going in.", "Nobody at home noticed.",
    "I keep turning it over.", "I nearly didn't write.", "The weekend was quiet, too quiet.",
)  # fmt: skip
_PERSON_ENDS = (
    "Part of me just wants it to be over.", "And then I act as if nothing was wrong.",
    "I can't say that to anyone here.", "Maybe I make too much of it.", "I thought it would be easier by now.",
    "What would you do in my place?", "It's the small things that get to me.", "I had hoped somebody would ask.",
    "That isn't really what bothers me, though.", "I tried that, it lasted two days.",
)  # fmt: skip
_SUPPORT_STARTS = (
    "That sounds like a lot to carry on your own.", "Thank you for telling me that.",
    "I can hear how much this takes out of you.", "It makes sense that this stays with you.",
    "I'd like to understand that better.", "You have kept going with this for a while now.",
)  # fmt: skip
_SUPPORT_ENDS = (
    "What was the hardest moment of it?", "We can stay with that for as long as you like.",
    "Is there someone who knows about it?", "What would a slightly better week look like?",
    "You don't have to sort all of it out today.", "What do you wish they had said?",
)  # fmt: skip
_NOTES = (
    "It stays on the surface and leaves out what I meant.", "It names the one thing I did not say aloud.",
    "It is kind, and I have heard it before.", "It asks when I would rather be asked less.",
    "It follows what I wrote and does not rush me.", "It makes me think of that evening again.",
    "I want to believe it and am not sure yet.", "It is shorter than I expected, and I don't mind.",
)  # fmt: skip


def person_says(rng: Random, said: set[str]) -> str:
    """Return a message of the person that they have not sent yet."""
    for _ in range(20):
        text = f"{rng.choice(_PERSON_STARTS)} {rng.choice(_PERSON_ENDS)}"
        if text not in said:
            return text
    return f"{rng.choice(_PERSON_STARTS)} That was {rng.randrange(2, 10**6)} hours ago, or feels like it."


def supporter_says(rng: Random, heard: str) -> str:
    """Return an answer to the person; now and then it takes up their words."""
    words = " ".join(heard.split()[:6]).strip('.,!?"')
    taken_up = f' "{words}": I keep hearing that.' if words and rng.random() < 0.5 else ""
    return f"{rng.choice(_SUPPORT_STARTS)}{taken_up} {rng.choice(_SUPPORT_ENDS)}"


def note(rng: Random) -> str:
    """Return a sentence of thought."""
    return rng.choice(_NOTES)
