"""SAGE (Tencent, MIT): one JSON object a line with player, scene, task, first_talk; all Chinese.

The hidden need (`task`) is written out inside `scene` in every profile, and what would lift or lower the feeling is
spelled out around it. All that goes into `sheet.hidden`, which the role that writes the messages never sees; the story
keeps what happened. A sentence of the story that quotes the need, or says what the person wants to hear, is taken out
as well; a paraphrase without either mark may remain.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from emoharbor.profiles.importers.fields import BadRowError, joined, known, number, origin, text
from emoharbor.profiles.schema import PartialProfile, Sheet
from emoharbor.state.text import contains, shares_a_run

SOURCE = "SAGE, Sentient Agent as a Judge (github.com/Tencent/digitalhuman)"
_HEADING = re.compile(r"^[ \t]*[*#]+[ \t]*([^:\uff1a\n]{1,12})[:\uff1a][ \t]*(.*)$", re.MULTILINE)
"""A starred heading of the persona sheet and what stands on its line."""
_REACTS = re.compile(r"隐藏主题|emotion|不同状态|NPC[^。]*回复", re.IGNORECASE)
"""From the first line that speaks of the need, or of how the person reacts, nothing of the scene may be shown."""
_UNSHOWN = ("隐藏", "NPC")
"""Marks of sentences that say what is hidden, or what the person wants of the listener (`NPC`)."""
_SENTENCE = re.compile(r"[^。\uff01\uff1f\n]*[。\uff01\uff1f]?\n?")
_PERSONA, _MANNER = ("个人爱好", "习惯和行为特点"), ("说话风格", "说话方式")


def read_sage(row: Mapping[str, Any]) -> PartialProfile:
    """Return one person of SAGE.

    Raises:
        BadRowError: when a field is missing, or when the story cannot be told apart from the hidden need.
    """
    task, scene = text(row, "task"), text(row, "scene")
    player = dict(_blocks(text(row, "player")))
    story, reactions = _parted(scene)
    sheet = Sheet(
        name=known(player.get("姓名")),
        age=number((player.get("年龄") or "").removesuffix("岁")),
        gender=known(player.get("性别")),
        occupation=known(player.get("职业")),
        persona=joined(_shown(player.get(name, ""), task) for name in _PERSONA),
        manner=joined(_shown(player.get(name, ""), task) for name in _MANNER),
        story=_shown(story, task) or None,
        hidden=joined((task, _traits(row), reactions)),
        opening=text(row, "first_talk"),
    )
    if sheet.story is None:
        raise BadRowError("field 'scene' tells nothing before the hidden need")
    return PartialProfile(
        id=text(row, "id"), language="zh", sheet=sheet, provenance=origin(SOURCE, "MIT", sheet.model_dump())
    )


def _blocks(player: str) -> Iterator[tuple[str, str]]:
    headings = list(_HEADING.finditer(player))
    ends = [*(heading.start() for heading in headings[1:]), len(player)]
    for heading, end in zip(headings, ends, strict=True):
        yield heading[1].strip(), f"{heading[2]}\n{player[heading.end() : end]}".strip()


def _parted(scene: str) -> tuple[str, str]:
    """What happened, and all from the first line that speaks of reactions or of the hidden need."""
    lines = scene.splitlines(keepends=True)
    cut = next((at for at, line in enumerate(lines) if _REACTS.search(line)), len(lines))
    while cut and lines[cut - 1].lstrip().startswith(("#", "---")):
        cut -= 1  # the heading above belongs to what follows
    return "".join(lines[:cut]).strip(), "".join(lines[cut:]).strip()


def _shown(found: str, task: str) -> str:
    """The text without sentences that speak of the hidden need."""
    kept = [
        sentence
        for sentence in _SENTENCE.findall(found)
        if not (shares_a_run(sentence, task) or any(contains(sentence, mark) for mark in _UNSHOWN))
    ]
    return "".join(kept).strip()


def _traits(row: Mapping[str, Any]) -> str | None:
    group = row.get("cha_group")
    traits = [item for item in group if isinstance(item, str)] if isinstance(group, list) else []
    family = row.get("main_cha")
    return "、".join([*([family] if isinstance(family, str) else []), *traits]) or None
