"""Agreement with people who rated by hand, as tables."""

from emoharbor.eval.rating.agree import ALL, JUDGE, ByHand, Matched
from emoharbor.eval.reports.agree import ranged
from emoharbor.eval.reports.tables import Cell, Column, Page, Sheet
from emoharbor.eval.reports.words import counted


def raters_page(found: ByHand) -> Page:
    """Return the page: the judge with each rater, raters with one another, over all questions and one by one."""
    whole = [item for item in found.matched if item.dimension == ALL]
    single = [item for item in found.matched if item.dimension != ALL]
    sheets = [_pairs("All questions together", whole), _pairs("Question by question", single), _alphas(found)]
    judge = f"The judge is {found.judge}." if found.judge else "The judge rated on another rubric, so it is left out."
    notes = (
        f"Pack {found.pack}: {counted(found.dialogues, 'dialogue')}, raters {', '.join(found.raters)}. {judge}",
        "top two of second: share of the two highest points among the second's ratings. Kinder: how many points the "
        "first gives more. Over all questions, intervals resample whole dialogues.",
        found.ceiling,
    )
    return Page("Agreement with ratings by hand", tuple(sheet for sheet in sheets if sheet.rows), notes)


def _pairs(title: str, found: list[Matched]) -> Sheet:
    return Sheet(
        title,
        (
            Column("question", "left"), Column("first", "left"), Column("second", "left"), Column("n"),
            Column("rho [95 %]", digits=2, signed=True), Column("kappa [95 %]", digits=2, signed=True),
            Column("top two of second"), Column("kinder", digits=2, signed=True),
        ),
        tuple(_row(item) for item in sorted(found, key=lambda item: item.first != JUDGE)),
    )  # fmt: skip


def _row(item: Matched) -> tuple[Cell, ...]:
    return (
        item.dimension, item.first, item.second, item.n, ranged(item.spearman.value, item.spearman.interval),
        ranged(item.kappa.value, item.kappa.interval) if item.kappa else None,
        None if item.top_two is None else f"{100 * item.top_two:.0f} %", item.difference,
    )  # fmt: skip


def _alphas(found: ByHand) -> Sheet:
    return Sheet(
        "Raters with one another (Krippendorff's alpha, ordinal)",
        (Column("question", "left"), Column("n"), Column("alpha [95 %]", digits=2, signed=True)),
        tuple((item.dimension, item.alpha.n, ranged(item.alpha.value, item.alpha.interval)) for item in found.together),
    )
