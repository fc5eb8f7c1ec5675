"""Leaderboard, progress, people and small marks."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.reports.episodes import episodes_table, line_of_episode
from emoharbor.eval.reports.glyphs import ASCII, FANCY, bar, sparkline
from emoharbor.eval.reports.inert import one_line, plain
from emoharbor.eval.reports.leaderboard import leaderboard_table
from emoharbor.eval.reports.people import brief_of, people_table, whole_person
from emoharbor.eval.reports.progress import duration, progress_line
from emoharbor.eval.runs.progress import Progress
from emoharbor.eval.statistics.leaderboard import Counts, Leaderboard, SupporterRow
from emoharbor.profiles.schema import Profile

Printed = Callable[..., str]


def _row(name: str, *, rank: int | None, gap: float | None, changes: bool = False) -> SupporterRow:
    return SupporterRow(
        name=name,
        n=11,
        overall=62.5,
        general=4.0,
        tailored=None if gap is None else 4.0 - gap,
        gap=gap,
        rank=rank,
        rank_changes=changes,
        dimensions={"empathy": 4.0, "need_fit": None},
        counts=Counts(planned=12, scored=10, failed=1, invalid=1, unfinished=0, unscored=0),
        outcomes={"user_satisfied": 10, "supporter_error": 1, "user_invalid": 1},
    )


def test_a_leaderboard_shows_means_gap_and_every_denominator(printed: Printed) -> None:
    board = Leaderboard(failures="lowest", rubric="ten/1+0", supporters=(_row("attuned", rank=1, gap=0.25),))
    text = printed(leaderboard_table(board, FANCY), 100)

    assert "62.5" in text
    assert "+0.25" in text
    assert "supporter_error" in text
    assert "rank changes" not in text
    for head in ("planned", "scored", "failed", "invalid", "unfinished", "unscored"):
        assert head in text


def test_a_rank_that_changes_is_marked_and_a_missing_mean_is_no_number(printed: Printed) -> None:
    rows = (_row("[red]x[/red]", rank=1, gap=None, changes=True), _row("b", rank=None, gap=1.0))
    text = printed(leaderboard_table(Leaderboard(failures="lowest", rubric=None, supporters=rows), ASCII), 100, "ascii")

    assert "1*" in text
    assert "--failures exclude" in text
    assert "[red]x[/red]" in text
    assert "None" not in text


def test_progress_is_one_line_and_leaves_out_what_is_unknown() -> None:
    begun = Progress(planned=48, running=16)
    waiting = Progress(planned=2, openings=2)
    later = Progress(
        planned=48, done=24, running=16, turns=300, seconds=60, tokens=12345, cost_usd=1.5,
        failures={"unscored": 1, "supporter_error": 2},
    )  # fmt: skip

    assert progress_line(begun) == "0/48 episodes  16 under way  0 turns"
    assert progress_line(waiting) == "0/2 episodes  0 under way  2 first messages being made  0 turns"
    assert progress_line(later) == (
        "24/48 episodes  16 under way  300 turns  24 a minute  1 min 0 s left  12,345 tokens  $1.50  "
        "failures: supporter_error 2, unscored 1"
    )


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (59.6, "1 min 0 s"), (185, "3 min 5 s"), (4800, "1 h 20 min")]
)
def test_a_duration_is_in_its_two_largest_units(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_the_list_of_people_is_short_and_the_page_of_one_is_whole(titik: Profile, printed: Printed) -> None:
    table, page = printed(people_table([titik])), printed(whole_person(titik))

    assert "Titik Handayani" in table
    assert "went into the roof" not in table
    assert "holds back" in page
    assert brief_of(titik)["guarded"] == 3


def test_episodes_are_one_a_line_with_their_main_means(scripted: EpisodeRecord, printed: Printed) -> None:
    unscored = scripted.model_copy(update={"episode": "P010/other/0", "judgements": (), "outcome": None})
    lines = printed(episodes_table([scripted, unscored])).splitlines()

    assert [line.split() for line in lines if "P010" in line] == [
        ["P010/attuned/0", "user_satisfied", "2", "61.1", "4.00", "3.00", "+1.00"],
        ["P010/other/0", "not", "finished", "2"],
    ]
    assert line_of_episode(unscored)["scores"] is None


@given(st.text())
def test_plain_text_holds_no_control_character_and_is_plain_already(text: str) -> None:
    cleaned = plain(text)

    assert not [char for char in cleaned if ord(char) < 32 and char not in "\n\t"]
    assert plain(cleaned) == cleaned
    assert "\n" not in one_line(text).plain


@given(st.floats(-5, 15), st.integers(1, 30))
def test_a_bar_has_its_width_whatever_the_value(value: float, width: int) -> None:
    assert bar(value, FANCY, width=width).cell_len == width


def test_a_sparkline_rises_with_its_values() -> None:
    assert sparkline([0, 5, 10], FANCY) == "▁▅█"
    assert sparkline([-3, 30], ASCII) == ".@"
