"""The two forms of the state hold the same fields, and JSON gives a state back as it was."""

from helpers.strategies import decisions, feelings, worlds
from hypothesis import given

from emoharbor.profiles.bounds import bounds_of
from emoharbor.profiles.loader import load_people
from emoharbor.state.dialogue import supporter_message, user_message
from emoharbor.state.episode import Channels, EpisodeState, Fault, keep_by_turn
from emoharbor.state.inner_world import InnerWorld
from emoharbor.state.outcome import Outcome
from emoharbor.state.reducers import apply_feel, apply_think
from emoharbor.state.updates import FeelUpdate, ThinkUpdate


def test_channels_and_state_hold_the_same_fields() -> None:
    assert set(Channels.__annotations__) == set(EpisodeState.model_fields)
    assert Channels.__required_keys__ == {"profile_id"}


@given(worlds, feelings, decisions)
def test_a_state_in_json_is_the_same_state_when_loaded(
    world: InnerWorld, feeling: FeelUpdate, decision: ThinkUpdate
) -> None:
    limits = bounds_of(load_people("P040")["P040"])
    felt, first = apply_feel(world, feeling, limits, 1)
    thought, second = apply_think(felt, decision, limits, 1)
    state = EpisodeState(
        profile_id="P040",
        supporter="s",
        inner=thought,
        worlds=(thought,),
        shifts=first + second,
        faults=(Fault(role="speak", turn=1, kind="repeat"),),
        messages=[user_message(0, "hello \ud83d"), supporter_message(0, "mm")],
        outcome=Outcome.STALE,
        last="think",
    )

    again = EpisodeState.model_validate_json(state.model_dump_json())

    assert again == state
    assert again.model_dump_json() == state.model_dump_json()
    assert EpisodeState.from_channels(state.channels()) == state


@given(worlds, worlds)
def test_one_world_a_turn_is_kept_and_the_later_picture_wins(first: InnerWorld, second: InnerWorld) -> None:
    kept = keep_by_turn((first,), (second,))

    assert [world.turn for world in kept] == sorted({first.turn, second.turn})
    assert second in kept
    assert keep_by_turn(kept, (second,)) == kept
