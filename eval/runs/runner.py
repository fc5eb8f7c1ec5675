"""Running episodes: so many at once, each on its own, each turn saved before the next begins."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from langchain_core.runnables import RunnableConfig

from emoharbor.eval.assembly import Assembly
from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.runs.mishap import broken_off
from emoharbor.eval.runs.opening import Openings
from emoharbor.eval.runs.plan import openings_ahead
from emoharbor.eval.runs.progress import OnProgress, Progress
from emoharbor.eval.runs.stop import Stopped, StopRule
from emoharbor.eval.runs.usage import UsageCounter, total
from emoharbor.eval.store.reader import Standing
from emoharbor.eval.store.store import Store
from emoharbor.eval.traces.feedback import feedback_of
from emoharbor.eval.traces.langsmith import Watch
from emoharbor.eval.traces.recorder import Recorder
from emoharbor.eval.traces.recording import Recording
from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import build_episode, step_limit
from emoharbor.state.episode import Channels, EpisodeState
from emoharbor.state.errors import BudgetReached, UserError
from emoharbor.state.outcome import Outcome

_REPORT_EVERY_S = 0.1


@dataclass(slots=True)
class _Tally:
    """What has happened since this call began."""

    planned: int
    began: float = field(default_factory=time.monotonic)
    reported: float = 0.0
    done: int = 0
    running: int = 0
    turns: int = 0
    tokens: int | None = None
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    latest: str = ""

    def add_tokens(self, tokens: int | None) -> None:
        if tokens is not None:
            self.tokens = (self.tokens or 0) + tokens

    def add(self, state: EpisodeState, key: EpisodeKey) -> None:
        self.done += 1
        self.latest = str(key)
        outcome = state.outcome.value if state.outcome else "none"
        self.outcomes[outcome] += 1
        if state.outcome is None or not state.outcome.judged:
            self.failures[outcome] += 1
        elif state.verdict is not None and state.verdict.unscored is not None:
            self.failures["unscored"] += 1

    def snapshot(self) -> Progress:
        return Progress(
            planned=self.planned, done=self.done, running=self.running, turns=self.turns,
            seconds=time.monotonic() - self.began, outcomes=dict(self.outcomes), failures=dict(self.failures),
            tokens=self.tokens, latest=self.latest,
        )  # fmt: skip


class Runner:
    """Plays the episodes of one run.

    Attributes:
        stopped: why the run ended early; None while it has not.
    """

    def __init__(
        self,
        assembly: Assembly,
        store: Store,
        run_id: str,
        *,
        on_progress: OnProgress | None = None,
        stop_rules: Sequence[StopRule] = (),
        langsmith: Watch | None = None,
    ) -> None:
        self._assembly = assembly
        self._store = store
        self._run_id = run_id
        self._on_progress = on_progress
        self._stop_rules = stop_rules
        self._graph = build_episode(assembly.cast, assembly.people.__getitem__, on_turn=self._turn_is_done)
        self._recording = Recording(assembly)
        self._langsmith = langsmith or Watch()
        self._openings = Openings(assembly.cast, dict(assembly.people), self._context(), store, self._recording)
        self._latest: dict[EpisodeKey, Channels] = {}
        """Of each episode under way, the state at its last finished turn."""
        self._recorders: dict[EpisodeKey, Recorder] = {}
        self._tally = _Tally(0)
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
        self._tally = _Tally(len(todo))
        self._openings.expect(todo)
        self._report(force=True)
        places = self._assembly.config.limits.concurrency
        units = openings_ahead(todo, places)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(places, len(todo))):
                    group.create_task(self._work(units, standings))
        except BaseExceptionGroup as errors:
            raise _first(errors) from None
        finally:
            await self._openings.close()
        self._report(force=True)

    async def _work(self, units: Iterator[tuple[str, int] | EpisodeKey], standings: dict[EpisodeKey, Standing]) -> None:
        for unit in units:
            if self.stopped is not None:
                return
            if isinstance(unit, EpisodeKey):
                await self._episode(unit, standings.pop(unit, None))
            else:
                await asyncio.shield(self._openings.prepare(*unit))

    async def _episode(self, key: EpisodeKey, standing: Standing | None) -> None:
        self._tally.running += 1
        counter = UsageCounter()
        recorder = self._recorders[key] = self._recording.episode(key.supporter)
        try:
            state, attempt = await self._begin(key, standing)
            end = await self._play(key, state, attempt, counter)
            await self._store.finish(end, counter.usage, recorder.whole())
            verdicts = [end.verdict] if end.verdict else []
            self._langsmith.rate(recorder.root, list(feedback_of(end.outcome, end.outcome_reason, verdicts)))
        finally:
            self._tally.running -= 1
            self._latest.pop(key, None)
            self._recorders.pop(key, None)
            self._openings.used(key)
        self._account(key, end, counter)

    async def _begin(self, key: EpisodeKey, standing: Standing | None) -> tuple[EpisodeState, int]:
        """Return the state an episode starts or goes on from, and its attempt."""
        briefing = self._assembly.config.run.briefing
        if standing is not None and not self._starts_again(key, standing):
            state = _to_be_judged(self._store.reader.resumable(key))
            if state.turn == 0 and state.outcome is None:
                state = await self._openings.take(key, briefing)
            await self._store.reopen(standing.number, state)
            return state, standing.attempt
        attempt = 0 if standing is None else standing.attempt + 1
        context = self._context().model_copy(update={"supporter": key.supporter, "repeat": key.repeat})
        await self._store.begin(first_state(self._assembly.people[key.profile], context), attempt)
        return await self._openings.take(key, briefing), attempt

    async def _play(self, key: EpisodeKey, state: EpisodeState, attempt: int, counter: UsageCounter) -> EpisodeState:
        try:
            end = await self._graph.ainvoke(state.channels(), self._graph_config(key, attempt, counter))
            return EpisodeState.from_channels(end)
        except BudgetReached as spent:
            self.stopped = self.stopped or Stopped("budget", str(spent))
            return broken_off(self._known(key, state), spent)
        except UserError:
            raise  # the folder cannot be written: nothing more can be saved
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return broken_off(self._known(key, state), error)  # somebody's code inside the episode raised it
        except Exception as error:  # noqa: BLE001 - a fault in one episode must not end the others
            return broken_off(self._known(key, state), error)

    def _known(self, key: EpisodeKey, begun: EpisodeState) -> EpisodeState:
        latest = self._latest.get(key)
        return begun if latest is None else EpisodeState.from_channels(latest)

    async def _turn_is_done(self, state: Channels) -> None:
        key = EpisodeKey(profile=state["profile_id"], supporter=state["supporter"], repeat=state["repeat"])
        await self._store.save_turn(state, self._recorders[key].new())
        self._latest[key] = state
        self._tally.turns += 1
        self._report()

    def _account(self, key: EpisodeKey, end: EpisodeState, counter: UsageCounter) -> None:
        self._tally.add(end, key)
        self._tally.add_tokens(total(counter.usage))
        while self._openings.spent:
            self._tally.add_tokens(total(self._openings.spent.pop()))
        if self._openings.over_budget is not None:
            self.stopped = self.stopped or Stopped("budget", self._openings.over_budget)
        for rule in self._stop_rules:
            self.stopped = self.stopped or rule(end, self._tally.tokens)
        self._report()

    def _report(self, *, force: bool = False) -> None:
        now = time.monotonic()
        if self._on_progress is None or (not force and now - self._tally.reported < _REPORT_EVERY_S):
            return
        self._tally.reported = now
        self._on_progress(self._tally.snapshot())

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
        return EpisodeContext(max_turns=run.max_turns, briefing=run.briefing, seed=run.seed)

    def _graph_config(self, key: EpisodeKey, attempt: int, counter: UsageCounter) -> RunnableConfig:
        run = self._assembly.config.run
        recorder = self._recorders[key]
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
                "opening": self._openings.trace_of(key),
            },
            "callbacks": [counter, recorder],
        }  # fmt: skip


def _to_be_judged(state: EpisodeState) -> EpisodeState:
    """Set a completed state back to before its judge, who could not be reached."""
    if state.outcome is None:
        return state
    faults = tuple(fault for fault in state.faults if fault.role != "judge")
    return state.model_copy(update={"last": None, "faults": faults})


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
