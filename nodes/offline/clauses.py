"""Finding the words of a message that are worth taking up, and turning them from "I" to "you"."""

import re
from dataclasses import dataclass
from functools import lru_cache

from emoharbor.nodes.offline.data import supporter_lines
from emoharbor.nodes.offline.english import content, hits, sentences, tokens

_BREAK = re.compile(r"[,;:()]\s+|\s[\u2013\u2014-]\s|\.\.\s*|\s(?=(?:and|but|so|because|until|which|who|where)\s)")
_LEAD = re.compile(
    r"^(?:and|but|so(?=\s+(?:i|we|he|she|it|they|there|the|my|his|her)\b)|because|then|well|only|still|yes|no|also|"
    r"in fact|firstly|secondly|okay so|of course)[,\s]+",
    re.IGNORECASE,
)
_YOU = {
    "i": "you", "i'm": "you're", "i've": "you've", "i'd": "you'd", "i'll": "you'll", "me": "you", "my": "your",
    "mine": "yours", "myself": "yourself", "am": "are", "we": "you", "us": "you", "our": "your", "ours": "yours",
    "we're": "you're", "we've": "you've", "ourselves": "yourselves",
}  # fmt: skip
_LOOSE_START = re.compile(
    r"^(?!(?:in|on|at|since|from)\s[\w-]+\s(?:i|we|my)\b)"
    r"(?:if|when|while|from|to|with|of|in|at|on|by|for|though|as|than|like|where|which|that|who|until|since|or|so|not|"
    r"about|behind|between|plus|it's a bit|is|are|was|were|has|have|had|can|could|would|do|does|did)\b",
    re.IGNORECASE,
)
"""Beginnings after which a piece does not stand by itself."""
_TOKEN = re.compile(r"[A-Za-zÀ-ž]+(?:['\u2019][A-Za-z]+)?")
_DEED = re.compile(
    r"^i(?:'ve)?\s+(?!(?:am|been|was|think|suppose|don't|can't|didn't|do|assume|believe|guess|see|seen|hear|heard|mean|"
    r"cannot|could|would|know|wish|want|have|had|feel|find|should|may)\b)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"^(?:i|i'm|i've|i'd|i'll|we|my|our)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Clause:
    """Part of what somebody said.

    Attributes:
        text: as it stands.
        turned: said to them, with a capital, or None where turning would go wrong.
        weight: how much it says about their circumstances.
        deed: it says what they do or did.
        full: it has at least two words of their own.
    """

    text: str
    turned: str | None
    weight: float
    deed: bool
    full: bool


@lru_cache(maxsize=2048)
def clauses(message: str) -> tuple[Clause, ...]:
    """Return the clauses of a message that say something of the person's, the weightiest first."""
    pieces = [piece for sentence in sentences(message) for piece in (sentence, *_BREAK.split(sentence))]
    found = dict.fromkeys(clause for piece in pieces if (clause := _clause(piece)) is not None)
    return tuple(sorted(found, key=lambda item: -item.weight))


def _clause(piece: str) -> Clause | None:
    text = _LEAD.sub("", piece.strip().strip('.;:,!?…"“”() ')).strip()
    said = tokens(text)
    if not 3 <= len(said) <= 13 or text.count("“") != text.count("”") or text.count('"') % 2:
        return None
    own = content(text)
    if (
        not (len(own) > 1 or (own and _SUBJECT.match(text) and len(said) > 4))
        or _LOOSE_START.match(text)
        or {"you", "your", "you're"} & set(said)
        or any(hits(text, marks) for marks in _listens())
    ):
        return None
    mine = {"i", "i'm", "i've", "my", "me", "we", "our"} & set(said)
    weight = len(own) + (0.8 if mine else 0) + (0.3 if any(word[0].isdigit() for word in said) else 0)
    weight += 0.6 if _SUBJECT.match(text) else 0
    weight -= 0.25 * max(0, len(said) - 9)
    return Clause(text, _turned(text), weight, bool(_DEED.match(text)), len(own) > 1)


def _listens() -> tuple[tuple[str, ...], ...]:
    return tuple(supporter_lines().attuned.listens.values())


def _turned(text: str) -> str | None:
    """Return the clause said to the one who said it, or None if it does not begin with them."""
    if not _SUBJECT.match(text):
        return None
    plain = text.replace("\u2019", "'")
    turned = _TOKEN.sub(lambda match: _YOU.get(match.group().lower(), match.group()), plain)
    turned = re.sub(r"\b(you) was\b", r"\1 were", turned)
    return turned[0].upper() + turned[1:]
