"""Runs of scripted casts: isolation, openings, resume, stopping."""

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.runs import assembly, canonical, play
from helpers.scripted import Script, part

from emoharbor.eval.record import EpisodeKey, EpisodeRecord
from emoharbor.eval.run import Run
from emoharbor.eval.runs.progress import Progress
from emoharbor.eval.runs.stop import EndpointGone
from emoharbor.eval.store.store import Store
from emoharbor.nodes.cast import Cast, Part
from emoharbor.nodes.contract import Request, RoleNode, Runtime
from emoharbor.state.base import Role
from emoharbor.state.episode import Channels, EpisodeState
from emoharbor.state.errors import BudgetReached, Overloaded, RunFolderError, Unauthorised
from emoharbor.state.outcome import Outcome
from emoharbor.state.updates import JudgeUpdate, SupporterUpdate, ThinkUpdate
from emoharbor.state.verdict import Judgement

pytestmark = pytest.mark.slow  # whole runs, broken off and gone on with

CHAINS: tuple[tuple[Role, ...], ...] = (("feel", "think", "speak"), ("speak",), ("fused",), ("feel", "speak"))


def breaking(script: Script, when: Counter[tuple[str, int]], error: BaseException) -> Part:
    """A supporter that fails at a turn as often as `when` says, for ("turn", n), and answers else."""

    async def answer(request: Request) -> SupporterUpdate:
        if when["turn", request.turn] > 0:
            when["turn", request.turn] -= 1
            raise error
        script.called.append(("supporter", request.turn))
        return SupporterUpdate(message=script.answers(request))

    return part("supporter", answer)


class ThinkError(Script):
    """`think` has a bug that shows with one person."""

    def thinking(self, state: Channels, runtime: Runtime) -> ThinkUpdate:
        if state["profile_id"] == "P035" and state["turn"] == 1:
            msg = "a bug with sk-abcdefghijklmnop in it"
            raise KeyError(msg)
        return super().thinking(state, runtime)


async def test_every_episode_of_the_plan_is_played_and_kept(tmp_path: Path) -> None:
    run = await play(assembly(Script(), run={"repeats": 2}), tmp_path / "run")

    assert {record.episode for record in run.episodes()} == {str(key) for key in run.planned()}
    assert {record.outcome for record in run.episodes()} == {Outcome.TURN_CAP}
    assert run.stopped is None


@pytest.mark.parametrize("chain", CHAINS)
async def test_the_opening_is_made_once_for_all_supporters(tmp_path: Path, chain: tuple[Role, ...]) -> None:
    script = Script(chain=chain)

    await play(assembly(script, run={"repeats": 2}), tmp_path / "run")

    opened = Counter(call for call in script.called if call[1] == 0)
    assert opened == {**{(role, 0): 3 * 2 for role in chain}, ("supporter", 0): 3 * 2 * 2}


async def test_a_bug_in_a_node_ends_its_episodes_and_no_others(tmp_path: Path) -> None:
    run = await play(assembly(ThinkError()), tmp_path / "run")

    outcomes = {(record.profile, record.outcome) for record in run.episodes()}
    assert outcomes == {
        ("P010", Outcome.TURN_CAP), ("P035", Outcome.INFRASTRUCTURE), ("P040", Outcome.TURN_CAP)
    }  # fmt: skip
    broken = run.episode("P035/one")
    said = "node 'think' (scripted) failed: KeyError: 'a bug with [key] in it' (test_runner.py:"
    assert broken.outcome_reason.startswith(said)
    assert [(fault.role, fault.turn, fault.kind) for fault in broken.faults] == [("think", 1, "exception")]
    assert broken.turns[0].supporter is not None


async def test_a_bug_in_the_opening_is_isolated_too(tmp_path: Path) -> None:
    class Mute(Script):
        def thinking(self, state: Channels, runtime: Runtime) -> ThinkUpdate:
            if state["profile_id"] == "P010":
                raise ZeroDivisionError
            return super().thinking(state, runtime)

    run = await play(assembly(Mute()), tmp_path / "run")

    assert Counter(record.outcome for record in run.episodes()) == {Outcome.INFRASTRUCTURE: 2, Outcome.TURN_CAP: 4}


