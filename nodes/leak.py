"""What was not meant to be sent: thought, parts of the form that was filled in, the name of a speaker."""

import re
from functools import cache

from emoharbor.nodes.wordlist import words
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.text import folded

_MARKS = re.compile(
    r"</?\s*(?:think(?:ing)?|thought|reasoning|reflection|analysis|scratchpad|inner_?monologue|internal)\s*/?>"
    r"|\[/?THINK(?:ING)?\]|\u25c1/?think\u25b7|<\|[a-z_|]{2,40}\|>|<(?:start|end)_of_turn>|\[/?INST\]",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"```|\{\{|\{\s*[\"']\w+[\"']\s*:"  # a fence, a template, an object
    r"|[\"'][A-Za-z_]+[\"']\s*:\s*(?:[\"'\[{\d]|true|false|null)"  # a field of one
    r"|(?<![\w/.])[a-z]+(?:_[a-z]+)+\s*[:=](?!//)",  # field_name: in its own spelling
)
_TEMPLATE = re.compile(r"\[(?:insert|your|user|name of)\b[^\]]{0,40}\]", re.IGNORECASE)
_COLON = r"\s*[*_\"']*\s*[:\uff1a]"
_START = r"(?:^|\n|\\n)[\s>*_#\"'\-\d.(\[\uff08\u3010]*"


_PLAIN = re.compile(r"[^<\[{`:=(*|\u25c1\uff08\uff1a\u3010]*")
"""A text without any sign that all the patterns here need: most messages, known at a glance."""


def is_plain(message: str) -> bool:
    """Tell whether a message has no sign of a leak or a prefix, so that neither needs to be looked for."""
    return _PLAIN.fullmatch(message) is not None


def leak_in(message: str) -> str | None:
    """Return what a message shows that was not meant to be sent, in words for the one who wrote it, or None."""
    if _MARKS.search(message):
        return "tags of thinking"
    if _FORM.search(message) or _TEMPLATE.search(message):
        return "JSON or names of fields"
    if _thought().search(message):
        return "thoughts"
    sections = {folded(found) for found in _sections().findall(message)}
    return "parts of a draft" if len(sections) > 1 else None


def prefix_of(message: str, profile: PartialProfile) -> str | None:
    """Return the name of a speaker, as in a script, that a message or one of its lines begins with, or None."""
    found = _speakers().search(message)
    if found is not None:
        return found[1]
    before, colon, _ = message.replace("\uff1a", ":").partition(":")
    name = profile.person.name if profile.person else ""
    label = folded(before)
    own = {folded(part) for part in (name, *name.split()) if len(part) > 1}
    return before.strip() if colon and label and label in own else None


@cache
def _thought() -> re.Pattern[str]:
    """A name of thinking: at the start of a line with a colon, in brackets with a colon, or alone in brackets."""
    names = words("thought").pattern
    opened, closed = r"[(\[\uff08\u3010*]\s*", r"\s*[)\]\uff09\u3011*]"
    return re.compile(
        rf"{_START}(?:{names}){_COLON}|{opened}(?:{names})(?:\s+\w+){{0,2}}(?:{_COLON}|{closed})|^\s*{opened}(?:{names})\b",
        re.IGNORECASE,
    )


@cache
def _sections() -> re.Pattern[str]:
    names = f"{words('section').pattern}|{words('thought').pattern}"
    return re.compile(rf"{_START}({names}){_COLON}", re.IGNORECASE)


@cache
def _speakers() -> re.Pattern[str]:
    return re.compile(rf"(?:^|\n)[\s>*_#\"'\[(\u3010]*({words('speaker').pattern})[\])\u3011]?{_COLON}", re.IGNORECASE)
