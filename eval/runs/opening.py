"""The opening: what a person feels, thinks and says first.

Made once for each repeat and shared by all supporters, so that comparisons between them are paired in truth.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.runs.meter import Meter
from emoharbor.eval.runs.mishap import broken_off
from emoharbor.eval.runs.usage import UsageCounter
from emoharbor.eval.store.store import Store
from emoharbor.eval.traces.codec import Opening
from emoharbor.eval.traces.recorder import Recorder
from emoharbor.eval.traces.recording import Recording
from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import step_limit
from emoharbor.graphs.user import build_user
from emoharbor.nodes.briefing import Briefing, brief
from emoharbor.nodes.cast import Cast
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.episode import EpisodeState
from emoharbor.state.errors import BudgetReached, UserError
from emoharbor.state.outcome import Outcome

NOBODY = "(opening)"
"""Stands where the supporter's name will."""


class Openings:
    """Makes openings when they are first wanted, and forgets each after its last use.

    Attributes:
        over_budget: why the run has to stop, when an opening met the end of the budget.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what an opening is made of and kept in
        self, cast: Cast, people: Mapping[str, PartialProfile], context: EpisodeContext, store: Store,
        recording: Recording, meter: Meter, begun: Callable[[EpisodeState], EpisodeState] = lambda state: state,
    ) -> None:  # fmt: skip
        self._graph = build_user(cast, people.__getitem__)
        self._people = people
        self._context = context
        self._store = store
        self._recording = recording
        self._meter = meter
        self._begun = begun
        self._traces: dict[tuple[str, int], Opening | None] = {}
        self._broken: dict[tuple[str, int], bytes | None] = {}
        self._made: dict[tuple[str, int], asyncio.Task[EpisodeState]] = {}
        self._uses: Counter[tuple[str, int]] = Counter()
        self._saved = store.reader.opened()
        """Asked once: a query for each would hold up all calls in flight."""
        self.over_budget: str | None = None

    def expect(self, keys: Iterable[EpisodeKey]) -> None:
        """Say which episodes will want one."""
        self._uses.update((key.profile, key.repeat) for key in keys)

    def prepare(self, profile: str, repeat: int) -> asyncio.Task[EpisodeState]:
        """Begin to make one, unless it is made already."""
        wanted = (profile, repeat)
        if wanted not in self._made:
            self._made[wanted] = asyncio.create_task(self._load_or_make(profile, repeat))
        return self._made[wanted]

    async def take(self, key: EpisodeKey, briefing: Briefing) -> EpisodeState:
        """Return the state of an episode after the person's first message."""
        # several episodes wait for one opening; one of them being cancelled must not take it from the others
        opening = await asyncio.shield(self.prepare(key.profile, key.repeat))
        told = brief(self._people[key.profile], briefing)
        return self._begun(opening.model_copy(update={"supporter": key.supporter, "briefing": told}))

    def trace_of(self, key: EpisodeKey) -> Opening | None:
        """Return the trace of an episode's opening, once it is made; None when it was not recorded."""
        return self._traces.get((key.profile, key.repeat))

    def broken_trace_of(self, key: EpisodeKey) -> bytes | None:
        """Return the trace of an opening that failed, which is kept with each episode that waited for it."""
        return self._broken.get((key.profile, key.repeat))

    def used(self, key: EpisodeKey) -> None:
        """Say that an episode needs its opening no more."""
        wanted = (key.profile, key.repeat)
        self._uses[wanted] -= 1
        if self._uses[wanted] <= 0:
            self._made.pop(wanted, None)
            self._traces.pop(wanted, None)
            self._broken.pop(wanted, None)

    def under_way(self) -> int:
        """Return how many are being made."""
        return sum(not task.done() for task in self._made.values())

    async def close(self) -> None:
        """Give up those under way."""
        under_way = [task for task in self._made.values() if not task.done()]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    async def _load_or_make(self, profile: str, repeat: int) -> EpisodeState:
        saved = self._store.reader.opening(profile, repeat) if (profile, repeat) in self._saved else None
        if saved is not None:
            trace = self._store.reader.opening_trace(profile, repeat)
            self._traces[profile, repeat] = Opening(trace) if trace else None
            return saved
        counter, recorder = UsageCounter(self._meter), self._recording.opening()
        state = await self._make(profile, repeat, counter, recorder)
        trace = recorder.rest()
        if state.outcome is Outcome.INFRASTRUCTURE:
            self._broken[profile, repeat] = trace
        else:
            await self._store.save_opening(state, counter.spent, trace)
            self._saved.add((profile, repeat))
            self._traces[profile, repeat] = Opening(trace, str(recorder.root)) if trace else None
        return state

    async def _make(self, profile: str, repeat: int, counter: UsageCounter, recorder: Recorder) -> EpisodeState:
        context = self._context.model_copy(update={"supporter": NOBODY, "briefing": "none", "repeat": repeat})
        first = self._begun(first_state(self._people[profile], context))
        try:
            end = await self._graph.ainvoke(
                first.channels(),
                {
                    "recursion_limit": step_limit(first.max_turns),
                    "run_id": recorder.root,
                    "run_name": f"{profile} opening {repeat}",
                    "tags": ["emoharbor", "opening"],
                    "metadata": {"profile": profile, "repeat": repeat},
                    "callbacks": [counter, recorder],
                },
                version="v2",
            )
            return EpisodeState.from_channels(end.value)
        except UserError:
            raise
        except BudgetReached as spent:
            self.over_budget = str(spent)
            return broken_off(first, spent)
        except Exception as error:  # noqa: BLE001 - a fault in one node must not end the run
            return broken_off(first, error)
