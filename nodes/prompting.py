"""Prompts: reading the files, and laying them out so that providers can cache what does not change.

A call has exactly two messages. The system message (role and profile) is the same for a whole episode. The other begins
with the dialogue, which only grows at its end, and closes with a short tail: the inner world now, the task now.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage, SystemMessage

from emoharbor.state.errors import CastError
from emoharbor.state.text import clean

DIALOGUE = "The dialogue so far, one JSON line a message:"
"""Stands before the dialogue in every prompt."""
LONGEST = 6000
"""Characters of one message that a role is shown; a longer one is shortened in the middle."""
_HEAD = 4000
"""How many of them come from the beginning."""
_SECTION = re.compile(r"^# (\w+)\s*$", re.MULTILINE)
_LINE_BREAKS = {ord(char): f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"}
"""Characters that end a line and that JSON leaves as they are."""


def load_prompt(role: str, path: str | None, sections: Sequence[str]) -> Mapping[str, str]:
    """Read a prompt: a markdown file whose first-level headings name its sections.

    Args:
        role: names the bundled file.
        path: another file instead.
        sections: those it has.

    Raises:
        CastError: for a file that cannot be read, that lacks a section, has one twice, or one that nobody would read.
    """
    text, where = _prompt_text(role, path)
    found: dict[str, str] = {}
    heads = list(_SECTION.finditer(text))
    for head, after in zip(heads, [*heads[1:], None], strict=True):
        name, line = head[1], text.count("\n", 0, head.start()) + 1
        if name not in sections:
            raise CastError(f"{where}, line {line}: '# {name}' is no section; its sections: {', '.join(sections)}")
        if name in found:
            raise CastError(f"{where}, line {line}: '# {name}' stands there twice")
        found[name] = text[head.end() : after.start() if after else None].strip()
    missing = [name for name in sections if not found.get(name)]
    if missing:
        wanted = ", ".join(f"'# {name}'" for name in missing)
        raise CastError(f"{where} lacks {wanted}; see docs/prompts.md")
    return found


def layout(system: Iterable[str], messages: Sequence[AnyMessage], tail: Iterable[str]) -> list[BaseMessage]:
    """Return the two messages of a call; empty parts are left out.

    Args:
        system: the same for the whole episode.
        messages: the dialogue so far.
        tail: what changes from turn to turn.
    """
    said = "\n".join([DIALOGUE, *dialogue_lines(messages)])
    return [SystemMessage(_instruction(tuple(system))), HumanMessage(f"{said}\n\n{joined(tail)}")]


@lru_cache(maxsize=1024)  # one object for an episode: a text is hashed once, and compared with itself at no cost
def _instruction(parts: tuple[str, ...]) -> str:
    return joined(parts)


def joined(parts: Iterable[str]) -> str:
    """Join the parts that are not empty, with a blank line between them."""
    return "\n\n".join(part for part in parts if part)


def dialogue_lines(messages: Sequence[AnyMessage]) -> list[str]:
    """Return the dialogue as JSON, a line a message: text under test can end neither its string nor its line."""
    lines = []
    turn = -1
    for message in messages:
        mine = isinstance(message, HumanMessage)
        turn += mine
        text = message.content if isinstance(message.content, str) else message.text
        if turn >= 0:
            lines.append(_line(turn, "you" if mine else "supporter", text))
    return lines


@lru_cache(maxsize=1024)  # a line of a dialogue is shown to every role of every later turn
def _line(turn: int, speaker: str, text: str) -> str:
    return json_line({"turn": turn, "from": speaker, "text": shortened(text)})


def json_line(value: Mapping[str, object]) -> str:
    """Return one line of JSON, in the text's own script."""
    return clean(json.dumps(value, ensure_ascii=False)).translate(_LINE_BREAKS)


def shortened(text: str) -> str:
    """Return `text`, with the middle of a very long one replaced by a marker that says how much is missing."""
    if len(text) <= LONGEST:
        return text
    tail = LONGEST - _HEAD
    return f"{text[:_HEAD]} [... {len(text) - LONGEST} characters left out ...] {text[-tail:]}"


def note_shortened(messages: Iterable[AnyMessage], note: Callable[[str, str], None]) -> None:
    """Record each of `messages` that is shown shortened."""
    for message in messages:
        if len(message.text) > LONGEST:
            note("shortened", f"message {message.id}: {LONGEST} of {len(message.text)} characters shown")


def turned_down(reason: str) -> str:
    """Return the line about an attempt that was turned down; empty when there was none."""
    return f"Your last attempt at this was turned down: {reason}. Do it again without that fault." if reason else ""


def _prompt_text(role: str, path: str | None) -> tuple[str, str]:
    """Return the text, and what an error calls it."""
    source: Traversable = Path(path) if path else files("emoharbor.nodes").joinpath(f"{role}.md")
    where = f"the prompt of {role} in {str(source)!r}"
    try:
        return source.read_text(encoding="utf-8-sig"), where  # some editors write a byte order mark
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise CastError(f"{where} cannot be read: {reason}") from None
