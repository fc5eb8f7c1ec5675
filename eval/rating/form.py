"""The form a rater fills in: one HTML file that works from disk, without any network and without storing anything.

Whatever stands in dialogues and profiles is escaped text. A content security policy lets the page's own script run and
nothing else, so that text could not do anything even if it were not.
"""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from emoharbor.eval.rating.pack import Pack
from emoharbor.eval.record import EpisodeRecord
from emoharbor.nodes.rendering import known_inside, taste
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.dialogue import Exchange


@dataclass(frozen=True, slots=True)
class Block:
    """A heading and the text below it."""

    head: str
    text: str


@dataclass(frozen=True, slots=True)
class Shown:
    """One dialogue as a rater sees it: the person, and what was said; not who supported, nor any inner world."""

    item: str
    person: Sequence[Block]
    talk: Sequence[Exchange]


def shown(item: str, record: EpisodeRecord, person: PartialProfile) -> Shown:
    """Return what a rater sees of an episode."""
    talk = [
        Exchange(turn=number, user=turn.user, supporter=turn.supporter)
        for number, turn in enumerate(record.turns)
        if turn.user is not None
    ]
    return Shown(item, _blocks("\n\n".join(part for part in (known_inside(person), taste(person)) if part)), talk)


def form(pack: Pack, rater: str, dialogues: Mapping[str, Shown]) -> str:
    """Return one rater's form.

    Args:
        pack: the pack.
        rater: whose.
        dialogues: by item, as `shown` has them.
    """
    script, style = _text("form.js"), _text("form.css")
    return _template().render(
        pack=pack,
        rater=rater,
        dialogues=[dialogues[item] for item in pack.orders[rater]],
        script=Markup(script),  # noqa: S704 - our own file
        style=Markup(style),  # noqa: S704 - our own file
        script_hash=_hash(script),
        style_hash=_hash(style),
    )


def _blocks(text: str) -> list[Block]:
    """Cut the role's text at its headings."""
    found: list[Block] = []
    for part in text.split("## "):
        head, _, rest = part.partition("\n")
        if part.strip():
            found.append(Block(head.strip(), rest.strip()))
    return found


@cache
def _template() -> Template:
    # everything is escaped; the two files of ours are marked as safe above
    env = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return env.from_string(_text("form.html"))


def _text(name: str) -> str:
    return files("emoharbor.eval.rating").joinpath("static", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
