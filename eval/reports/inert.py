"""Text under test is data: what a model wrote cannot colour, move or command the terminal it is shown in."""

import unicodedata

from rich.text import Text

_KEPT = {"\n", "\t"}
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""Control, format (bidirectional overrides among them), surrogate, private use, line and paragraph separator."""
_JOINERS = {"\u200c", "\u200d"}
"""Format characters that scripts and emoji need to be written right."""


def plain(text: str) -> str:
    """Return `text` without control and format characters; an escape sequence loses its escape and turns inert."""
    return "".join(
        char for char in text if char in _KEPT or char in _JOINERS or unicodedata.category(char) not in _UNSEEN
    )


def inert(text: str, style: str = "") -> Text:
    """Return `text` as rich `Text`, in which markup means nothing."""
    return Text(plain(text).expandtabs(4).strip("\n"), style=style, overflow="fold")


def one_line(text: str, style: str = "") -> Text:
    """Return `text` on one line, runs of white space as one blank."""
    return inert(" ".join(plain(text).split()), style)
