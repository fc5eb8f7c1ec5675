"""Rating stored episodes: so many at once, each rating saved before the next of its episode begins."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig

from emoharbor.eval.assembly import Assembly
from emoharbor.eval.judging.replay import begun, replaying
from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.runs.budget import Budget
from emoharbor.eval.runs.crew import Crew
from emoharbor.eval.runs.meter import Meter, metered
from emoharbor.eval.runs.mishap import broken_off
from emoharbor.eval.runs.progress import OnProgress, Progress
from emoharbor.eval.runs.stop import EndpointGone, Stopped, why_unmade
from emoharbor.eval.runs.usage import UsageCounter
from emoharbor.eval.store.store import Judging, Store
from emoharbor.eval.traces.feedback import feedback_of
from emoharbor.eval.traces.langsmith import Watch
from emoharbor.eval.traces.recorder import Recorder
from emoharbor.eval.traces.recording import Recording
from emoharbor.graphs.episode import step_limit
from emoharbor.graphs.rating import Rated, build_rating, to_be_rated
from emoharbor.state.episode import EpisodeState
from emoharbor.state.errors import BudgetReached, UserError
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Judgement, Stance

_IN_A_ROW = 3
_REPORT_EVERY_S = 0.1


@dataclass(frozen=True, slots=True)
class Job:
    """Ratings of one episode that are made one after the other.

    Attributes:
        key, number: which episode, and its row id.
        profile: id of who rates.
        stances: of each rating.
        replay: whether the rater goes through the talk first.
    """

    key: EpisodeKey
    number: int
    profile: str
    stances: tuple[Stance, ...]
    replay: bool = False


class Rater:
    """Rates the episodes of one run.

    Attributes:
        stopped: why it ended early; None while it has not.
        failures: ratings that could not be made, by kind, and `unscored`.
        reasons: why, in the judge's or the endpoint's words.
    """

    def __init__(  # noqa: PLR0913 - what rating needs, all but two keyword-only
        self,
        assembly: Assembly,
        store: Store,
        *,
        on_progress: OnProgress | None = None,
        waited: Callable[[], float] = float,
        langsmith: Watch | None = None,
        failures: Mapping[str, int] | None = None,
    ) -> None:
        """Make one.

        Args:
            assembly: the judge, the people, and the person's roles where there is something to replay.
            store: of the run.
            on_progress: told how far it is.
            waited: says how long calls of models have waited for limits.
            langsmith: where the ratings are told as feedback.
            failures: what failed before, to be told with what fails now.
        """
        self._assembly = assembly
        self._store = store
        self._on_progress = on_progress
        self._waited = waited
        self._meter = Meter(assembly, store.reader.spent())
        self._budget = Budget.of(assembly.config.limits)
        self._cast = metered(assembly.cast, self._meter)
        judge = self._cast.judge
        assert judge is not None, "a judge is what this is about"  # noqa: S101 - `take_seats` sees to it
        self._judge = judge
        self._graph = build_rating(judge, assembly.people.__getitem__)
        self._recording = Recording(assembly)
        self._judging = Judging()
        self._langsmith = langsmith or Watch()
        self._gone = EndpointGone(_IN_A_ROW)
        self._crew = Crew()
        self._began = time.monotonic()
        self._reported = 0.0
        self._planned = self._done = self._running = 0
        self._latest = ""
        self.failures: Counter[str] = Counter(failures)
        self.reasons: Counter[str] = Counter()
        self.stopped: Stopped | None = None

    async def run(self, jobs: Sequence[Job]) -> None:
        """Make the ratings of a plan. What is saved stays saved when this is cancelled.

        Raises:
            RunFolderError: when the run folder cannot be written any more.
        """
        self._planned = sum(len(job.stances) for job in jobs)
        self._gone = EndpointGone(max(1, min(_IN_A_ROW, self._planned)))
        self._check_budget()
        self._report(force=True)
        waiting = iter(jobs)
        places = min(self._assembly.config.limits.concurrency, len(jobs))
        try:
            await self._crew.work(places, lambda: self._work(waiting))
        finally:
            if jobs:
                await self._store.save_judging(self._judging)
        if self._done == self._planned:
            self.stopped = None if self.stopped and self.stopped.kind == "budget" else self.stopped
        self._report(force=True)

    def wind_down(self) -> None:
        """Stop: the ratings under way are finished, or when the grace time is over, given up. Again: at once."""
        asked_again = self._crew.winds_down
        self._crew.wind_down(self._assembly.config.limits.grace_s)
        if not asked_again:
            self.stopped = Stopped("interrupt", "interrupted")
            self._report(force=True)

    async def _work(self, jobs: Iterator[Job]) -> None:
        for job in jobs:
            if self.stopped is not None:
                return
            self._running += 1
            try:
                await self._job(job)
            finally:
                self._running -= 1

    async def _job(self, job: Job) -> None:
        state = to_be_rated(self._store.reader.rebuild(job.key))
        first, *further = job.stances
        if job.replay:
            # the first rating ends the replay; the others read the inner world that it left
            state = await self._rate(job, first, state, replays=True)
            if state.outcome is None or not state.outcome.judged:
                return
        else:
            further = list(job.stances)
        for stance in further:
            if self.stopped is not None:
                return
            await self._rate(job, stance, to_be_rated(state))

    async def _rate(self, job: Job, stance: Stance, state: EpisodeState, *, replays: bool = False) -> EpisodeState:
        """Make one rating, save it, and return the state it ended in."""
        recorder = self._recording.rating(job.key.supporter)
        counter = UsageCounter(self._meter)
        end = await self._played(job, stance, state, self._config(job, stance, recorder, counter), replays=replays)
        self._judging.spent += counter.spent
        judgement = end.verdict or self._lost(end, stance)
        if judgement is not None:
            await self._store.save_judgement(job.number, judgement, recorder.rest(), self._judging)
            self._langsmith.rate(recorder.root, list(feedback_of(None, "", [judgement])))
        self._account(job, end, judgement)
        return end

    async def _played(
        self, job: Job, stance: Stance, state: EpisodeState, config: RunnableConfig, *, replays: bool
    ) -> EpisodeState:
        begin = state
        try:
            if replays:
                profile = self._assembly.people[job.profile]
                begin = begun(profile, state)
                graph = replaying(self._cast, profile, state, stance)
                end = await graph.ainvoke(begin.channels(), config, version="v2")
            else:
                rated = Rated(stance, job.profile)
                end = await self._graph.ainvoke(state.channels(), config, context=rated, version="v2")
            return EpisodeState.from_channels(end.value)
        except BudgetReached as spent:
            self.stopped = self.stopped or Stopped("budget", str(spent))
            return broken_off(begin, spent)
        except UserError:
            raise
        except Exception as error:  # noqa: BLE001 - a fault in one rating must not end the others
            return broken_off(begin, error)

    def _lost(self, end: EpisodeState, stance: Stance) -> Judgement | None:
        """Return an unscored judgement for a replay that the rater fell out of: to try again would not mend it."""
        if end.outcome is not Outcome.USER_INVALID:
            return None
        judge, rubric = self._judge.name, self._judge.rubric
        return Judgement(
            **stance.model_dump(), judge=judge, rubric=rubric.id if rubric else "none",
            unscored=f"the replay broke off at turn {end.turn}: {end.outcome_reason}",
        )  # fmt: skip

    def _account(self, job: Job, end: EpisodeState, judgement: Judgement | None) -> None:
        self._done += 1
        self._latest = str(job.key)
        if judgement is None:
            self.failures["unjudged"] += 1
            self.reasons[why_unmade(end)] += 1
        elif judgement.unscored is not None:
            self.failures["unscored"] += 1
            self.reasons[judgement.unscored] += 1
        self.stopped = self.stopped or self._gone(end)
        self._check_budget()
        self._report()

    def _check_budget(self) -> None:
        reason = self._budget.ended(self._meter)
        if reason is not None:
            self.stopped = self.stopped or Stopped("budget", reason)

    def _report(self, *, force: bool = False) -> None:
        now = time.monotonic()
        if self._on_progress is None or (not force and now - self._reported < _REPORT_EVERY_S):
            return
        self._reported = now
        meter = self._meter
        self._on_progress(
            Progress(
                planned=self._planned, done=self._done, running=self._running, seconds=now - self._began,
                failures=dict(self.failures), tokens=meter.spent.tokens, cost_usd=meter.spent.cost_usd,
                latest=self._latest, seconds_by=dict(meter.seconds), waited=self._waited(),
                stopping=self._crew.winds_down, unit="ratings",
                answers={label: (entry.calls, entry.seconds) for label, entry in meter.endpoints.items()},
            )
        )  # fmt: skip

    def _config(self, job: Job, stance: Stance, recorder: Recorder, counter: UsageCounter) -> RunnableConfig:
        about: Mapping[str, Any] = {name: value for name, value in stance if value not in (None, "")}
        return {
            "recursion_limit": step_limit(self._assembly.config.run.max_turns),
            "run_id": recorder.root,
            "run_name": f"{job.key} rated again",
            "tags": ["emoharbor", "rating"],
            "metadata": {
                "run": self._assembly.config.run.name, "profile": job.key.profile, "supporter": job.key.supporter,
                "episode_repeat": job.key.repeat, "rated_as": job.profile, **about,
            },
            "callbacks": [counter, recorder],
        }  # fmt: skip
