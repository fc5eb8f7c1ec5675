"""Who sees what of the state."""

import pytest

from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.nodes.views import state_for
from emoharbor.profiles.schema import Profile
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
