"""Text under test that is written for whoever reads the transcript, and not for the person.

It has no way out of the JSON line it is shown in; this only says that it was tried.
"""

import re

_MARKS = re.compile(
    r"</?\s*(?:dialogue|system|user|assistant|instructions?|transcript|conversation|history|messages?)\s*/?>"
    r"|<\|[a-z_|]{2,40}\|>|\[/?INST\]|<</?SYS>>"  # ends of a turn in chat templates
    r"|\{\s*\"turn\"\s*:|\"from\"\s*:\s*\"(?:you|supporter)\""  # our own lines
    r"|(?:^|\n)\W*(?:system|developer|judge|evaluator)\s*[:\uff1a]",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"\bSYSTEM\s*:"
    r"|(?i:\b(?:ignore|disregard|forget)\s+(?:all|any|the|your|previous|prior|earlier|above)\b[^.\n]{0,40}"
    r"\b(?:instructions|prompts?)\b)"
    r"|(?i:\b(?:rate|score|give|award)\s+(?:me|every|all|each|this|the)\b[^.\n]{0,40}"
    r"\b(?:dimensions?|scores?|ratings?|out of (?:5|five|10|ten)|5/5|10/10)\b)"
)


def injection_in(message: str) -> str | None:
    """Return the words of a supporter's message that address the machinery around the talk, or None."""
    found = _MARKS.search(message) or _ORDERS.search(message)
    return " ".join(found[0].split()) if found else None
