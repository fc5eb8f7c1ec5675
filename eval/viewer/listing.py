"""The list of episodes: search, filters, order, pages. Pure functions of lines."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any
from urllib.parse import urlencode

from emoharbor.eval.reports.person import person_name
from emoharbor.eval.store.browse import Line
from emoharbor.profiles.schema import PartialProfile

SIZE = 50
"""Episodes on a page."""
ORDERS = ("person", "supporter", "outcome", "turns", "score", "overall", "general", "tailored", "gap")
UNDER_WAY = "under_way"
ANY_FAULT, NO_FAULT = "any", "none"
Said = Mapping[str, Mapping[int, int]]
"""By word or phrase of a search: the numbers of the lines in whose dialogue it was said, each with the first turn."""
_NEEDLE = re.compile(r"\"([^\"]+)\"?|([^\s\"]+)")
"""A phrase in quotation marks, or a word."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of a run is listed. Empty means everything.

    Attributes:
        q: words, or phrases in quotation marks, each of which stands in the person's id or name, the situation, the
            supporter, how it ended, or in a message of either side.
        outcome: an outcome, or `under_way`.
        supporter, person: names.
        dimension: a dimension of the rubric.
        low, high: the least and most it was rated, or, without a dimension, the overall score.
        fault: a kind of fault, `any` or `none`.
        order: one of `ORDERS`; `-` before it turns it round.
        page: counts from 1.
    """

    q: str = ""
    outcome: str = ""
    supporter: str = ""
    person: str = ""
    dimension: str = ""
    low: float | None = None
    high: float | None = None
    fault: str = ""
    order: str = "person"
    page: int = 1

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> "Wanted":
        """Read the address; what makes no sense there is as if it were not there."""
        known = {item.name for item in fields(cls)}
        given: dict[str, Any] = {name: value.strip() for name, value in query.items() if name in known}
        given["low"], given["high"] = _float(given.get("low")), _float(given.get("high"))
        given["page"] = int(page) if (page := given.get("page", "1")).isdecimal() and len(page) < 7 and int(page) else 1
        if given.get("order", "person").removeprefix("-") not in ORDERS:
            given["order"] = "person"
        return cls(**given)

    def query(self, **changes: Any) -> str:
        """Return the address of the same list with something changed; a change of filters goes back to page 1."""
        wanted = replace(self, **({"page": 1} | changes))
        items = {item.name: getattr(wanted, item.name) for item in fields(self)}
        given = {
            name: f"{value:g}" if isinstance(value, float) else value
            for name, value in items.items()
            if value not in ("", None) and (name, value) not in (("order", "person"), ("page", 1))
        }
        return urlencode(given)

    @property
    def filtered(self) -> bool:
        """Whether anything but order and page is asked for."""
        return bool(replace(self, order="person", page=1).query())


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the list.

    Attributes:
        lines: what is on it.
        found: episodes that fit, over all pages.
        page, pages: which of how many.
        facets: for each filter, the choices with their counts in the whole run.
    """

    lines: Sequence[Line]
    found: int
    page: int
    pages: int
    facets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def listed(lines: Sequence[Line], wanted: Wanted, people: Mapping[str, PartialProfile], said: Said) -> Page:
    """Return the page that was asked for; a page past the end is the last one."""
    found = in_order(fitting(lines, wanted, people, said), wanted.order, wanted.dimension)
    pages = max(1, -(-len(found) // SIZE))
    page = min(wanted.page, pages)
    return Page(found[(page - 1) * SIZE : page * SIZE], len(found), page, pages, facets(lines))


def fitting(lines: Iterable[Line], wanted: Wanted, people: Mapping[str, PartialProfile], said: Said) -> list[Line]:
    """Return the lines that fit."""
    texts: dict[str, str] = {}

    def holds(line: Line) -> bool:
        name = line.key.profile
        if name not in texts:
            texts[name] = _text(name, people.get(name))
        about = f"{texts[name]} {line.key.supporter} {line.outcome or UNDER_WAY} {line.reason}".casefold()
        return all(needle.casefold() in about or line.number in there for needle, there in said.items())

    return [line for line in lines if _fits(line, wanted) and (not said or holds(line))]


def said_of(search: str, saying: Callable[[str], Mapping[int, int]]) -> Said:
    """Look each word and phrase of a search up."""
    return {needle: saying(needle) for needle in needles_of(search)}


def first_said(line: Line, said: Said) -> int | None:
    """Return the turn in which the first of the words that were said was said first; None when none was."""
    return next((there[line.number] for there in said.values() if line.number in there), None)


def needles_of(search: str) -> list[str]:
    """Return the words and quoted phrases of a search, each once."""
    found = [phrase.strip() or word for phrase, word in _NEEDLE.findall(search)]
    return list(dict.fromkeys(filter(None, found)))


def _fits(line: Line, wanted: Wanted) -> bool:
    return (
        wanted.outcome in ("", line.outcome or UNDER_WAY)
        and wanted.supporter in ("", line.key.supporter)
        and wanted.person in ("", line.key.profile)
        and _fault_fits(line, wanted.fault)
        and _score_fits(line, wanted)
    )


def _fault_fits(line: Line, fault: str) -> bool:
    if fault in (ANY_FAULT, NO_FAULT):
        return bool(line.faults) == (fault == ANY_FAULT)
    return not fault or fault in line.faults


def _score_fits(line: Line, wanted: Wanted) -> bool:
    if wanted.low is None and wanted.high is None:
        return True
    score = line.dimensions.get(wanted.dimension) if wanted.dimension else line.overall
    if score is None:
        return False
    return (wanted.low is None or score >= wanted.low) and (wanted.high is None or score <= wanted.high)


def in_order(lines: list[Line], order: str, dimension: str = "") -> list[Line]:
    """Return lines in an order; those without the value come last either way. `score` is that of the dimension."""
    name, down = order.removeprefix("-"), order.startswith("-")
    if name == "person":
        return lines[::-1] if down else lines
    of = (lambda line: line.dimensions.get(dimension)) if name == "score" and dimension else _VALUES[name]
    known = sorted((line for line in lines if of(line) is not None), key=of, reverse=down)
    return known + [line for line in lines if of(line) is None]


_VALUES: Mapping[str, Callable[[Line], Any]] = {
    "supporter": lambda line: line.key.supporter,
    "outcome": lambda line: line.outcome and str(line.outcome),
    "turns": lambda line: line.turns,
    "score": lambda line: line.overall,
    "overall": lambda line: line.overall,
    "general": lambda line: line.general,
    "tailored": lambda line: line.tailored,
    "gap": lambda line: line.gap,
}


def facets(lines: Iterable[Line]) -> dict[str, Counter[str]]:
    """Count the choices of each filter."""
    found: dict[str, Counter[str]] = {name: Counter() for name in ("outcome", "supporter", "person", "fault")}
    for line in lines:
        found["outcome"][str(line.outcome or UNDER_WAY)] += 1
        found["supporter"][line.key.supporter] += 1
        found["person"][line.key.profile] += 1
        found["fault"].update(line.faults)
    return found


def neighbours(lines: Sequence[Line], line_key: object) -> tuple[Line | None, Line | None]:
    """Return the lines before and after one."""
    place = next((index for index, line in enumerate(lines) if line.key == line_key), None)
    if place is None:
        return None, None
    return (lines[place - 1] if place else None), (lines[place + 1] if place + 1 < len(lines) else None)


def _text(name: str, profile: PartialProfile | None) -> str:
    if profile is None:
        return name
    situation = f"{profile.situation.title} {profile.situation.problem}" if profile.situation else ""
    return f"{name} {person_name(profile)} {situation}"


def _float(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if abs(value) < 1e6 else None