async def test_code_that_cancels_itself_ends_its_episode_only(tmp_path: Path) -> None:
    class Cancels(Script):
        def thinking(self, state: Channels, runtime: Runtime) -> ThinkUpdate:
            if state["profile_id"] == "P010" and state["turn"] == 1:
                raise asyncio.CancelledError
            return super().thinking(state, runtime)

    run = await play(assembly(Cancels()), tmp_path / "run")

    assert Counter(record.outcome for record in run.episodes()) == {Outcome.INFRASTRUCTURE: 2, Outcome.TURN_CAP: 4}


async def test_no_more_episodes_run_at_once_than_allowed(tmp_path: Path) -> None:
    script, running, most = Script(), 0, 0

    async def answer(request: Request) -> SupporterUpdate:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.005)
        running -= 1
        return SupporterUpdate(message=f"An answer at turn {request.turn}.")

    slow = {name: part("supporter", answer) for name in "abcd"}
    await play(assembly(script, supporters=slow, concurrency=3), tmp_path / "run")

    assert 1 < most <= 3


@pytest.mark.parametrize("chain", CHAINS)
async def test_the_order_of_playing_leaves_no_mark(tmp_path: Path, chain: tuple[Role, ...]) -> None:
    first = await play(assembly(Script(chain=chain), concurrency=1), tmp_path / "1")
    second = await play(assembly(Script(chain=chain), concurrency=8), tmp_path / "8")

    assert canonical(first, tmp_path / "1") == canonical(second, tmp_path / "8")


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("turn", [0, 1, 2])
async def test_a_run_that_was_cancelled_goes_on_from_its_finished_turns(
    tmp_path: Path, chain: tuple[Role, ...], turn: int
) -> None:
    whole = await play(assembly(Script(chain=chain)), tmp_path / "whole")
    script, blocked = Script(chain=chain), asyncio.Event()

    async def answer(request: Request) -> SupporterUpdate:
        if request.turn == turn and not resumed:
            blocked.set()
            await asyncio.Event().wait()
        script.called.append(("supporter", request.turn))
        return SupporterUpdate(message=script.answers(request))

    resumed = False
    found = assembly(script, supporters={name: part("supporter", answer) for name in ("one", "two")})
    task = asyncio.create_task(play(found, tmp_path / "run"))
    await blocked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    resumed = True
    saved = {record.episode: _answered(record) for record in Run(tmp_path / "run").episodes()}
    script.called.clear()
    run = await play(found, tmp_path / "run", resume=True)

    assert canonical(run, tmp_path / "run") == canonical(whole, tmp_path / "whole")
    still = Counter(turn for key in run.planned() for turn in range(saved.get(str(key), 0), 3))
    assert Counter(turn for role, turn in script.called if role == "supporter") == still


async def test_an_unfinished_episode_goes_on_and_a_finished_one_is_left_alone(tmp_path: Path) -> None:
    whole = await play(assembly(Script()), tmp_path / "whole")
    script = Script()
    down = Counter({("turn", 1): 2})
    found = assembly(script, supporters={"one": breaking(script, down, Overloaded("503")),
                                         "two": part("supporter", script.supporter())})  # fmt: skip
    broken = await play(found, tmp_path / "run")

    assert Counter(record.outcome for record in broken.episodes()) == {Outcome.INFRASTRUCTURE: 2, Outcome.TURN_CAP: 4}
    run = await play(found, tmp_path / "run", resume=True)
    assert canonical(run, tmp_path / "run") == canonical(whole, tmp_path / "whole")
    answered = Counter(call for call in script.called if call[0] == "supporter")
    assert set(answered.values()) == {3 * 2}


