"""A set of people at a glance: tables, and the same as data."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from emoharbor.eval.reports.inert import one_line
from emoharbor.eval.reports.words import counted
from emoharbor.profiles.schema import Profile
from emoharbor.profiles.similarity import Pair, pairs, story, voice
from emoharbor.profiles.stats import LABELS, NUMBERS, correlations, counts, prose_words, spread

NEAREST = 5
"""Pairs that are shown."""


def people_stats(people: Sequence[Profile]) -> dict[str, Any]:
    """Return counts, spreads, correlations, lengths and likeness as data."""
    numbers = {name: asdict(spread([measure(profile) for profile in people])) for name, measure in NUMBERS.items()}
    return {
        "people": len(people),
        "numbers": numbers,
        "words": asdict(spread([prose_words(profile) for profile in people])),
        "guarded": asdict(spread([len(profile.situation.guarded) for profile in people])),
        "correlations": [
            {"first": first, "second": second, "r": value} for (first, second), value in correlations(people).items()
        ],
        "counts": {name: dict(counts(people, label)) for name, label in LABELS.items()},
        "likeness": {"stories": _likeness(pairs(people, story)), "voices": _likeness(pairs(people, voice))},
    }


def people_overview(stats: Mapping[str, Any]) -> RenderableType:
    """Return the tables."""
    title = (
        f"{counted(stats['people'], 'person', 'people')}, {_figure(stats['words']['mean'], '.0f')} words each, "
        f"{_figure(stats['guarded']['mean'], '.1f')} held back"
    )
    return Group(
        Text(title, "bold"), _numbers(stats), _correlations(stats["correlations"]), _counts(stats["counts"]),
        *(_nearest(name, found) for name, found in stats["likeness"].items()),
    )  # fmt: skip


def _likeness(found: Sequence[Pair]) -> dict[str, Any]:
    mean = sum(pair.similarity for pair in found) / len(found) if found else None
    return {"pairs": len(found), "mean": mean, "nearest": [asdict(pair) for pair in found[:NEAREST]]}


def _numbers(stats: Mapping[str, Any]) -> Table:
    table = Table("", "mean", "sd", "lowest", "highest", box=SIMPLE_HEAD, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for name, item in {**stats["numbers"], "words": stats["words"], "guarded facts": stats["guarded"]}.items():
        figures = zip(("mean", "sd", "low", "high"), (".1f", ".1f", "g", "g"), strict=True)
        table.add_row(Text(name), *(_figure(item[key], form) for key, form in figures))
    return table


def _figure(value: float | None, form: str) -> str:
    """Return a figure as text; one that is not defined is no 0."""
    return "-" if value is None else format(value, form)


def _correlations(found: Sequence[Mapping[str, Any]]) -> Table:
    names = list(dict.fromkeys(item[end] for item in found for end in ("first", "second")))
    value = {(item["first"], item["second"]): item["r"] for item in found}
    table = Table("r", *(name[:4] for name in names[1:]), box=SIMPLE_HEAD, pad_edge=False)
    for row in names[:-1]:
        cells = (_figure(value[row, name], "+.2f") if (row, name) in value else "" for name in names[1:])
        table.add_row(Text(row), *cells)
    return table


def _counts(found: Mapping[str, Mapping[str, int]]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, values in found.items():
        table.add_row(Text(name), one_line(", ".join(f"{value} {count}" for value, count in values.items())))
    return table


def _nearest(name: str, found: Mapping[str, Any]) -> Text:
    nearest = ", ".join(f"{pair['first']} {pair['second']} {pair['similarity']:.3f}" for pair in found["nearest"])
    if not found["pairs"]:
        return one_line(f"{name}: no pairs to compare")
    return one_line(f"{name}: mean likeness of {found['pairs']} pairs {found['mean']:.4f}; nearest: {nearest}")
