"""The leaderboard as tables: means beside their intervals and denominators, and in words who is not told apart."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from emoharbor.eval.reports.formats import drawn
from emoharbor.eval.reports.glyphs import Glyphs
from emoharbor.eval.reports.leaderboard_more import group_sheet, personal_sheet, slice_sheets
from emoharbor.eval.reports.tables import Cell, Column, Page, Ranged, Sheet
from emoharbor.eval.reports.words import counted
from emoharbor.eval.statistics.rows import Leaderboard, Neighbours, Share, SupporterRow
from emoharbor.eval.statistics.scores import Failures
from emoharbor.state.outcome import Outcome

NAME = Column("supporter", "left")
SUMS = ("valid", "sound")
"""The two figures of the audit that stand beside the scores."""
SOUND = 0.9
"""A supporter with less than this share of sound episodes is marked."""
TREATMENTS: dict[Failures, str] = {
    "lowest": "a supporter failure counts as the lowest score on every dimension",
    "exclude": "episodes in which the supporter failed are left out",
    "worst": "failures and everything else without a score (invalid, unscored, null) count as the lowest",
}


def leaderboard_table(board: Leaderboard, glyphs: Glyphs) -> RenderableType:
    """Return the board for a terminal."""
    return drawn(leaderboard_page(board), glyphs)


def short_table(board: Leaderboard, glyphs: Glyphs) -> RenderableType:
    """Return what stands at the end of a run, for a terminal."""
    return drawn(short_page(board), glyphs)


def short_page(board: Leaderboard) -> Page:
    """Return what stands at the end of a run: the means, and what they rest on."""
    return Page("Leaderboard", (_means(board), _counts(board)), tuple(_notes(board)))


def leaderboard_page(board: Leaderboard) -> Page:
    """Return the board as tables."""
    sheets = [_means(board)]
    if any(row.reported for row in board.supporters):
        sheets.append(_reported(board))
    if any(row.dimensions for row in board.supporters):
        sheets.append(_dimensions(board))
    sheets += [_counts(board), _outcomes(board)]
    if any(row.validity for row in board.supporters):
        sheets.append(_validity(board))
    if any(row.overall_if for row in board.supporters):
        sheets.append(_sensitivity(board))
    if board.personal:
        sheets.append(personal_sheet(board))
    sheets += slice_sheets(board)
    if board.groups is not None:
        sheets.append(group_sheet(board.groups))
    return Page("Leaderboard", tuple(sheets), tuple(_notes(board)))


def _means(board: Leaderboard) -> Sheet:
    controlled = any(row.personal_effect is not None for row in board.supporters)
    others = list(dict.fromkeys(name for row in board.supporters for name in row.groups))
    columns = [
        NAME, Column("rank", digits=0), Column("n"), Column("overall", digits=1), Column("general", digits=2),
        Column("tailored", digits=2), Column("gap", digits=2, signed=True),
        *(Column(name, digits=2) for name in others),
    ]  # fmt: skip
    if not any(row.general is not None or row.tailored is not None for row in board.supporters):
        columns = [column for column in columns if column.name not in ("general", "tailored", "gap")]
    if controlled:
        columns.append(Column("personal effect", digits=2, signed=True))
    if any(row.validity for row in board.supporters):
        columns += [Column(f"{name}, %", digits=0, brief=True) for name in SUMS]
    rows = [_means_row(row, [column.name for column in columns]) for row in board.supporters]
    return Sheet(_title(board), tuple(columns), tuple(rows))


def _title(board: Leaderboard) -> str:
    rated = f", rated by {board.judge}" if board.judge else ""
    return f"{counted(len(board.supporters), 'supporter')}, {counted(board.people, 'person', 'people')}{rated}"


def _means_row(row: SupporterRow, columns: Sequence[str]) -> tuple[Cell, ...]:
    low, high = row.rank_ci or (None, None)
    cells: dict[str, Cell] = {
        "rank": Ranged(row.rank, low, high, "*" if row.rank_changes else ""),
        "supporter": row.name,
        "n": row.n,
        "overall": Ranged(row.overall, *(row.overall_ci or (None, None))),
        "general": row.general,
        "tailored": row.tailored,
        "gap": row.gap,
        "personal effect": Ranged(row.personal_effect, *(row.personal_effect_ci or (None, None))),
    }
    for name in SUMS:
        found = row.validity.get(name, Share(share=None, ci=None, n=0))
        shaky = name == "sound" and found.share is not None and found.share < SOUND
        ends = found.ci or (None, None)
        cells[f"{name}, %"] = Ranged(_percent(found.share), _percent(ends[0]), _percent(ends[1]), "!" if shaky else "")
    return tuple(cells[name] if name in cells else row.groups.get(name) for name in columns)


def _reported(board: Leaderboard) -> Sheet:
    rows = []
    for row in board.supporters:
        found = row.reported
        rows.append((
            row.name, found.n if found else 0,
            Ranged(found.distress_change, *(found.distress_change_ci or (None, None))) if found else None,
            found.trust_end if found else None, _percent(found.facts if found else None),
            _percent(found.needs if found else None),
        ))  # fmt: skip
    columns = (
        Column("simulator-reported", "left"), Column("n"), Column("change of distress", digits=2, signed=True),
        Column("trust at end", digits=2), Column("facts told, %", digits=0), Column("needs met, %", digits=0),
    )  # fmt: skip
    note = "Read from the inner world of completed episodes, not rated. Distress and trust run from 0 to 10."
    return Sheet("What the inner world says", columns, tuple(rows), (note,))


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _dimensions(board: Leaderboard) -> Sheet:
    """One line a dimension, one column a supporter: ten names do not fit side by side."""
    names = list(dict.fromkeys(name for row in board.supporters for name in row.dimensions))
    columns = (Column("dimension", "left"), *(Column(row.name, digits=2) for row in board.supporters))
    rows = tuple((name, *(row.dimensions.get(name) for row in board.supporters)) for name in names)
    return Sheet("Dimensions", columns, rows, tuple(_nulls(board)))


def _nulls(board: Leaderboard) -> Iterator[str]:
    """Say where a mean rests on fewer episodes than the supporter's n."""
    found = [
        f"{row.name} {name} {row.dimensions_n[name]} of {row.n}"
        for row in board.supporters
        for name in row.dimensions
        if row.dimensions_n.get(name, row.n) < row.n
    ]
    found += [
        f"{row.name} {name} {row.ns[name]} of {row.n}"
        for row in board.supporters
        for name in ("general", "tailored")
        if row.n and getattr(row, name) is not None and row.ns.get(name, row.n) < row.n
    ]
    if found:
        yield f"Null where the judge gave none; these rest on fewer episodes: {'; '.join(found)}."


