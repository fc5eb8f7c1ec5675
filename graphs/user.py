"""The simulated user alone, for use inside other harnesses: it takes in the last reply and says one message."""

from dataclasses import replace

from emoharbor.graphs.episode import EpisodeGraph, build_episode
from emoharbor.graphs.table import GetPerson
from emoharbor.nodes.cast import Cast
from emoharbor.state.dialogue import supporter_message
from emoharbor.state.episode import EpisodeState


def build_user(cast: Cast, person: GetPerson) -> EpisodeGraph:
    """Compile the user's roles of a cast without supporter and judge.

    A run ends when the person has spoken, or when the state has an outcome. `hear` puts the next reply into the state.
    """
    return build_episode(replace(cast, supporters={}, judge=None), person, name="user")


def hear(state: EpisodeState, reply: str) -> EpisodeState:
    """Return the state after the other side has answered; running the user's graph on it gives the next message."""
    return state.model_copy(
        update={
            "messages": [*state.messages, supporter_message(state.turn, reply)],
            "turn": state.turn + 1,
            "last": "supporter",
        }
    )