async def test_a_supporter_that_keeps_the_dialogue_itself_starts_again(tmp_path: Path) -> None:
    script, threads, down = Script(), set[tuple[int, str]](), [Overloaded("503")]

    async def answer(request: Request) -> SupporterUpdate:
        threads.add((request.turn, request.thread_id))
        if request.turn == 1 and down:
            raise down.pop()
        return SupporterUpdate(message=script.answers(request))

    remembers = Part("supporter", "offline", {"send": "last"}, "0", None, answer)
    found = assembly(script, profiles=("P010",), supporters={"one": remembers})
    await play(found, tmp_path / "run")
    run = await play(found, tmp_path / "run", resume=True)

    ((record, times),) = run.records()
    assert (record.outcome, times.attempt) == (Outcome.TURN_CAP, 1)
    assert len({thread for _, thread in threads}) == 2
    assert len({thread for turn, thread in threads if turn == 0}) == 2


@pytest.mark.parametrize("fault", [Overloaded("503"), KeyError("a bug in the judge"), None])
@pytest.mark.parametrize("chain", CHAINS)
async def test_a_judge_that_could_not_be_reached_or_broke_is_asked_on_resume(
    tmp_path: Path, chain: tuple[Role, ...], fault: Exception | None
) -> None:
    class Judged(Script):
        down = True

        def cast(self) -> Cast:
            async def judge(state: Channels, _: Runtime) -> JudgeUpdate:
                self.called.append(("judge", state["turn"]))
                if self.down and fault is None:
                    return "no update at all"  # type: ignore[return-value]  # the bug under test
                if self.down and fault is not None:
                    raise fault
                return JudgeUpdate(judgement=Judgement(judge="scripted", rubric="none", unscored="a scripted judge"))

            return replace(super().cast(), judge=part("judge", judge))

    whole = await play(assembly(Script(chain=chain)), tmp_path / "whole")
    script = Judged(chain=chain)
    found = assembly(script)
    waiting = await play(found, tmp_path / "run")
    assert {record.judgements for record in waiting.episodes()} == {()}
    assert waiting.leaderboard().supporters[0].counts.unfinished == 3
    script.down = False
    script.called.clear()
    run = await play(found, tmp_path / "run", resume=True)

    assert Counter(role for role, _ in script.called) == {"judge": 6}
    assert canonical(run, tmp_path / "run") == canonical(whole, tmp_path / "whole")


async def test_resuming_a_finished_run_plays_nothing(tmp_path: Path) -> None:
    script = Script()
    found = assembly(script)
    await play(found, tmp_path / "run")
    script.called.clear()

    await play(found, tmp_path / "run", resume=True)

    assert script.called == []


async def test_an_endpoint_that_refuses_the_key_stops_the_run(tmp_path: Path) -> None:
    script = Script()
    refused = breaking(script, Counter({("turn", 0): 99}), Unauthorised("401"))
    found = assembly(script, supporters={"one": refused, "two": refused}, concurrency=1)

    run = await play(found, tmp_path / "run")

    assert run.stopped is not None
    assert run.stopped.kind == "endpoint"
    assert str(run.stopped) == "3 episodes in a row ended the same way: unauthorised: 401"
    assert len(list(run.episodes())) == 3


async def test_a_spent_budget_stops_the_run_and_keeps_what_is_done(tmp_path: Path) -> None:
    class Spent(Script):
        def thinking(self, state: Channels, runtime: Runtime) -> ThinkUpdate:
            if state["profile_id"] == "P035":
                msg = "20 USD are spent"
                raise BudgetReached(msg)
            return super().thinking(state, runtime)

    run = await play(assembly(Spent(), concurrency=1), tmp_path / "run")

    assert run.stopped is not None
    assert (run.stopped.kind, run.stopped.reason) == ("budget", "20 USD are spent")
    assert Counter(record.outcome for record in run.episodes()) == {Outcome.TURN_CAP: 1}