def _counts(board: Leaderboard) -> Sheet:
    heads = ("planned", "scored", "failed", "invalid", "unfinished", "unscored")
    rows = tuple((row.name, *(getattr(row.counts, head) for head in heads)) for row in board.supporters)
    return Sheet("Denominators", (Column("episodes", "left"), *(Column(head) for head in heads)), rows)


def _outcomes(board: Leaderboard) -> Sheet:
    found = [name for name in (*Outcome, "none") if any(row.outcomes.get(name) for row in board.supporters)]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (row.name, *(row.outcomes.get(name, 0) for name in found)) for row in board.supporters
    )
    return Sheet("How episodes ended", (Column("ended", "left"), *(Column(str(name)) for name in found)), rows)


def _validity(board: Leaderboard) -> Sheet:
    """With intervals for the two that sum up; what was found, as it is."""
    names = list(dict.fromkeys(name for row in board.supporters for name in row.validity))
    rows = tuple(
        (row.name, _audited(row), *(_share(row.validity.get(name), name) for name in names)) for row in board.supporters
    )
    columns = (
        Column("simulated user", "left"),
        Column("episodes"),
        *(Column(f"{name.replace('_', ' ')}, %", digits=0 if name in SUMS else 1) for name in names),
    )
    notes = (
        "Audit of the simulated user, share of episodes (clamped: of moves of distress and trust): how far the scores "
        "can be believed. sound: valid, and without any finding; `emoharbor audit` names each.",
    )
    return Sheet("Validity", columns, rows, notes)


def _audited(row: SupporterRow) -> int:
    return max((share.n for name, share in row.validity.items() if name in SUMS), default=0)


def _share(found: Share | None, name: str) -> Cell:
    if found is None or found.share is None:
        return None
    if name not in SUMS or found.ci is None:
        return 100 * found.share
    return Ranged(100 * found.share, 100 * found.ci[0], 100 * found.ci[1])


def _sensitivity(board: Leaderboard) -> Sheet:
    names: tuple[Failures, ...] = ("lowest", "exclude", "worst")
    columns = [NAME]
    for name in names:
        columns += [Column(f"{name}: overall", digits=1), Column("rank")]
    rows = tuple(
        (row.name, *(cell for name in names for cell in _under(row, name))) for row in board.supporters
    )  # fmt: skip
    notes = [f"{name}: {TREATMENTS[name]}." for name in names]
    if any(row.rank_if["worst"] != row.rank_if["lowest"] for row in board.supporters):
        notes.append("Under `worst` some ranks differ: what is missing could decide them.")
    return Sheet("How much hangs on what has no score", tuple(columns), rows, tuple(notes))


def _under(row: SupporterRow, failures: Failures) -> tuple[Cell, Cell]:
    return row.overall_if.get(failures), row.rank_if.get(failures)


def _notes(board: Leaderboard) -> Iterator[str]:
    yield from told_apart(board)
    yield (
        f"n episodes each; means over people, each the mean of their repeats; {TREATMENTS[board.failures]}. Overall is "
        "0 to 100, group means are on the rubric's scale, the gap is general minus tailored: compare it between "
        "supporters. Ranks stand with the best and worst rank that the tests leave open."
    )
    if any(row.rank_changes and row.rank is not None for row in board.supporters):
        other = "exclude" if board.failures == "lowest" else "lowest"
        yield f"* The rank changes with `--failures {other}`."
    if any(row.validity for row in board.supporters):
        yield (
            "valid, sound: share of episodes in which the simulated user did not break, and kept to its part "
            f"throughout; ! below {SOUND:.0%}."
        )
    yield board.how.intervals()
    yield f"{board.how.flips()} Holm's correction over all pairs of the table."
    yield from board.notes
    if len(board.runs) > 1:
        yield f"Joined from {', '.join(board.runs)}."


def told_apart(board: Leaderboard) -> Iterator[str]:
    """Say which neighbours cannot be told apart, and which can."""
    alike = [pair for pair in board.neighbours if pair.alike]
    apart = [pair for pair in board.neighbours if not pair.alike]
    for pair in alike:
        yield f"{pair.first} and {pair.second} cannot be told apart: {_difference(pair)}."
    if apart:
        pairs = "; ".join(f"{pair.first} above {pair.second} ({_difference(pair)})" for pair in apart)
        yield f"Told apart: {pairs}."


def _difference(pair: Neighbours) -> str:
    if pair.difference is None:
        return "no person has a score from both"
    ends = f" [{pair.difference_ci[0]:+.1f}, {pair.difference_ci[1]:+.1f}]" if pair.difference_ci else ""
    p = "" if pair.p_holm is None else f", Holm p {_p(pair.p_holm)}"
    return f"{pair.difference:+.1f}{ends}{p}, {counted(pair.people, 'person', 'people')}"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
