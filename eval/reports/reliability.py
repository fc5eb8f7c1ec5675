"""How far the ratings of a run can be relied on, as tables."""

from collections.abc import Iterator

from emoharbor.eval.reports.tables import Cell, Column, Page, Ranged, Sheet
from emoharbor.eval.reports.words import counted
from emoharbor.eval.statistics.bootstrap import Interval
from emoharbor.eval.statistics.icc import Icc
from emoharbor.eval.statistics.reliability_rows import Reliability

FEW_SUPPORTERS = 5


def reliability_page(found: Reliability) -> Page:
    """Return it as tables; what could not be computed stands in the last, with its reason."""
    sheets = [_shares(found), _noise(found), _between(found), _agreement(found), _halves(found), _simulators(found)]
    kept = [sheet for sheet in sheets if sheet.rows]
    if found.missing:
        columns = (Column("not computed", "left"), Column("why", "left"))
        kept.append(Sheet("Missing", columns, tuple((item.what, item.why) for item in found.missing)))
    return Page("Reliability", tuple(kept), tuple(_notes(found)))


def _shares(found: Reliability) -> Sheet:
    columns = (
        Column("figure", "left"), Column("source of variance", "left"), Column("share, %", digits=1),
        Column("variance", digits=3),
    )  # fmt: skip
    rows = tuple(
        (
            figure if index == 0 else "",
            item.term,
            Ranged(100 * item.share, *_ends(item.interval, 100), "*" if item.truncated else ""),
            item.variance,
        )
        for figure, shares in found.shares.items()
        for index, item in enumerate(shares.shares)
    )
    notes = [
        "Completed, scored episodes. profile x supporter: how much it depends on the match of the two; repeat: "
        "another talk of the same two.",
        "Random effects, Henderson's method I; intervals resample people. Of the scores of people and supporters "
        "like these; a factor with two or three levels is nearly unknown.",
    ]
    if any(item.truncated for shares in found.shares.values() for item in shares.shares):
        notes.append("* Estimated below 0, and shown as 0.")
    return Sheet("Where the variance of scores comes from", columns, rows, tuple(notes))


def _noise(found: Reliability) -> Sheet:
    columns = (
        Column("judge", "left"), Column("log", "left"), Column("episodes"), Column("ratings"),
        Column("difference of two", digits=1), Column("ICC(1,1)", digits=2), Column("ICC(1,k)", digits=2),
    )  # fmt: skip
    rows = tuple(
        (
            item.judge, _log(with_log=item.with_log), item.n, item.repeats,
            Ranged(item.size, *(item.size_ci or (None, None))), _icc(item.single), _icc(item.mean),
        )
        for item in found.noise
    )  # fmt: skip
    note = "The same episode rated again, overall: mean difference of two ratings without sign, 0 to 100."
    return Sheet("Judge noise", columns, rows, (note,))


def _between(found: Reliability) -> Sheet:
    columns = (
        Column("judges", "left"), Column("log", "left"), Column("episodes"), Column("ICC(2,1)", digits=2),
        Column("ICC(3,1)", digits=2), Column("order of supporters", digits=2),
    )  # fmt: skip
    rows = tuple(
        (
            ", ".join(item.judges), _log(with_log=item.with_log), item.agreement.n if item.agreement else 0,
            _icc(item.agreement), _icc(item.consistency),
            Ranged(item.ranks.value, *_ends(item.ranks.interval)) if item.ranks else None,
        )
        for item in found.between
    )  # fmt: skip
    notes = (
        "Overall. ICC(2,1): a single rating by any such judge; ICC(3,1): each judge's own level taken off; order: "
        "Spearman's correlation of supporter means of the first two judges.",
    )
    return Sheet("Agreement between judges", columns, rows, notes)


def _agreement(found: Reliability) -> Sheet:
    columns = (
        Column("raters", "left"), Column("dimension", "left"), Column("episodes"), Column("alpha", digits=2),
        Column("weighted kappa", digits=2),
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    before = ""
    for item in found.agreement:
        rows.append((
            "" if item.raters == before else item.raters, item.dimension, item.n,
            Ranged(item.alpha, *(item.alpha_ci or (None, None))),
            Ranged(item.kappa, *(item.kappa_ci or (None, None))),
        ))  # fmt: skip
        before = item.raters
    notes = (
        "alpha: Krippendorff's, ordinal; kappa: quadratic weights, for two raters. Both are low where nearly all "
        "episodes deserve the same score, however well raters agree.",
    )
    return Sheet("Agreement by dimension", columns, tuple(rows), notes)


def _halves(found: Reliability) -> Sheet:
    columns = (
        Column("figure", "left"), Column("people"), Column("supporters"), Column("half against half", digits=2),
        Column("reliability", digits=2),
    )  # fmt: skip
    rows = tuple(
        (
            item.figure, item.found.n, item.found.k, item.found.half,
            Ranged(item.found.reliability, *_ends(item.found.interval)),
        )
        for item in found.halves
    )  # fmt: skip
    notes = [
        "Supporter means over random halves of the people, stepped up by Spearman-Brown; interval of Feldt (F). A "
        "supporter's failure counts as the lowest score.",
    ]
    if any(item.found.k < FEW_SUPPORTERS for item in found.halves):
        notes.append(f"Of fewer than {FEW_SUPPORTERS} supporters it says little: one that stands apart decides it.")
    return Sheet("Would other people order the supporters alike?", columns, rows, tuple(notes))


def _simulators(found: Reliability) -> Sheet:
    columns = (
        Column("run A", "left"), Column("run B", "left"), Column("figure", "left"),
        Column("order of supporters", digits=2), Column("B - A", digits=2, signed=True),
    )  # fmt: skip
    rows = tuple(
        (
            item.first, item.second, item.figure, Ranged(item.ranks.value, *_ends(item.ranks.interval)),
            Ranged(item.shift, *(item.shift_ci or (None, None))),
        )
        for item in found.simulators
    )  # fmt: skip
    notes = ("Supporter means of the same people played by somebody else: Spearman's correlation, and the shift.",)
    return Sheet("Another simulator", columns, rows, notes)


def _notes(found: Reliability) -> Iterator[str]:
    yield (
        f"{counted(found.ratings, 'rating')} as oneself of {counted(found.episodes, 'episode')}, by "
        f"{', '.join(found.judges) or 'nobody'}; rubric {found.rubric}."
    )
    yield (
        f"{found.how.level:.0%} intervals: bootstrap over people, {found.how.resamples:,} resamples, seed "
        f"{found.how.seed}; of ICC and of reliability by F."
    )


def _icc(found: Icc | None) -> Ranged | None:
    return None if found is None else Ranged(found.value, *_ends(found.interval))


def _ends(interval: Interval | None, times: float = 1) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (times * interval.low, times * interval.high)


def _log(*, with_log: bool) -> str:
    return "with" if with_log else "without"
