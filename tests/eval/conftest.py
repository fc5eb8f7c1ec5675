"""What tests of the evaluation share."""

import pytest

from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.profiles.schema import Profile
from emoharbor.state.episode import EpisodeState


@pytest.fixture
def person_state(person: Profile) -> EpisodeState:
    """The state before the first node."""
    return first_state(person, EpisodeContext(supporter="one", max_turns=3))