@pytest.mark.parametrize("reason", ["unauthorised: 401", "model_not_found: 404", "quota_spent: 429"])
def test_the_stop_rule_counts_only_what_is_in_a_row(person_state: EpisodeState, reason: str) -> None:
    rule = EndpointGone(2)
    refused = person_state.model_copy(update={"outcome": Outcome.INFRASTRUCTURE, "outcome_reason": reason})
    fine = person_state.model_copy(update={"outcome": Outcome.TURN_CAP})

    assert [bool(rule(state)) for state in (refused, fine, refused, refused)] == [False, False, False, True]


async def test_progress_begins_at_nothing_and_ends_at_everything(tmp_path: Path) -> None:
    seen: list[Progress] = []

    await play(assembly(ThinkError()), tmp_path / "run", on_progress=seen.append)

    assert (seen[0].planned, seen[0].done, seen[0].seconds_left) == (6, 0, None)
    assert (seen[-1].done, seen[-1].running, seen[-1].seconds_left) == (6, 0, 0)
    assert seen[-1].outcomes == {"turn_cap": 4, "infrastructure": 2}
    assert seen[-1].failures == {"infrastructure": 2, "unscored": 4}


async def test_progress_is_told_while_first_messages_are_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("emoharbor.eval.runs.runner._BEAT_S", 0.15)
    seen: list[Progress] = []

    class Slow(Script):
        def nodes(self) -> dict[Role, RoleNode]:
            nodes = super().nodes()
            feel = nodes["feel"]

            async def slow(state: Channels, runtime: Runtime) -> Any:
                await asyncio.sleep(0.5 if state["turn"] == 0 else 0)
                return await feel(state, runtime)

            return {**nodes, "feel": slow}

    await play(assembly(Slow()), tmp_path / "run", on_progress=seen.append)

    assert any(item.openings and not item.done for item in seen)
    assert (seen[-1].openings, seen[-1].done) == (0, 6)


async def test_a_changed_config_is_refused_with_the_difference(tmp_path: Path) -> None:
    await play(assembly(Script(), run={"seed": 7}), tmp_path / "run")

    with pytest.raises(RunFolderError, match=r"config\.run\.seed was 7, now it is 8"):
        await play(assembly(Script(), run={"seed": 8}), tmp_path / "run", resume=True)


async def test_another_concurrency_is_no_changed_config(tmp_path: Path) -> None:
    await play(assembly(Script(), concurrency=1), tmp_path / "run")

    assert await play(assembly(Script(), concurrency=2), tmp_path / "run", resume=True)


@pytest.mark.parametrize("chain", CHAINS)
async def test_the_state_at_any_turn_follows_from_the_rows(
    tmp_path: Path, chain: tuple[Role, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[tuple[EpisodeKey, int], EpisodeState] = {}
    ended: dict[EpisodeKey, EpisodeState] = {}
    save_turn, finish = Store.save_turn, Store.finish

    async def watch_turn(store: Store, state: Channels, *rest: object) -> None:
        whole = EpisodeState.from_channels(state)
        seen[_key(whole), whole.turn] = whole
        await save_turn(store, state, *rest)  # type: ignore[arg-type]  # passed through as it came

    async def watch_end(store: Store, state: EpisodeState, *rest: object) -> None:
        ended[_key(state)] = state
        await finish(store, state, *rest)  # type: ignore[arg-type]  # passed through as it came

    monkeypatch.setattr(Store, "save_turn", watch_turn)
    monkeypatch.setattr(Store, "finish", watch_end)
    run = await play(assembly(Script(chain=chain, leaves_at=2), run={"max_turns": 4}), tmp_path / "run")

    assert len(seen) >= 6 * 2
    for (key, turn), state in seen.items():
        assert run.state(key, turn) == state
    for key, state in ended.items():
        assert run.state(key) == state


def _answered(record: EpisodeRecord) -> int:
    return sum(turn.supporter is not None for turn in record.turns)


def _key(state: EpisodeState) -> EpisodeKey:
    return EpisodeKey(profile=state.profile_id, supporter=state.supporter, repeat=state.repeat)
