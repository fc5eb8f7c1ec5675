"""Tables of figures: goldens, straight columns, nothing cut, names that are no markup, and what is said in words."""

import csv
import io
import json
import re
from collections.abc import Callable
from functools import cache

import pytest
from helpers.rated import FAST, SCALE, drawn, episode, rated, sample, scored
from rich.cells import cell_len

from emoharbor.eval.reported import Reported
from emoharbor.eval.reports.compare import compare_page
from emoharbor.eval.reports.formats import as_csv, latex, markdown
from emoharbor.eval.reports.formats import drawn as on_screen
from emoharbor.eval.reports.glyphs import ASCII, FANCY
from emoharbor.eval.reports.leaderboard import leaderboard_page
from emoharbor.eval.reports.reliability import reliability_page
from emoharbor.eval.reports.tables import Column, Page, Ranged, Sheet, in_words
from emoharbor.eval.statistics.compare import compare
from emoharbor.eval.statistics.halo import check_groups
from emoharbor.eval.statistics.leaderboard import leaderboard
from emoharbor.eval.statistics.ratings import Ratings
from emoharbor.eval.statistics.reliability import reliability
from emoharbor.eval.statistics.rows import Leaderboard, Share
from emoharbor.eval.statistics.sample import Sample
from emoharbor.state.outcome import Outcome

Printed = Callable[..., str]
Golden = Callable[[str, str], None]
BOUND = FAST.model_copy(update={"bound": 0.25})
LONG = "组合支持者-一个名字很长的系统 v2 (中文) with-a-very-long-name-that-does-not-fit"


@cache
def everything() -> Leaderboard:
    """A board with every table."""
    records = [*drawn({"warm": 3.4, "cool": 3.2, "[red]odd[/red]": 2.2}, 8, repeats=2, seed=4)]
    records += [
        episode("cool", Outcome.SUPPORTER_ERROR, profile="P000", repeat=2),
        episode("warm", Outcome.USER_INVALID, profile="P001", repeat=2),
        episode("odd one", Outcome.USER_INVALID, profile="P001"),
    ]
    arms = [
        rated(general=4, tailored=4, own=False, with_log=False, repeat=0),
        rated(general=4, tailored=3, own=False, with_log=False, repeat=1),
        rated(general=4, tailored=3, own=False, with_log=False, control="person", other="P9"),
    ]
    records = [
        record.model_copy(update={"judgements": (*record.judgements, *arms)}) if record.supporter == "warm" else record
        for record in records
    ]
    reports = {(record.profile, record.supporter, record.repeat): Reported(-1.5, 6.0, 0.5, None) for record in records}
    found = Sample.of(records, SCALE, {"warm": 20}, reports)
    board = leaderboard(found, how=BOUND)
    check, _ = check_groups(found, FAST)
    rows = [
        row.model_copy(update={"validity": {
            "valid": Share(share=1.0, ci=(0.7, 1.0), n=8), "sound": Share(share=0.85, ci=(0.6, 0.95), n=8),
            "over_disclosure": Share(share=0.125, ci=(0.02, 0.4), n=8),
        }})
        for row in board.supporters
    ]  # fmt: skip
    return board.model_copy(update={"groups": check, "supporters": tuple(rows), "notes": ("a note",)})


@pytest.mark.parametrize(
    ("width", "glyphs", "encoding"), [(120, FANCY, "utf-8"), (80, FANCY, "utf-8"), (80, ASCII, "ascii")]
)
def test_a_board_on_a_terminal(width: int, glyphs: object, encoding: str, printed: Printed, golden: Golden) -> None:
    text = printed(on_screen(leaderboard_page(everything()), glyphs), width, encoding)  # type: ignore[arg-type]  # one of the two sets

    assert max(cell_len(line) for line in text.splitlines()) <= width
    golden(f"board_{width}_{encoding.replace('-', '')}.txt", text)


def test_a_board_as_markdown_and_latex(golden: Golden) -> None:
    page = leaderboard_page(everything())

    golden("board.md", markdown(page))
    golden("board.tex", latex(page))


def test_two_supporters_side_by_side(printed: Printed, golden: Golden) -> None:
    found = compare(sample(drawn({"warm": 3.4, "cool": 2.9}, 12, seed=4)), "cool", "warm", how=FAST, wanted=5)

    golden("compare.txt", printed(on_screen(compare_page(found, "runs/my pilot"), FANCY), 100))


