"""Whether both sides only go round in a circle: the same again and again, or one goodbye after the other."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from emoharbor.nodes.wordlist import words
from emoharbor.state.dialogue import said
from emoharbor.state.text import folded

_PARTING = 70
"""UTF-8 bytes, as `folded` counts, up to which a message with a word of parting is a goodbye, and no talk about one."""
_MIRRORED = 8
"""UTF-8 bytes of a run that two short messages share when they answer one another in kind: "Good night" with it."""


def in_a_circle(message: str, messages: Sequence[AnyMessage]) -> bool:
    """Tell whether the talk is over though nobody ends it.

    Either the person says the same as the turn before, and the supporter does so too or mirrors it, in any language;
    or the person's last two messages and the supporter's between them are goodbyes, in a language we have words of.

    Args:
        message: what the person is about to say.
        messages: the dialogue so far.
    """
    recent = messages[-4:]
    mine, theirs = said(recent, HumanMessage), said(recent, AIMessage)
    if not mine or not theirs:
        return False
    if _same(message, mine[-1]):
        if len(theirs) > 1 and _same(theirs[-1], theirs[-2]):
            return True
        if _same(message, theirs[-1]) or _mirror(message, theirs[-1]):
            return True
    return all(_parts(text) for text in (message, theirs[-1], mine[-1]))


def _same(one: str, other: str) -> bool:
    return bool(folded(one)) and folded(one) == folded(other)


def _mirror(one: str, other: str) -> bool:
    left, right = folded(one), folded(other)
    if max(len(left.encode()), len(right.encode())) > _PARTING:
        return False
    match = SequenceMatcher(None, left, right, autojunk=False).find_longest_match()
    return len(left[match.a : match.a + match.size].encode()) >= _MIRRORED


@lru_cache(maxsize=1024)  # a message is looked at before it is sent, after, and with the next two
def _parts(text: str) -> bool:
    asks = any(mark in text for mark in "?\uff1f\u061f")
    return not asks and len(folded(text).encode()) <= _PARTING and bool(words("farewell").found(text))
