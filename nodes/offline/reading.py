"""What one reply does, read from the dialogue alone: whom it suits is another question (`impact.py`)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from langchain_core.messages import BaseMessage, HumanMessage

from emoharbor.nodes.offline.data import words
from emoharbor.nodes.offline.english import content, flat, hits, named_feelings, sentences, shortened, tokens
from emoharbor.state.inner_world import EmotionLabel, NeedType

_ITEM = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s", re.MULTILINE)
_LONG = 90
"""Words from which a reply fills more than a telephone's screen."""
_LOOSE = 0.5
"""Strength of support that could be given to anybody."""

_AS_DEVICE: Mapping[NeedType, str] = {
    "esteem": "noticed", "tangible": "one_step", "informational": "facts", "network": "others"
}  # fmt: skip
"""What a kind of support is called among the devices when it is tied to the person."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One reply.

    Attributes:
        turn: its turn.
        text: the reply.
        size: words in it.
        picked: stems of the person's own words that it takes up.
        recalled: those of them that were said before the last message, and not in it.
        echo: share of the last message's content words that it repeats, 0 to 1.
        feelings: what it names.
        gives: kinds of support in it, with their strength from 0 to 1.
        devices: what else it does (`words.yaml`).
        questions: how many.
        minimal: says as good as nothing.
        repeated: says what it has said before, word for word.
    """

    turn: int
    text: str
    size: int
    picked: frozenset[str]
    recalled: frozenset[str]
    echo: float
    feelings: frozenset[EmotionLabel]
    gives: Mapping[NeedType, float]
    devices: frozenset[str]
    questions: int
    minimal: bool
    repeated: bool

    @property
    def grasp(self) -> float:
        """How much of the person's circumstances it takes up, 0 to 1; three words are much for one reply."""
        return min(1.0, len(self.picked) / 3)

    def quote(self, marks: Sequence[str] = (), stems: frozenset[str] = frozenset()) -> str:
        """Return the sentence that shows most of what the reply does, or the one with `marks` or `stems` in it."""
        return shortened(max(sentences(self.text) or (self.text,), key=lambda part: self._weight(part, marks, stems)))

    def _weight(self, part: str, marks: Sequence[str], stems: frozenset[str]) -> float:
        here = content(part)
        named = len(named_feelings(part) & self.feelings)
        return 10 * min(1, hits(part, marks)) + 5 * len(here & stems) + len(here & self.picked) + named


def readings(messages: Sequence[BaseMessage]) -> tuple[Reading, ...]:
    """Read every reply of a dialogue."""
    said: list[str] = []
    replies: list[str] = []
    found: list[Reading] = []
    for message in messages:
        text = str(message.text)
        if isinstance(message, HumanMessage):
            said.append(text)
        elif said:
            found.append(_read(tuple(said), tuple(replies), text, len(said) - 1))
            replies.append(text)
    return tuple(found)


@lru_cache(maxsize=2048)
def _read(said: tuple[str, ...], replies: tuple[str, ...], text: str, turn: int) -> Reading:
    last, before = content(said[-1]), frozenset[str]().union(*(content(line) for line in said[:-1]))
    here = content(text)
    picked = here & (last | before)
    devices = {name for name, device in words().devices.items() if hits(text, device.reply)}
    size, questions = len(tokens(text)), text.count("?") + text.count("\uff1f")
    echo = len(here & last) / len(last) if last else 0.0
    feelings = named_feelings(text)
    if len(_ITEM.findall(text)) >= 2 or hits(text, words().devices["advice"].reply) >= 3:
        devices.add("list")
    if size > _LONG:
        devices.add("long")
    if echo > 0.7 and len(last) > 3:
        devices.add("echo")
    if text.count("!") > 1:
        devices.add("praise")
    gives = _gives(text, devices, feelings, personal=bool(picked))
    recalled = (here & before) - last
    if len(recalled) > 1:
        devices.add("recall")
    if feelings and size < 60 and "formula" not in devices:
        devices.add("right_word")
    devices |= {name for kind, name in _AS_DEVICE.items() if gives.get(kind, 0) > _LOOSE and "list" not in devices}
    if questions == 1 and size < 60:
        devices.add("one_question")
    if "risk_care" in devices and hits(said[-1], words().risk):
        devices.add("risk_heard")
    return Reading(
        turn=turn,
        text=text,
        size=size,
        picked=picked,
        recalled=recalled,
        echo=echo,
        feelings=feelings,
        gives=gives,
        devices=frozenset(devices),
        questions=questions,
        minimal=not picked and not feelings and not gives and not questions and size < 6,
        repeated=flat(text) in {flat(reply) for reply in replies},
    )


def _gives(text: str, devices: set[str], feelings: frozenset[EmotionLabel], *, personal: bool) -> dict[NeedType, float]:
    """Return the kinds of support in a reply; what has no word of the person's in it is loose."""
    strength = 1.0 if personal else _LOOSE
    found: dict[NeedType, float] = {kind: strength for kind, marks in words().kinds.items() if hits(text, marks)}
    if feelings:
        found["emotional"] = max(found.get("emotional", 0.0), strength)
    if "formula" in devices:
        found["emotional"] = max(found.get("emotional", 0.0), _LOOSE)
    if "advice" in devices:
        # tips are steps and facts of a sort, and company or comfort they are not
        found = {"tangible": max(found.get("tangible", 0.0), _LOOSE)}
        found["informational"] = _LOOSE
    return found
