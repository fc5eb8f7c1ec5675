"""Whether the person speaks as the supporter would: offers help, or takes care of the other side's feelings."""

import re

from emoharbor.nodes.wordlist import words

_QUOTED = re.compile(r"\"[^\"\n]{1,400}\"|\u201c[^\u201d]{1,400}\u201d|\u00ab[^\u00bb]{1,400}\u00bb"
                     r"|\u300c[^\u300d]{1,400}\u300d|\u201e[^\u201c]{1,400}\u201c")  # fmt: skip
_QUOTES = re.compile('["\u201c\u00ab\u300c\u201e]')
_NEEDED = 2
"""How many different things that a supporter says, and a person may, make a supporter."""


def drift_in(message: str) -> str | None:
    """Return what shows that a message is an assistant's, or None. What stands in quotation marks does not count."""
    own = unquoted(message)
    if found := words("helper").found(own):
        return f"the message speaks as an assistant ({found[0]!r})"
    found = words("helping").found(own)
    return f"the message comforts and advises ({', '.join(map(repr, found[:3]))})" if len(found) >= _NEEDED else None


def unquoted(message: str) -> str:
    """Return a message without what stands in quotation marks: those are another's words."""
    return _QUOTED.sub(" \n ", message) if _QUOTES.search(message) else message
