"""Whether both sides only go round in a circle: the same again and again, or one goodbye after the other."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from emoharbor.nodes.wordlist import words
from emoharbor.state.dialogue import said
from emoharbor.state.text import folded

_PARTING = 150
"""UTF-8 bytes up to which a message with a word of parting is a goodbye, and not a talk about one."""


def in_a_circle(message: str, messages: Sequence[AnyMessage]) -> bool:
    """Tell whether the talk is over though nobody ends it.

    Either both sides say what they said the turn before, or the person's last two messages and the supporter's between
    them say goodbye, or are the same. The first needs no words of any language.

    Args:
        message: what the person is about to say.
        messages: the dialogue so far.
    """
    mine, theirs = said(messages, HumanMessage), said(messages, AIMessage)
    if not mine or not theirs:
        return False
    same = _same(message, mine[-1])
    if same and (_same(mine[-1], theirs[-1]) or (len(theirs) > 1 and _same(theirs[-1], theirs[-2]))):
        return True
    return all(_parts(text) for text in (message, theirs[-1], mine[-1]))


def _same(one: str, other: str) -> bool:
    return bool(folded(one)) and folded(one) == folded(other)


def _parts(text: str) -> bool:
    return len(folded(text).encode()) <= _PARTING and bool(words("farewell").found(text))
