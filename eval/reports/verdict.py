"""The verdict: ten ratings with reason and quote, the means, the tailoring gap, and how to read it."""

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from emoharbor.eval.reports.glyphs import Glyphs, bar, score_style
from emoharbor.eval.reports.inert import inert, one_line
from emoharbor.state.text import contains
from emoharbor.state.verdict import Evidence, Judgement, Rating, Scores, place_of

_LOW, _HIGH = 1, 5
"""The scale of the bundled rubric; scores on another scale are shown as numbers only."""
_TITLES = {"general": "general: would do anyone good", "tailored": "tailored: meant for this person"}
_FAR = 0.75
"""A gap from here on is called wide in words."""
_GOOD = 3.5
"""A general mean from here on is called good in words."""


def verdict(judgement: Judgement, glyphs: Glyphs, who: str) -> RenderableType:
    """Return one judgement.

    Args:
        judgement: what the judge gave.
        glyphs: what the terminal can show.
        who: name of the person it was rated as.
    """
    if judgement.unscored is not None:
        return Text.assemble(("not scored: ", "bold red"), one_line(judgement.unscored))
    bars = judgement.rubric.startswith("ten/")
    groups = [Padding(_group(name, judgement, glyphs, bars=bars), (0, 0, 1, 0)) for name in _groups(judgement)]
    parts: list[RenderableType] = [*groups]
    if judgement.scores is not None:
        parts.append(summary(judgement.scores, glyphs, who, bars=bars))
    return Group(*parts)


def _groups(judgement: Judgement) -> list[str | None]:
    """The groups in order: general, tailored, then others as they come; the judge was asked in a shuffled order."""
    found = dict.fromkeys(rating.group for rating in judgement.ratings)
    return sorted(found, key=lambda name: list(_TITLES).index(name) if name in _TITLES else len(_TITLES))


def _group(name: str | None, judgement: Judgement, glyphs: Glyphs, *, bars: bool) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0), expand=True)
    ids = [len(rating.dimension) for rating in judgement.ratings]
    grid.add_column(width=min(max(ids), 20), overflow="fold")
    grid.add_column(width=7 if bars else 3, no_wrap=True)
    grid.add_column(ratio=1)
    title = _TITLES.get(name or "", name or "ratings")
    head = Table.grid(expand=True)
    head.add_row(Text(title, "bold"))
    for rating in _in_order(judgement):
        if rating.group == name:
            grid.add_row(one_line(rating.dimension), _score(rating, glyphs, bars=bars), _because(rating, glyphs))
    head.add_row(grid)
    return head


def _in_order(judgement: Judgement) -> list[Rating]:
    return sorted(judgement.ratings, key=lambda rating: place_of(rating.dimension))


def _score(rating: Rating, glyphs: Glyphs, *, bars: bool) -> Text:
    if rating.score is None:
        return Text(glyphs.dash, "dim")
    if not bars:
        return Text(str(rating.score), "bold")
    style = score_style(rating.score, _LOW, _HIGH)
    return Text.assemble(
        (f"{rating.score} ", f"bold {style}"), bar(rating.score, glyphs, top=_HIGH, width=5, style=style)
    )


def _because(rating: Rating, glyphs: Glyphs) -> Text:
    """Give the reason and the words it rests on; words that the reason quotes are not repeated."""
    reason = Text.assemble(inert(rating.reason) if rating.reason else ("no reason given", "dim"))
    quoted = [item for item in rating.evidence if contains(rating.reason, item.quote)]
    for turn in dict.fromkeys(item.turn for item in quoted):
        reason.append(f" (turn {turn})", "dim italic")
    lines = [reason, *(_quote(item, glyphs) for item in rating.evidence if item not in quoted)]
    if rating.evidence_ok is False:
        lines.append(Text("a quote does not stand in the turn it names", "red"))
    return Text("\n").join(lines)


def _quote(item: Evidence, glyphs: Glyphs) -> Text:
    opening, closing = glyphs.quote
    inside = item.quote.strip().removeprefix(opening).removesuffix(closing)
    return one_line(f"{opening}{inside}{closing} (turn {item.turn})", "dim italic")


def summary(scores: Scores, glyphs: Glyphs, who: str, *, bars: bool = True) -> RenderableType:
    """Return the means, the gap and one sentence on how to read them."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    for name, mean in (("general", scores.general), ("tailored", scores.tailored)):
        grid.add_row(Text(name), *_mean(mean, glyphs, bars=bars))
    gap = glyphs.dash if scores.gap is None else f"{scores.gap:+.2f}"
    grid.add_row(Text("tailoring gap"), Text(gap, "bold"), Text("general minus tailored", "dim"))
    overall = glyphs.dash if scores.overall is None else f"{scores.overall:.1f}"
    grid.add_row(Text("overall", "bold"), Text(overall, "bold"), Text("of 100", "dim"))
    return Group(grid, Text(""), Text(reading(scores, who)))


def _mean(mean: float | None, glyphs: Glyphs, *, bars: bool) -> tuple[Text, Text]:
    if mean is None:
        return Text(glyphs.dash), Text("more than one rating is missing", "dim")
    if not bars:
        return Text(f"{mean:.2f}"), Text("")
    style = score_style(mean, _LOW, _HIGH)
    return Text(f"{mean:.2f}", f"bold {style}"), bar(mean, glyphs, top=_HIGH, width=10, style=style)


def reading(scores: Scores, who: str) -> str:
    """Return one sentence on how to read the gap of one episode."""
    if scores.gap is None or scores.general is None:
        return "How to read it: without both group means there is no tailoring gap."
    good = scores.general >= _GOOD
    pleased = "it was good support in general" if good else "it was of little help in general"
    if scores.gap >= _FAR:
        says = f"{pleased}, and {'much' if good else 'still'} less of it was meant for {who}"
    elif scores.gap <= -_FAR:
        says = f"it fitted {who} better than it pleased in general"
    else:
        says = f"{pleased}, and about as much of it was meant for {who}"
    return f"How to read it: a gap of {scores.gap:+.2f} says that {says}."
