"""An episode as people read it: the JSON of `demo --json`, `show --json`, and each line of a JSONL export."""

from typing import Annotated, Self

from pydantic import Field

from emoharbor.state.base import Frozen
from emoharbor.state.dialogue import exchanges
from emoharbor.state.episode import EpisodeState, Fault
from emoharbor.state.event import Event
from emoharbor.state.inner_world import InnerWorld
from emoharbor.state.outcome import Outcome
from emoharbor.state.shift import Shift
from emoharbor.state.verdict import Judgement, primary


class EpisodeKey(Frozen):
    """Which episode of a run."""

    profile: str
    supporter: str
    repeat: Annotated[int, Field(ge=0)] = 0

    def __str__(self) -> str:
        """Return the id people type: `P010/attuned/0`."""
        return f"{self.profile}/{self.supporter}/{self.repeat}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what people type: `P010/attuned/0`, or `P010/attuned` for repeat 0. A supporter's name may hold `/`."""
        profile, _, rest = text.partition("/")
        supporter, _, repeat = rest.rpartition("/")
        if supporter and repeat.isdecimal():
            return cls(profile=profile, supporter=supporter, repeat=int(repeat))
        return cls(profile=profile, supporter=rest)


class EpisodeResult(Frozen):
    """How an episode ended and was rated, without the dialogue: all that figures need."""

    profile: str
    supporter: str
    repeat: int
    outcome: Outcome | None
    judgements: tuple[Judgement, ...]

    @property
    def primary(self) -> tuple[Judgement, ...]:
        """The run's own ratings, one a repeat: what primary figures rest on."""
        return primary(self.judgements)


class TurnRecord(Frozen):
    """One turn, with the inner world from which the person spoke."""

    user: str | None
    """None only for the last entry, when the last reply was taken in and no more was said."""
    supporter: str | None
    inner_world: InnerWorld | None


class EpisodeRecord(Frozen):
    """One finished, broken-off or failed episode."""

    episode: str
    profile: str
    supporter: str
    repeat: int
    outcome: Outcome | None
    """None while it is under way."""
    outcome_reason: str
    turns: tuple[TurnRecord, ...]
    judgements: tuple[Judgement, ...]
    shifts: tuple[Shift, ...] = ()
    faults: tuple[Fault, ...] = ()
    events: tuple[Event, ...] = ()
    """What happened to the person on the way; with `run.pressure` only."""

    @property
    def primary(self) -> tuple[Judgement, ...]:
        """The run's own ratings, one a repeat: what primary figures rest on."""
        return primary(self.judgements)

    @classmethod
    def of(cls, state: EpisodeState, judgements: tuple[Judgement, ...] | None = None) -> Self:
        """Make the record of a state; `judgements` replaces the state's own verdict when given."""
        own = (state.verdict,) if state.verdict else ()
        return cls(
            episode=str(EpisodeKey(profile=state.profile_id, supporter=state.supporter, repeat=state.repeat)),
            profile=state.profile_id,
            supporter=state.supporter,
            repeat=state.repeat,
            outcome=state.outcome,
            outcome_reason=state.outcome_reason,
            turns=_turns(state),
            judgements=own if judgements is None else judgements,
            shifts=state.shifts,
            faults=state.faults,
            events=tuple(event for event in state.events if event.turn <= state.turn),
        )


def _turns(state: EpisodeState) -> tuple[TurnRecord, ...]:
    worlds = {world.turn: world for world in state.worlds}
    spoken = exchanges(state.messages)
    turns = [TurnRecord(user=item.user, supporter=item.supporter, inner_world=worlds.get(item.turn)) for item in spoken]
    after = worlds.get(len(spoken))
    if after is not None:
        turns.append(TurnRecord(user=None, supporter=None, inner_world=after))
    return tuple(turns)
