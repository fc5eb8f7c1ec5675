"""Separating what a model thinks from what it says."""

import re
from typing import NamedTuple

_TAGS = ("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "seed:think")
_PAIRS = [
    *((f"<{tag}>", f"</{tag}>") for tag in _TAGS),
    ("[think]", "[/think]"),  # Magistral
    ("◁think▷", "◁/think▷"),  # Kimi
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
]
_CLOSING = dict(_PAIRS)
_OPENING = re.compile("|".join(re.escape(opening) for opening, _ in _PAIRS), re.IGNORECASE)
_ANY_CLOSING = re.compile("|".join(re.escape(closing) for _, closing in _PAIRS), re.IGNORECASE)
_HARMONY = re.compile(
    r"<\|channel\|>\s*(\w+)[^<]*<\|message\|>(.*?)(?=<\|(?:end|return|start|channel)\|>|\Z)", re.DOTALL
)


class Parted(NamedTuple):
    """A reply in two.

    Attributes:
        text: what was said.
        reasoning: what was thought; empty for nothing.
        unclosed: the reply ended inside the thought, so nothing was said after it.
    """

    text: str
    reasoning: str
    unclosed: bool


def part(content: str) -> Parted:
    """Separate a reply into thought and speech."""
    if "<|channel|>" in content:
        return _harmony(content)
    said: list[str] = []
    thought: list[str] = []
    rest = content
    first = _ANY_CLOSING.search(rest)
    opened = _OPENING.search(rest)
    if first and (opened is None or first.start() < opened.start()):
        # the prompt's template held the opening tag, so the reply starts inside the thought
        thought.append(rest[: first.start()])
        rest = rest[first.end() :]
    while opening := _OPENING.search(rest):
        said.append(rest[: opening.start()])
        closing = re.compile(re.escape(_CLOSING[opening.group().lower()]), re.IGNORECASE).search(rest, opening.end())
        if closing is None:
            thought.append(rest[opening.end() :])
            return Parted("".join(said).strip(), _joined(thought), unclosed=True)
        thought.append(rest[opening.end() : closing.start()])
        rest = rest[closing.end() :]
    if not thought:
        return Parted(content, "", unclosed=False)
    said.append(_ANY_CLOSING.sub("", rest))
    return Parted("".join(said).strip(), _joined(thought), unclosed=False)


def _harmony(content: str) -> Parted:
    """Read gpt-oss's own format, which some servers hand through: channels `analysis`, `commentary` and `final`."""
    said: list[str] = []
    thought: list[str] = []
    for channel, text in _HARMONY.findall(content):
        (said if channel == "final" else thought).append(text)
    return Parted("".join(said).strip(), _joined(thought), unclosed=not said)


def _joined(parts: list[str]) -> str:
    return "\n\n".join(text.strip() for text in parts if text.strip())
