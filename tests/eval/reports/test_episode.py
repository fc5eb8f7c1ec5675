"""The page of one episode."""

from collections.abc import Callable

import pytest

from emoharbor.eval.record import EpisodeRecord, TurnRecord
from emoharbor.eval.reports.episode import episode
from emoharbor.eval.reports.glyphs import ASCII, FANCY
from emoharbor.eval.reports.person import introduction
from emoharbor.eval.reports.verdict import reading, verdict
from emoharbor.profiles.schema import PartialProfile, Profile
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Judgement, Scores

Printed = Callable[..., str]
Golden = Callable[[str, str], None]
HOSTILE = (
    "[bold red]boo[/bold red] \x1b[31mred\x1b[0m \x1b]0;title\x07 \u202egnol\u202c \x00 [link=http://x]y[/link] :smile:"
)


@pytest.mark.parametrize("width", [80, 110])
def test_a_page_is_as_in_the_golden_file(
    width: int, scripted: EpisodeRecord, titik: Profile, printed: Printed, golden: Golden
) -> None:
    golden(f"episode_{width}.txt", printed(episode(scripted, titik, FANCY, width), width))


def test_an_ascii_terminal_gets_a_page_of_ascii(
    scripted: EpisodeRecord, titik: Profile, printed: Printed, golden: Golden
) -> None:
    # the stream is strict: a character it lacks would raise
    golden("episode_ascii.txt", printed(episode(scripted, titik, ASCII, 80), 80, "ascii"))


def test_the_introduction_counts_what_is_held_back_and_does_not_tell_it(titik: Profile, printed: Printed) -> None:
    text = printed(introduction(titik), 400)

    assert "holds back 3 things" in text
    assert len(text.splitlines()) == 3
    assert not [tell for fact in titik.situation.guarded for tell in fact.tells if tell in text]


def test_messages_thoughts_reasons_and_names_are_shown_as_written_and_command_nothing(
    scripted: EpisodeRecord, titik: Profile, judgement: Judgement, printed: Printed
) -> None:
    world = scripted.turns[0].inner_world
    assert world is not None
    assert world.thought is not None
    thinking = world.model_copy(update={"thought": world.thought.model_copy(update={"monologue": HOSTILE})})
    bad = judgement.model_copy(
        update={
            "judge": HOSTILE,
            "ratings": tuple(item.model_copy(update={"reason": HOSTILE}) for item in judgement.ratings),
        }
    )
    record = scripted.model_copy(
        update={
            "supporter": HOSTILE,
            "outcome_reason": HOSTILE,
            "turns": (TurnRecord(user=HOSTILE, supporter=HOSTILE, inner_world=thinking),),
            "judgements": (bad,),
        }
    )
    text = printed(episode(record, titik, FANCY, 200), 200)

    assert "\x1b" not in text
    assert not {"\x00", "\x07", "\u202e"} & set(text)
    assert "[bold red]boo[/bold red]" in text
    assert "[link=http://x]y[/link] :smile:" in text
    assert ":smile:" in text


def test_wide_characters_keep_the_columns_straight(scripted: EpisodeRecord, titik: Profile, printed: Printed) -> None:
    turn = scripted.turns[0].model_copy(update={"user": "我很累，什么都不想做。" * 8})
    text = printed(episode(scripted.model_copy(update={"turns": (turn,)}), titik, FANCY, 110), 110)
    side = [line for line in text.splitlines() if "distress ━" in line]

    assert len(side) == 1
    # a wide character takes two cells: 11 letters less in a line of the same number of cells
    before = side[0].split("distress")[0]
    assert sum(2 if ord(char) > 0x2E80 else 1 for char in before) == 68


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_has_a_sentence(
    outcome: Outcome, scripted: EpisodeRecord, titik: Profile, printed: Printed
) -> None:
    text = printed(episode(scripted.model_copy(update={"outcome": outcome}), titik, FANCY, 80))

    assert f"end  {outcome}: " in text


def test_an_episode_without_inner_world_verdict_or_known_person_is_shown_all_the_same(
    scripted: EpisodeRecord, printed: Printed
) -> None:
    turns = tuple(turn.model_copy(update={"inner_world": None}) for turn in scripted.turns)
    record = scripted.model_copy(update={"turns": turns, "judgements": (), "outcome": None})
    text = printed(episode(record, PartialProfile(id="P010"), FANCY, 80))

    assert "It is not finished." in text
    assert "nobody rated this episode" in text
    assert "distress" not in text


def test_an_unscored_judgement_shows_its_reason_and_no_number(printed: Printed) -> None:
    unread = Judgement(judge="llm", rubric="ten/1+0", unscored="the reply was no JSON")

    assert printed(verdict(unread, FANCY, "Titik")) == "not scored: the reply was no JSON\n"


def test_scores_of_a_rubric_with_another_scale_are_numbers_without_a_bar(
    judgement: Judgement, printed: Printed
) -> None:
    text = printed(verdict(judgement.model_copy(update={"rubric": "mine/1+0"}), FANCY, "Titik"))

    assert "━" not in text
    assert "4.00" in text


@pytest.mark.parametrize(
    ("general", "tailored", "says"),
    [
        (4.0, 2.0, "good support in general, and much less of it was meant for Titik"),
        (2.0, 1.0, "of little help in general, and still less of it"),
        (3.0, 4.0, "it fitted Titik better than it pleased in general"),
        (4.2, 4.0, "good support in general, and about as much of it was meant for Titik"),
    ],
)
def test_the_reading_follows_the_gap(general: float, tailored: float, says: str) -> None:
    scores = Scores(overall=50, general=general, tailored=tailored, gap=general - tailored)

    assert says in reading(scores, "Titik")


def test_without_a_group_mean_there_is_no_gap_to_read() -> None:
    assert "no tailoring gap" in reading(Scores(overall=50, general=None, tailored=3.0, gap=None), "Titik")
