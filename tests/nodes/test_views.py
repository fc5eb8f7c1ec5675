"""Who sees what of the state."""

from typing import Any

import pytest

from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.nodes.rendering import known_inside
from emoharbor.nodes.speak import guarded_words, outward, own_words
from emoharbor.nodes.views import state_for
from emoharbor.profiles.schema import Profile
from emoharbor.profiles.views import with_facts
from emoharbor.state.base import Role


@pytest.mark.parametrize("role", ["feel", "think", "speak", "fused", "judge"])
def test_no_role_sees_whom_the_person_talks_with_or_what_it_was_told(role: Role, person: Profile) -> None:
    state = first_state(person, EpisodeContext(supporter="famous-model", briefing="full")).channels()

    seen = state_for(role, state, thinks=True)

    assert not {"supporter", "briefing", "faults"} & set(seen)
    assert "famous-model" not in repr(seen)
    assert state["supporter"] == "famous-model"


def test_a_judge_without_the_log_sees_no_inner_world(person: Profile) -> None:
    state = first_state(person, EpisodeContext()).channels()

    assert "inner" not in state_for("judge", state, thinks=True, with_log=False)
    assert "inner" in state_for("judge", state, thinks=True)


@pytest.mark.parametrize("text", [known_inside, own_words, guarded_words, outward])
def test_a_text_kept_of_a_person_is_never_shown_of_another_part_of_them(text: Any, person: Profile) -> None:
    parts = [with_facts(person, frozenset({fact.id})) for fact in person.situation.guarded]

    for seen in (person, *parts, person):
        assert hash(seen) == hash(person)
        assert text(seen) == text.__wrapped__(seen)
