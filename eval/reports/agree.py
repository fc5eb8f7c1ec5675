"""How far a replay agrees with the people it replays, as tables."""

from collections.abc import Iterator

from emoharbor.eval.replay.figures import Agreement, Compared
from emoharbor.eval.replay.survey import MISSING, Survey
from emoharbor.eval.reports.tables import Cell, Column, Page, Ranged, Sheet
from emoharbor.eval.reports.words import counted
from emoharbor.eval.statistics.bootstrap import Interval


def agree_page(found: Agreement) -> Page:
    """Return the page: what was compared, whether groups are told apart, and what the people said."""
    sheets = [_compared(found), _kappas(found)]
    if found.separated:
        sheets.append(_separated(found))
    sheets += [_surveys(found), _distributions(found)]
    return Page("Agreement with the people", tuple(sheet for sheet in sheets if sheet.rows), tuple(_notes(found)))


_UNITS = {"turn": ", turn by turn", "turn within its dialogue": ", inside a dialogue", "dialogue": ""}


def _compared(found: Agreement) -> Sheet:
    rows = tuple(
        (
            item.theirs + _UNITS[item.unit], item.ours, item.rests_on, item.spearman.n,
            ranged(item.spearman.value, item.spearman.interval),
            _between(item), item.chance.p if item.chance else None,
        )
        for item in found.compared
    )  # fmt: skip
    return Sheet(
        "Do they go together? (Spearman)",
        (
            Column("the people's", "left"), Column("ours", "left"), Column("rests on", "left"),
            Column("n"), Column("rho [95 %]", digits=2, signed=True), Column("by chance"), Column("p", digits=3),
        ),
        rows,
        (
            "Turn feedback against felt understanding is the criterion that is not circular. Inside a dialogue: how "
            "far each value is from its dialogue's mean. By chance: 95 % of shuffles; inside a dialogue only its own "
            "turns are shuffled. Rows that rest on no inner world show what the length of a reply, or where it stands, "
            "says alone. Relief is the fall of the emotion's strength.",
        ),
    )  # fmt: skip


def _between(item: Compared) -> str | None:
    return None if item.chance is None else f"{item.chance.low:+.2f} to {item.chance.high:+.2f}"


def _kappas(found: Agreement) -> Sheet:
    rows = tuple(
        (
            f"{item.theirs} with {item.ours}", item.rests_on, item.kappa.n,
            ranged(item.kappa.value, item.kappa.interval), _percent(item.top_two),
            " ".join(f"{100 * share:.0f}" for share in item.kappa.first),
            " ".join(f"{100 * share:.0f}" for share in item.kappa.second),
        )
        for item in found.compared
        if item.kappa is not None
    )  # fmt: skip
    return Sheet(
        "Do they give the same points? (kappa, quadratic weights)",
        (
            Column("rating", "left"), Column("rests on", "left"), Column("n"),
            Column("kappa [95 %]", digits=2, signed=True), Column("top two"), Column("their points, %"),
            Column("our points, %"),
        ),
        rows,
        ("Top two: share of the people's ratings in the two highest points. Kappa is low by itself where it is high.",),
    )  # fmt: skip


def _separated(found: Agreement) -> Sheet:
    first, second = found.groups or ("", "")
    rows = tuple(
        (item.figure, item.rests_on, *item.area.n, ranged(item.area.value, item.area.interval))
        for item in found.separated
    )
    return Sheet(
        f"Is {first!r} told from {second!r}? (area under the curve; 0.5 tells nothing)",
        (
            Column("figure", "left"), Column("rests on", "left"), Column(first), Column(second),
            Column("area [95 %]", digits=2),
        ),
        rows,
    )  # fmt: skip


def _surveys(found: Agreement) -> Sheet:
    rows = tuple(
        (label, item.dialogues, item.complete, item.turns, item.began_with_supporter, item.with_feedback, item.feedback,
         *(item.means[name].mean if name in item.means else None for name in _MEANS))
        for label, item in found.surveys.items()
    )  # fmt: skip
    heads = ("dialogues", "surveys", "turns", "greeted", "with feedback", "given")
    return Sheet(
        "What the people said: means",
        (Column("group", "left"), *map(Column, heads), *(Column(name, digits=2) for name in _MEANS)),
        rows,
        (
            "Means of complete surveys; of feedback, of every dialogue that has any. Greeted: the supporter spoke "
            "first; that is kept as the greeting and is no turn.",
        ),
    )


_MEANS = ("before", "after", "drop", "empathy", "relevance", "feedback")


def _distributions(found: Agreement) -> Sheet:
    values = sorted({value for item in found.surveys.values() for value in _values(item)} - {MISSING})
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (label, name, *(counts.get(value, 0) for value in values), counts.get(MISSING, 0))
        for label, item in found.surveys.items()
        for name, counts in item.distribution.items()
    )
    return Sheet(
        "What the people said: how often each value",
        (Column("group", "left"), Column("rating", "left"), *map(Column, values), Column(MISSING)),
        rows,
    )


def _values(item: Survey) -> Iterator[str]:
    for counts in item.distribution.values():
        yield from counts


def _notes(found: Agreement) -> Iterator[str]:
    yield f"{found.dialogues} of {found.planned} dialogues are finished and judged."
    yield (
        f"In {found.would_leave} of them the simulated person meant to go while the real one stayed; "
        "the record decides, so they stayed."
    )
    if found.moved:
        which = counted(found.moved, "dialogue")
        yield f"{which} had ratings on another scale; they are brought to that of most, each value in its place."
    for name, count in found.unheard.items():
        yield f"{name!r}, which the people gave {counted(count, 'dialogue')}, is no dimension of the judge's rubric."
    if not any(item.rests_on == "judge, no log" for item in found.compared):
        yield (
            "No rating without the inner-world log is here. Add one: emoharbor judge RUN --without-log, or a replay "
            "with cast.user: [speak], given as --ablation."
        )
    yield found.ceiling


def ranged(value: float | None, interval: Interval | None) -> Ranged:
    """Return a figure with its interval as a cell."""
    return Ranged(value, interval.low if interval else None, interval.high if interval else None)


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.0f} %"