def test_reliability(printed: Printed, golden: Golden) -> None:
    records = list(drawn({"a": 2.5, "b": 3.0, "c": 3.5}, 10, repeats=2, seed=4))
    again = [
        record.model_copy(update={"judgements": (
            *record.judgements, record.judgements[0].model_copy(update={"repeat": 1}),
            rated(3, own=False, judge="k"),
        )})
        for record in records
    ]  # fmt: skip
    found = reliability(Ratings.of({"run": again}, SCALE), {"run": sample(again)}, FAST)

    golden("reliability.txt", printed(on_screen(reliability_page(found), FANCY), 110))


def test_csv_has_a_head_in_every_row_and_the_limits_that_are_not_printed() -> None:
    records = list(drawn({"a": 2.5, "b": 3.0, "c": 3.5}, 10, repeats=2, seed=4))
    page = reliability_page(reliability(Ratings.of({"run": records}, SCALE), {"run": sample(records)}, FAST))
    rows = list(csv.DictReader(io.StringIO(as_csv(page))))
    assert {row["figure"] for row in rows} == {"overall", "general", "tailored"}
    assert {row["figure"] for row in rows if row["source of variance"] == "supporter"} == {
        "overall", "general", "tailored",
    }  # fmt: skip

    board = leaderboard(sample(records), how=FAST)
    half = Share(share=0.5, ci=(0.25, 0.75), n=20)
    audited = [row.model_copy(update={"validity": {"valid": half, "sound": half}}) for row in board.supporters]
    page = leaderboard_page(board.model_copy(update={"supporters": tuple(audited)}))
    first = next(csv.DictReader(io.StringIO(as_csv(page))))
    assert (first["sound, % low"], first["sound, %"], first["sound, % high"]) == ("25.0", "50.0", "75.0")
    assert "[25, 75]" not in markdown(page).split("Validity")[0]


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_columns_stay_straight_with_wide_characters_and_long_names(width: int, printed: Printed) -> None:
    board = leaderboard(sample(scored({LONG: [5, 4, 5], "b": [1, 2, 1]})), how=FAST)
    lines = printed(on_screen(leaderboard_page(board), FANCY), width).splitlines()

    assert max(cell_len(line) for line in lines) <= width
    (row,) = [line for line in lines if line.strip().startswith("b ") and "2 [1, 2]" in line]
    head = next(line for line in lines if "supporter" in line and "rank" in line)
    assert cell_len(row[: row.index("2 [1, 2]") + 8]) == cell_len(head[: head.index("rank") + 4])


def test_columns_stay_straight_where_a_terminal_cannot_show_a_name(printed: Printed) -> None:
    board = leaderboard(sample(scored({"温暖的支持者": [5, 4], "b": [1, 2]})), how=FAST)
    lines = printed(on_screen(leaderboard_page(board), ASCII), 100, "ascii").splitlines()

    rows = [line for line in lines if line.startswith("|")]
    assert len({len(line) for line in rows[:4]}) == 1
    assert any("??????" in line for line in rows)


def test_a_table_too_wide_goes_on_below_and_no_figure_is_cut(printed: Printed) -> None:
    names = {f"supporter-{index:02}": [index % 5 + 1, 3, 2] for index in range(20)}
    board = leaderboard(sample(scored(names)), how=FAST)
    text = printed(on_screen(leaderboard_page(board), FANCY), 80)

    part = text[text.index("Dimensions") : text.index("Denominators")]
    assert part.count("empathy") > 1
    assert len(re.findall(r"\b\d\.\d\d\b", part)) == 20 * 10
    assert all(part.count(f"supporter-{index:02}") == 1 for index in range(20))


def test_names_are_data_in_every_form(printed: Printed) -> None:
    evil = "a|b_{x}\\ & <b>%\x1b[31m\n| c |"
    page = leaderboard_page(leaderboard(sample(scored({evil: [5, 4], "b": [1, 2]})), how=FAST))

    lines = markdown(page).splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert all(len(re.findall(r"(?<!\\)\|", line)) == len(re.findall(r"(?<!\\)\|", table[0])) for line in table[:4])
    assert "<b>" not in markdown(page)
    assert r"a\textbar{}b\_\{x\}\textbackslash{} \& \textless{}b\textgreater{}\%[31m" in latex(page)
    assert "\x1b" not in printed(on_screen(page, FANCY)) + markdown(page) + latex(page)


