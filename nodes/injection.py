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
_GAP = "..."
_WITHIN = r"[^.\n\u3002]{0,40}?"


def injection_in(message: str) -> str | None:
    """Return the words of a supporter's message that address the machinery around the talk, or None."""
    found = _MARKS.search(message) or _SYSTEM.search(message) or _orders().search(message)
    return " ".join(found[0].split()) if found else None


@cache
def _orders() -> re.Pattern[str]:
    """The orders of `hygiene.yaml`, of all languages: a supporter may write in any."""
    return re.compile("|".join(map(_order, words("order").words)), re.IGNORECASE)


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
