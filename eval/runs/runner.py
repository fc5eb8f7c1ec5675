"""Running episodes: so many at once, each on its own, each turn saved before the next begins."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, Durability

from emoharbor.eval.assembly import Assembly
from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.runs.budget import Budget
from emoharbor.eval.runs.crew import Crew
from emoharbor.eval.runs.describe import own_stance
from emoharbor.eval.runs.heartbeat import heartbeat
from emoharbor.eval.runs.meter import Meter, metered
from emoharbor.eval.runs.mishap import broken_off
from emoharbor.eval.runs.opening import Openings
from emoharbor.eval.runs.plan import Unit, units_of
from emoharbor.eval.runs.progress import OnProgress
from emoharbor.eval.runs.stop import Stopped, StopRule
from emoharbor.eval.runs.tally import Tally
from emoharbor.eval.runs.usage import UsageCounter
from emoharbor.eval.runs.waiting import Answer, keeper, waiting
from emoharbor.eval.spent import Spent
from emoharbor.eval.store.reader import Standing
from emoharbor.eval.store.store import Store
from emoharbor.eval.traces.feedback import feedback_of
from emoharbor.eval.traces.langsmith import Watch
from emoharbor.eval.traces.recorder import Recorder
from emoharbor.eval.traces.recording import Recording
from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import build_episode, step_limit
from emoharbor.state.episode import Channels, EpisodeState
from emoharbor.state.errors import BudgetReached, CastError, UserError
from emoharbor.state.outcome import Outcome

_REPORT_EVERY_S = 0.1
_BEAT_S = 5.0


class _Halted(Exception):  # noqa: N818 - never leaves this module
    """The run is being stopped: an episode ends here for now, after a finished turn, and is gone on with later."""


class Runner:
    """Plays the episodes of one run.

    Attributes:
        stopped: why the run ended early; None while it has not.
    """

    def __init__(  # noqa: PLR0913 - what a run needs beside its plan
        self,
        assembly: Assembly,
        store: Store,
        run_id: str,
        *,
        on_progress: OnProgress | None = None,
        stop_rules: Sequence[StopRule] = (),
        langsmith: Watch | None = None,
        waited: Callable[[], float] = float,
        answer: Answer | None = None,
    ) -> None:
        self._assembly = assembly
        self._store = store
        self._run_id = run_id
        self._on_progress = on_progress
        self._stop_rules = stop_rules
        self._meter = Meter(assembly, store.reader.spent())
        self._budget = Budget.of(assembly.config.limits)
        cast = metered(assembly.cast, self._meter)
        self._answer = answer
        self._keeper = keeper() if answer else None
        self._graph = build_episode(
            cast, assembly.people.__getitem__, on_turn=self._turn_is_done, checkpointer=self._keeper,
            stance=own_stance(assembly),
        )  # fmt: skip
        self._recording = Recording(assembly)
        self._langsmith = langsmith or Watch()
        self._openings = Openings(
            cast, assembly.people, self._context(), store, self._recording, self._meter, assembly.begun
        )  # fmt: skip
        self._latest: dict[EpisodeKey, Channels] = {}
        """Of each episode under way, the state at its last finished turn."""
        self._recorders: dict[EpisodeKey, Recorder] = {}
        self._counters: dict[EpisodeKey, UsageCounter] = {}
        self._tally = Tally(
            self._meter, waited=waited, openings=self._openings.under_way, judged=cast.judge is not None
        )
        self._reported = 0.0
        self._crew = Crew()
        self.stopped: Stopped | None = None

    async def run(self, plan: Sequence[EpisodeKey]) -> None:
        """Play the episodes of a plan that are not finished yet.

        An exception inside an episode ends that episode as `infrastructure`. When this is cancelled, every finished
        turn is saved already and the episodes under way stay open, to be gone on with.

        Raises:
            RunFolderError: when the run folder cannot be written any more.
        """
        standings = {standing.key: standing for standing in self._store.reader.standings()}
        todo = [key for key in plan if not self._is_finished(standings.get(key))]
        self._tally.planned = len(todo)
        self._check_budget()
        self._openings.expect(todo)
        self._report(force=True)
        places = self._assembly.config.limits.concurrency
        units = units_of(todo, places)
        try:
            async with heartbeat(self._report, _BEAT_S):
                await self._crew.work(min(places, len(todo)), lambda: self._work(units, standings))
        finally:
            await self._openings.close()
        if self._tally.is_whole:
            self.stopped = None  # the end of the budget came with the end of the run
        self._report(force=True)

    @property
    def failures(self) -> Mapping[str, int]:
        """What went wrong, by kind."""
        return dict(self._tally.failures)

    def wind_down(self) -> None:
        """Stop: the episodes under way end at their next finished turn, or when the grace time is over.

        Called again, they end at once. All of them can be gone on with.
        """
        asked_again = self._crew.winds_down
        self._crew.wind_down(self._assembly.config.limits.grace_s)
        if not asked_again:
            self.stopped = Stopped("interrupt", "interrupted")
            self._report(force=True)

    @property
    def _halts(self) -> bool:
        return self.stopped is not None and self.stopped.kind != "endpoint"

    async def _work(self, units: Iterator[Unit], standings: dict[EpisodeKey, Standing]) -> None:
        for openings, key in units:
            for wanted in openings:
                if self.stopped is not None:
                    return
                await asyncio.shield(self._openings.prepare(*wanted))
                self._check_budget()
            if self.stopped is not None:
                return
            if key is not None:
                await self._episode(key, standings.pop(key, None))

    async def _episode(self, key: EpisodeKey, standing: Standing | None) -> None:
        self._tally.running += 1
        goes_on = standing is not None and not self._starts_again(key, standing)
        before = standing.spent if standing is not None and goes_on else Spent()
        counter = self._counters[key] = UsageCounter(self._meter, key.supporter, before)
        recorder = self._recorders[key] = self._recording.episode(key.supporter)
        try:
            state, attempt = await self._begin(key, standing)
            if self._halts:
                return
            end = await self._play(key, state, attempt, counter)
            recorder = self._recorders[key]
            blobs = [self._openings.broken_trace_of(key), recorder.rest()]
            await self._store.finish(end, counter.spent, [blob for blob in blobs if blob])
            verdicts = [end.verdict] if end.verdict else []
            self._langsmith.rate(recorder.root, list(feedback_of(end.outcome, end.outcome_reason, verdicts)))
        except _Halted:
            return
        finally:
            self._tally.running -= 1
            self._latest.pop(key, None)
            self._recorders.pop(key, None)
            self._counters.pop(key, None)
            self._openings.used(key)
        self._account(key, end)

    async def _begin(self, key: EpisodeKey, standing: Standing | None) -> tuple[EpisodeState, int]:
        """Return the state an episode starts or goes on from, and its attempt."""
        briefing = self._assembly.config.run.briefing
        if standing is not None and not self._starts_again(key, standing):
            state = _to_be_judged(self._store.reader.resumable(key))
            if state.turn == 0 and state.outcome is None and state.last is None and not state.shifts:
                state = await self._openings.take(key, briefing)
            await self._store.reopen(standing.number, state)
            return state, standing.attempt
        attempt = 0 if standing is None else standing.attempt + 1
        context = self._context().model_copy(update={"supporter": key.supporter, "repeat": key.repeat})
        first = self._assembly.begun(first_state(self._assembly.people[key.profile], context))
        await self._store.begin(first, attempt)
        return await self._openings.take(key, briefing), attempt

    async def _play(self, key: EpisodeKey, state: EpisodeState, attempt: int, counter: UsageCounter) -> EpisodeState:
        try:
            given: Channels | Command[Any] = state.channels()
            while True:
                config = self._graph_config(key, attempt, counter)
                # with version 2, LangGraph does not also list what each node changed
                end, asked = waiting(
                    await self._graph.ainvoke(given, config, durability=self._durability, version="v2")
                )
                if asked is None:
                    return end
                given = await self._answered(key, end, asked, counter)
        except BudgetReached as spent:
            self.stopped = self.stopped or Stopped("budget", str(spent))
            return broken_off(self._known(key, state), spent)
        except (UserError, _Halted):
            raise  # the folder cannot be written: nothing more can be saved
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return broken_off(self._known(key, state), error)  # somebody's code inside the episode raised it
        except Exception as error:  # noqa: BLE001 - a fault in one episode must not end the others
            return broken_off(self._known(key, state), error)

    async def _answered(
        self, key: EpisodeKey, state: EpisodeState, asked: Mapping[str, Any], counter: UsageCounter
    ) -> Command[Any]:
        """Save what was said so far, wait for the human, and return what the graph goes on with."""
        if self._answer is None:
            raise CastError("a supporter asks a human, and nobody is there to answer")
        await self._store.save_turn(state.channels(), self._recorders[key].rest(), counter.spent)
        self._recorders[key] = self._recording.episode(key.supporter)
        return Command(resume=await self._answer(state, asked))

    @property
    def _durability(self) -> Durability | None:
        """What lasts is in the store, so that a keeper needs to know only where the graph waits."""
        return "exit" if self._keeper else None

    def _known(self, key: EpisodeKey, begun: EpisodeState) -> EpisodeState:
        latest = self._latest.get(key)
        return begun if latest is None else EpisodeState.from_channels(latest)

    async def _turn_is_done(self, state: Channels) -> None:
        key = EpisodeKey(profile=state["profile_id"], supporter=state["supporter"], repeat=state["repeat"])
        await self._store.save_turn(state, self._recorders[key].new(), self._counters[key].spent)
        self._latest[key] = state
        self._tally.turns += 1
        self._check_budget()
        self._report()
        if self._halts:
            raise _Halted

    def _account(self, key: EpisodeKey, end: EpisodeState) -> None:
        self._tally.add(end, key)
        self._check_budget()
        for rule in self._stop_rules:
            self.stopped = self.stopped or rule(end)
        self._report()

    def _check_budget(self) -> None:
        reason = self._openings.over_budget or self._budget.ended(self._meter)
        if reason is not None:
            self.stopped = self.stopped or Stopped("budget", reason)

    def _report(self, *, force: bool = False) -> None:
        now = time.monotonic()
        if self._on_progress is None or (not force and now - self._reported < _REPORT_EVERY_S):
            return
        self._reported = now
        self._on_progress(self._tally.snapshot(stopping=self._crew.winds_down))

    def _is_finished(self, standing: Standing | None) -> bool:
        if standing is None or standing.outcome in (None, Outcome.INFRASTRUCTURE):
            return False
        waits_for_judge = standing.outcome.judged and not standing.judged and self._assembly.cast.judge is not None
        return not waits_for_judge

    def _starts_again(self, key: EpisodeKey, standing: Standing) -> bool:
        """A supporter that keeps the dialogue itself cannot go on with it in a new process."""
        return key.supporter in self._assembly.remembering and standing.outcome in (None, Outcome.INFRASTRUCTURE)

    def _context(self) -> EpisodeContext:
        run = self._assembly.config.run
        return EpisodeContext(max_turns=run.max_turns, briefing=run.briefing, seed=run.seed, pressure=run.pressure)

    def _graph_config(self, key: EpisodeKey, attempt: int, counter: UsageCounter) -> RunnableConfig:
        run = self._assembly.config.run
        recorder = self._recorders[key]
        opening = self._openings.trace_of(key)
        recorder.begins_with(opening)
        return {
            "recursion_limit": step_limit(run.max_turns),
            "run_id": recorder.root,
            "run_name": str(key),
            "tags": ["emoharbor", key.profile, key.supporter],
            "metadata": {
                "run": run.name, "profile": key.profile, "supporter": key.supporter, "repeat": key.repeat,
                # tells this dialogue's thread from those of other attempts and other runs
                "attempt": f"{self._run_id}.{attempt}",
                "thread_id": f"{self._run_id}.{attempt}/{key}",
                "opening": opening.id if opening else None,
            },
            "configurable": {"thread_id": f"{self._run_id}.{attempt}/{key}"} if self._keeper else {},
            "callbacks": [counter, recorder],
        }  # fmt: skip


def _to_be_judged(state: EpisodeState) -> EpisodeState:
    """Set a completed state back to before its judge, who could not be reached."""
    if state.outcome is None:
        return state
    faults = tuple(fault for fault in state.faults if fault.role != "judge")
    return state.model_copy(update={"last": None, "faults": faults})