def test_csv_has_every_figure_of_the_main_table_unrounded_and_missing_empty() -> None:
    board = leaderboard(
        sample([*scored({"a": [5, 4, 4]}), episode("b", Outcome.USER_INVALID, profile="P000")]), how=FAST
    )
    first, second = csv.DictReader(io.StringIO(as_csv(leaderboard_page(board))))

    assert float(first["overall"]) == pytest.approx(100 * (10 / 12), rel=1e-12)
    assert float(first["overall low"]) <= float(first["overall"]) <= float(first["overall high"])
    assert (second["supporter"], second["rank"], second["overall"], second["n"]) == ("b", "", "", "0")


def test_the_json_keeps_the_names_that_others_read() -> None:
    data = json.loads(everything().model_dump_json())

    row = data["supporters"][0]
    names = {
        "name",
        "n",
        "overall",
        "overall_ci",
        "general",
        "tailored",
        "gap",
        "personal_effect",
        "rank",
        "rank_ci",
        "outcomes",
    }
    assert names <= row.keys()
    assert isinstance(row["outcomes"], dict)
    assert len(row["overall_ci"]) == len(row["rank_ci"]) == 2
    assert data["how"] == {"resamples": 500, "seed": 0, "level": 0.95, "bound": 0.25}


def test_who_cannot_be_told_apart_is_said_in_words(printed: Printed) -> None:
    board = leaderboard(sample(scored({"a": [4, 3, 4, 3], "b": [3, 4, 4, 3], "c": [1, 1, 1, 1]})), how=FAST)
    text = printed(on_screen(leaderboard_page(board), FANCY), 200)

    assert "a and b cannot be told apart: +0.0" in text
    assert "4 people" in text


def test_every_table_says_how_it_was_made(printed: Printed) -> None:
    board, two = everything(), compare(sample(scored({"a": [1, 2], "b": [2, 3]})), "a", "b", how=FAST)

    for page in (leaderboard_page(board), compare_page(two, "run")):
        text = printed(on_screen(page, FANCY), 300)
        assert "bootstrap over people, 500 resamples" in text
        assert "seed 0" in text
        assert "sign-flip" in text


@pytest.mark.parametrize(
    ("cell", "column", "words"),
    [
        (None, Column("x"), "-"),
        (Ranged(None, 1, 2), Column("x", digits=1), "-"),
        (Ranged(1.25, 0.5, 2.0, "*"), Column("x", digits=2), "1.25* [0.50, 2.00]"),
        (Ranged(1, 1, 3), Column("x", digits=0), "1 [1, 3]"),
        (-0.001, Column("x", digits=2, signed=True), "+0.00"),
        (-0.001, Column("x", digits=2), "0.00"),
        (0.0004, Column("x", digits=3, chance=True), "<0.001"),
        (3, Column("x", signed=True), "+3"),
        ("text", Column("x"), "text"),
    ],
)
def test_a_cell_in_words(cell: object, column: Column, words: str) -> None:
    assert in_words(cell, column, "-") == words  # type: ignore[arg-type]  # the table holds every kind of cell


def test_a_page_without_rows_is_drawn_too(printed: Printed) -> None:
    page = Page("Empty", (Sheet("nothing", (Column("a", "left"), Column("b")), ()),))

    assert "nothing" in printed(on_screen(page, FANCY))
    assert as_csv(page) == "a,b\n"
    assert "toprule" in latex(page)
    assert "| a" in markdown(page)


def test_each_part_of_a_wide_table_tells_its_rows_apart(printed: Printed) -> None:
    rows = [
        (theirs, ours, Ranged(0.5, 0.25, 0.75), Ranged(0.5, 0.25, 0.75), Ranged(0.5, 0.25, 0.75))
        for theirs in ("feedback, turn by turn", "relevance")
        for ours in ("felt_understood", "number of turns")
    ]
    columns = (Column("theirs", "left"), Column("ours", "left"), Column("one"), Column("two"), Column("three"))
    page = Page("", (Sheet("Wide", columns, tuple(rows)),))

    lines = printed(on_screen(page, ASCII), 80).splitlines()
    assert sum("feedback, turn by turn   felt_understood" in line for line in lines) == 3
    assert sum("relevance                number of turns" in line for line in lines) == 3
