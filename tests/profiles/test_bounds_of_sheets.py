"""A person known only by a foreign sheet starts where the sheet says, and every role that may know it does."""

import pytest

from emoharbor.nodes.offline.lines import lines_of
from emoharbor.nodes.rendering import known_inside
from emoharbor.nodes.speak import outward
from emoharbor.profiles.bounds import starting_world
from emoharbor.profiles.schema import PartialProfile, Sheet
from emoharbor.state.inner_world import Emotion

KNOWN = PartialProfile(
    id="s", sheet=Sheet(problem="job crisis", feeling="anxiety", intensity=8, story="The shop closed. I owe rent.")
)


def test_distress_and_feeling_start_where_the_sheet_says() -> None:
    world = starting_world(KNOWN)

    assert world.distress == 8
    assert world.emotions == (Emotion(label="anxiety", intensity=8),)


@pytest.mark.parametrize("sheet", [None, Sheet(story="x"), Sheet(feeling="anxiety")])
def test_what_the_sheet_does_not_say_is_not_made_up(sheet: Sheet | None) -> None:
    world = starting_world(PartialProfile(id="s", sheet=sheet))

    assert world.distress == 5
    assert world.emotions == ()


def test_problem_feeling_and_strength_reach_the_roles() -> None:
    told = "What it is about: job crisis. What you feel as you begin: anxiety, 8 of 10."

    assert told in known_inside(KNOWN)
    assert told in outward(KNOWN)


def test_the_offline_speaker_has_the_sheets_words() -> None:
    written = PartialProfile(id="s", sheet=Sheet(opening="hello?", lines=("It rains.", "Still.")))

    assert lines_of(KNOWN).open == ("The shop closed.", "I owe rent.")
    assert lines_of(KNOWN).start == 8
    assert lines_of(KNOWN).feelings
    assert (lines_of(written).opening, lines_of(written).open) == ("hello?", ("It rains.", "Still."))
