"""A person known only from a foreign source: each role sees the blocks that are for it."""

from emoharbor.nodes.rendering import known_inside
from emoharbor.nodes.speak import first_words, outward
from emoharbor.profiles.schema import PartialProfile, Sheet

PERSON = PartialProfile(
    id="s1",
    sheet=Sheet(
        name="Ana", age=41, persona="She grows tomatoes.", manner="Short lines.", story="The shop closed.",
        hidden="She wants to be told it was not her fault.", opening="hello?",
    ),
)  # fmt: skip


def test_the_role_that_writes_sees_what_may_be_shown_and_not_what_is_hidden() -> None:
    seen = outward(PERSON)

    assert all(text in seen for text in ("Ana, 41", "tomatoes", "Short lines.", "The shop closed."))
    assert "fault" not in seen
    assert first_words(PERSON) == "You begin much like this: hello?"


def test_the_inner_roles_and_the_judge_see_what_is_hidden_too() -> None:
    seen = known_inside(PERSON)

    assert "The shop closed." in seen
    assert "She wants to be told it was not her fault." in seen


def test_a_person_without_a_sheet_is_told_nothing_of_one() -> None:
    assert known_inside(PartialProfile(id="s2")) == ""
    assert first_words(PartialProfile(id="s2")) == ""
