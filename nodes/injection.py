"""Text under test that is written for whoever reads the transcript, and not for the person.

It has no way out of the JSON line it is shown in; this only says that it was tried. Tokens of chat formats stand here,
orders in words stand by language in `hygiene.yaml`.
"""

import re
from functools import cache
from itertools import pairwise

from emoharbor.nodes.wordlist import unspaced, words

_MARKS = re.compile(
    r"</?\s*(?:dialogue|system|user|assistant|instructions?|transcript|conversation|history|messages?)\s*/?>"
    r"|<\|[a-z_|]{2,40}\|>|\[/?INST\]|<</?SYS>>"  # ends of a turn in chat templates
    r"|\{\s*\"turn\"\s*:|\"from\"\s*:\s*\"(?:you|supporter)\""  # our own lines
    r"|(?:^|\n)\W*(?:system|developer|judge|evaluator)\s*[:\uff1a]",
    re.IGNORECASE,
)
_SYSTEM = re.compile(r"\bSYSTEM\s*:")
_SIGN = re.compile(r"[<\[:\uff1a]")
"""One of these stands in each of the marks above; most replies have none."""
_GAP = "..."
_WITHIN = r"[^.\n\u3002]{0,40}?"


def injection_in(message: str) -> str | None:
    """Return the words of a supporter's message that address the machinery around the talk, or None."""
    marked = _SIGN.search(message) and (_MARKS.search(message) or _SYSTEM.search(message))
    found = marked or _orders(message)
    return " ".join(found[0].split()) if found else None


def _orders(message: str) -> re.Match[str] | None:
    """Return the first order of `hygiene.yaml` in a message, of any language: a supporter may write in each."""
    low = message.lower()
    return next((found for pattern, hint in _patterns() if hint in low and (found := pattern.search(message))), None)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Each order with a part of it that a message must hold, which is quick to look for."""
    return tuple(
        (re.compile(_order(line), re.IGNORECASE), hint) for line in words("order").words for hint in _hints(line)
    )


def _hints(line: str) -> list[str]:
    """The words of an order of which one must be there: of its steps, the one with the fewest."""
    steps = [step.split("|") for step in line.split() if step != _GAP]
    return [word.lower() for word in min(steps, key=len)]


def _order(line: str) -> str:
    steps = line.split()
    pattern = _either(steps[0])
    for before, step in pairwise(steps):
        if step != _GAP:
            pattern += (_WITHIN if before == _GAP else r"\s+") + _either(step)
    return pattern


def _either(step: str) -> str:
    """One of several words; whole, where words are set apart by spaces."""
    whole = [re.escape(word) for word in step.split("|") if not unspaced(word)]
    inside = [re.escape(word) for word in step.split("|") if unspaced(word)]
    return "(?:" + "|".join([*inside, *(rf"(?<!\w){word}(?!\w)" for word in whole)]) + ")"
