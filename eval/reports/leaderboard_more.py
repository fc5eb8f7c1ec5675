"""The leaderboard's further tables: the personal effect, groups of people, groups of dimensions."""

from collections.abc import Iterator

from emoharbor.eval.reports.tables import Cell, Column, Ranged, Sheet
from emoharbor.eval.statistics.groups import GroupCheck
from emoharbor.eval.statistics.personal import PersonalEffect
from emoharbor.eval.statistics.rows import Leaderboard, Slice

_CONTROLS = {
    "person": "as another person in the same situation",
    "profile": "as another person with their own situation",
    "replay": "from the feelings and thoughts another person had in the same talk",
}


def personal_sheet(board: Leaderboard) -> Sheet:
    """Return the personal effect of each supporter, its noise floor, and whether it is none within the bound."""
    columns = (
        Column("supporter", "left"), Column("control", "left"), Column("judge", "left"), Column("n"),
        Column("personal effect", digits=2, signed=True), Column("noise floor", digits=2, signed=True),
        Column("size of noise", digits=2), Column("90 %, for none", digits=2, signed=True),
        Column("none", "left"),
    )  # fmt: skip
    judges = {(item.judge, item.judge_id) for item in board.personal}
    kept = [column for column in columns if column.name != "judge" or len(judges) > 1]
    rows = tuple(_personal_row(item, [column.name for column in kept]) for item in _by_rank(board))
    return Sheet("Personal effect", tuple(kept), rows, tuple(_personal_notes(board)))


def _by_rank(board: Leaderboard) -> list[PersonalEffect]:
    """Judge by judge and control by control as they come, supporters as on the board."""
    kinds = list(dict.fromkeys((item.judge_id, item.control) for item in board.personal))
    places = [row.name for row in board.supporters]
    return sorted(board.personal, key=lambda x: (kinds.index((x.judge_id, x.control)), places.index(x.supporter)))


def _personal_row(item: PersonalEffect, columns: list[str]) -> tuple[Cell, ...]:
    tested = item.equivalence
    cells: dict[str, Cell] = {
        "supporter": item.supporter, "control": item.control, "judge": item.judge, "n": item.n,
        "personal effect": Ranged(item.effect, *(item.effect_ci or (None, None))),
        "noise floor": Ranged(item.floor, *(item.floor_ci or (None, None))),
        "size of noise": item.floor_size,
        "90 %, for none": Ranged(tested.difference, tested.interval.low, tested.interval.high) if tested else None,
        "none": None if tested is None else "yes" if tested.equivalent else "not shown",
    }  # fmt: skip
    return tuple(cells[name] for name in columns)


def _personal_notes(board: Leaderboard) -> Iterator[str]:
    yield (
        "(tailored as oneself minus as the other) minus (general as oneself minus as the other), in points of the "
        "rubric's scale, over completed episodes that were rated both ways, by one judge, without the log (replay: "
        "with the replayed one)."
    )
    for name in dict.fromkeys(item.control for item in board.personal):
        yield f"{name}: rated {_CONTROLS[name]}."
    yield "Noise floor: the same difference between two ratings as oneself; its size is the mean without sign."
    if board.how.bound is not None:
        yield (
            f"none: yes when the 90 % interval (t; two one-sided tests) lies inside plus and minus "
            f"{board.how.bound:g}, the bound stated with --bound."
        )


def slice_sheets(board: Leaderboard) -> list[Sheet]:
    """Return the table of the people's groups, when there are any: a row a group and supporter."""
    if not board.slices:
        return []
    by = board.slices[0].by
    columns = (
        Column(by, "left"), Column("people"), Column("supporter", "left"), Column("n"), Column("overall", digits=1),
        Column("general", digits=2), Column("tailored", digits=2), Column("gap", digits=2, signed=True),
    )  # fmt: skip
    rows = tuple(row for item in board.slices for row in _slice_rows(item))
    notes = [
        "Many groups, few people each: intervals are not corrected, and a difference found here is a question for "
        "another run, not a finding."
    ]
    if by in ("coping", "trait"):
        notes.append("One person may be in several groups.")
    if by == "trait":
        notes.append("high: 50 or more of 100.")
    return [Sheet(f"By {by}", columns, rows, tuple(notes))]


def _slice_rows(item: Slice) -> Iterator[tuple[Cell, ...]]:
    for index, cell in enumerate(item.supporters):
        yield (
            item.name if index == 0 else "", item.people if index == 0 else "", cell.name, cell.n,
            Ranged(cell.overall, *(cell.overall_ci or (None, None))), cell.general, cell.tailored, cell.gap,
        )  # fmt: skip


def group_sheet(check: GroupCheck) -> Sheet:
    """Return the correlations between the dimensions, and in words whether the groups are there."""
    columns = (
        Column("dimension", "left"), Column("group", "left"),
        *(Column(str(index + 1), digits=2, signed=True) for index in range(len(check.dimensions))),
    )  # fmt: skip
    rows = tuple(
        (f"{index + 1} {name}", check.groups[index] or "", *check.correlations[index])
        for index, name in enumerate(check.dimensions)
    )
    return Sheet("Do the groups show in the ratings?", columns, rows, tuple(group_notes(check)))


def group_notes(check: GroupCheck) -> Iterator[str]:
    """Say what the correlations amount to."""
    found = check.difference
    if check.within is not None and check.between is not None and found.value is not None:
        ends = f" [{found.interval.low:+.2f}, {found.interval.high:+.2f}]" if found.interval else ""
        yield (
            f"Mean correlation within a group {check.within:.2f}, between groups {check.between:.2f}, difference "
            f"{found.value:+.2f}{ends}; {check.n} episodes, each supporter's mean taken off."
        )
    if check.first_share is not None:
        yield (
            f"{check.factors} eigenvalue{'' if check.factors == 1 else 's'} above chance (parallel analysis); the "
            f"first holds {check.first_share:.0%} of all variance (near 100 % is one halo)."
        )
    named = {name for name in check.groups if name}
    if len(named) > 1:
        yield (
            "The groups are there: dimensions of one group go together more than those of different groups, and "
            "there is more than one factor."
            if check.two_groups
            else "The groups are not shown: these ratings do not tell the groups apart, so read the gap with care."
        )
