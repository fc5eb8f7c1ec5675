"""Further ratings of an episode, a line each: by other judges, once more, as another person."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from emoharbor.eval.reports.glyphs import Glyphs
from emoharbor.eval.reports.inert import one_line
from emoharbor.state.verdict import Judgement, primary

_TEN = ("general", "tailored", "gap")


def shown_whole(judgements: Sequence[Judgement]) -> tuple[Judgement | None, list[Judgement]]:
    """Return the rating that a page shows with its reasons, the run's own if there is one, and all others."""
    first = next(iter((*primary(judgements), *judgements)), None)
    return first, [item for item in judgements if item is not first]


def ratings_table(judgements: Sequence[Judgement], glyphs: Glyphs) -> Table:
    """Return a table of ratings: who rated, as whom, and the means."""
    groups = [name for name in _groups(judgements) if name not in _TEN]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("judge", "as", "log"):
        table.add_column(name, overflow="fold")
    for name in ("repeat", "overall", *_TEN, *groups):
        table.add_column(one_line(name), justify="right")
    for item in judgements:
        who = item.counterfactual or "oneself"
        seen = f"{who} ({item.control})" if item.control else who
        judge = f"{item.judge} {item.judge_id[:6]}".rstrip()
        cells = [one_line(judge), one_line(seen), Text("yes" if item.with_log else "no"), Text(str(item.repeat))]
        table.add_row(*cells, *_means(item, groups, glyphs))
    return table


def _means(item: Judgement, groups: Sequence[str], glyphs: Glyphs) -> list[Text]:
    if item.scores is None:
        return [Text("unscored", "red"), *(Text(glyphs.dash) for _ in range(len(_TEN) + len(groups)))]
    found = item.scores
    means = [found.general, found.tailored, found.gap, *(found.groups.get(name) for name in groups)]
    overall = glyphs.dash if found.overall is None else f"{found.overall:.1f}"
    return [Text(overall), *(Text(glyphs.dash if mean is None else f"{mean:.2f}") for mean in means)]


def _groups(judgements: Sequence[Judgement]) -> list[str]:
    return list(dict.fromkeys(name for item in judgements if item.scores for name in item.scores.groups))
