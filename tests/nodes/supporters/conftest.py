"""A request, as the graph makes it."""

from collections.abc import Callable

import pytest

from emoharbor.nodes.contract import Request
from emoharbor.state.dialogue import supporter_message, user_message

MakeRequest = Callable[..., Request]


@pytest.fixture
def make_request() -> MakeRequest:
    """Return what makes the request of a turn."""

    def make(turn: int = 0, briefing: str = "", thread: str = "thread") -> Request:
        said = [user_message(0, "User 0")]
        for done in range(turn):
            said += [supporter_message(done, f"Reply {done}"), user_message(done + 1, f"User {done + 1}")]  # type: ignore[list-item]  # both are messages
        return Request(tuple(said), thread, turn, seed=1, briefing=briefing)

    return make
