"""Judging a stored run again: what is added, what is left alone, and what is refused."""

import json
import shutil
from pathlib import Path

import pytest
from helpers import judges
from helpers.judging import CONFIG, PEOPLE, Command, rows, watched

from emoharbor.eval.api import evaluate_sync, judge_run_sync
from emoharbor.eval.config import Limits
from emoharbor.eval.judging.request import Request
from emoharbor.eval.run import Run, load_run
from emoharbor.eval.runs.plan import Selection
from emoharbor.eval.runs.progress import Progress
from emoharbor.eval.traces.feedback import feedback_of
from emoharbor.state.verdict import Judgement

pytestmark = pytest.mark.slow  # whole runs, rated again

EPISODES = 2 * len(PEOPLE)


def all_of(run: Path) -> list[Judgement]:
    return [item for record in load_run(run).episodes() for item in record.judgements]


def dialogues(run: Path) -> list[object]:
    return [(record.episode, record.turns, record.outcome) for record in load_run(run).episodes()]


def test_repeats_of_the_own_judge_are_added_and_nothing_else_changes(run: Path, judge: Command) -> None:
    before = dialogues(run)
    ended = judge("--repeats", "3", "--json")

    assert ended.code == 0
    assert ended.data["planned"] == 2 * EPISODES
    assert dialogues(run) == before
    for result in load_run(run).results():
        assert [item.repeat for item in result.primary] == [0, 1, 2]
        assert result.primary == result.judgements
        assert len({item.judge_id for item in result.judgements}) == 1
    assert judge("--repeats", "3").err.splitlines()[-1] == "nothing was left to rate"


@pytest.mark.slow
def test_many_judges_stand_side_by_side_told_apart_by_model_prompt_and_rubric(run: Path, judge: Command) -> None:
    (run.parent / "mine.yaml").write_text("use: offline\nrubric: hill\n", encoding="utf-8")
    assert judge("--judge", "helpers.judges:harsh").code == 0
    assert judge("--judge", "helpers.judges:gappy", "--repeats", "2").code == 0
    assert judge("--judge", "mine.yaml").code == 1  # the offline rules know no stage of Hill's
    opened = load_run(run)

    assert [record.name for record in opened.manifest.judges] == [
        "judge", "helpers.judges:harsh", "helpers.judges:gappy", "mine"
    ]  # fmt: skip
    ids = [record.judge_id for record in opened.manifest.judges]
    assert len(set(ids)) == 4
    assert [record.own for record in opened.manifest.judges] == [True, False, False, False]
    for result in opened.results():
        assert [ids.index(item.judge_id) for item in result.judgements if item.own] == [0]
        assert sorted(ids.index(item.judge_id) for item in result.judgements) == [0, 1, 2, 2, 3]


@pytest.mark.slow
def test_a_judge_of_the_manifest_is_named_again_by_its_name(run: Path, judge: Command) -> None:
    (run.parent / "mine.yaml").write_text("name: second\nuse: helpers.judges:harsh\n", encoding="utf-8")
    judge("--judge", "mine.yaml")
    (run.parent / "mine.yaml").unlink()

    assert judge("--judge", "second", "--repeats", "2", "--json").data["planned"] == EPISODES
    assert len(load_run(run).manifest.judges) == 2


def test_the_same_judge_by_another_name_is_the_same_judge(run: Path, judge: Command) -> None:
    assert judge("--judge", "offline", "--json").data == {**judge("--json").data}
    assert judge("--judge", "offline", "--rubric", "ten", "--json").data["planned"] == 0


def test_without_the_log_it_is_another_rating_and_not_the_runs_own(run: Path, judge: Command) -> None:
    assert judge("--without-log").code == 0
    found = [item for item in all_of(run) if not item.with_log]

    assert len(found) == EPISODES
    assert not any(item.own or item.control or item.counterfactual for item in found)


def test_the_judge_sees_the_log_only_when_it_may(run: Path, judge: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watched(run, monkeypatch)
    judge("--judge", "helpers.judges:watching", "--limit", "1")
    judge("--judge", "helpers.judges:watching", "--limit", "1", "--without-log")
    with_log, without = rows(seen)

    assert with_log["worlds"]
    assert with_log["inner"]
    assert not without["worlds"]
    assert not without["inner"]
    assert not with_log["supporter"]
    assert with_log["seed"] == without["seed"]


def test_a_part_of_the_run_is_rated_when_it_is_asked_for(run: Path, judge: Command) -> None:
    part = ("--judge", "helpers.judges:harsh", "--profiles", "P010,P013", "--supporters", "generic")
    assert judge(*part, "--limit", "1", "--json").data["planned"] == 1
    assert judge(*part, "--json").data["planned"] == 1
    assert judge("--judge", "helpers.judges:harsh", "--json").data["planned"] == EPISODES - 2


def test_what_could_not_be_reached_is_rated_next_time_and_nothing_twice(
    run: Path, judge: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = watched(run, monkeypatch)
    monkeypatch.setenv(judges.FAILS, "P010,P013")
    first = judge("--judge", "helpers.judges:watching", "--json")
    assert (first.code, first.data["failures"]) == (1, {"unjudged": 4})
    assert first.err.splitlines()[-1].startswith("why: unreachable: ")
    monkeypatch.setenv(judges.FAILS, "")
    second = judge("--judge", "helpers.judges:watching", "--json")

    assert (second.code, second.data["planned"]) == (0, 4)
    assert len(rows(seen)) == EPISODES
    assert all(len(result.judgements) == 2 for result in load_run(run).results())


def test_a_judging_that_was_stopped_goes_on_and_ends_the_same(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watched(run, monkeypatch)
    other = run.parent / "whole"
    shutil.copytree(run, other)
    request = Request(judge="helpers.judges:watching", repeats=2)

    def stop(progress: Progress) -> None:
        if progress.done >= 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge_run_sync(run, request, on_progress=stop, limits=Limits(concurrency=2))
    kept = len(rows(seen))
    assert 0 < kept < 2 * EPISODES
    again = judge_run_sync(run, request)

    assert 2 * EPISODES - kept <= again.planned < 2 * EPISODES
    judge_run_sync(other, request)
    assert [(item.repeat, item.order, item.scores) for item in all_of(run)] == [
        (item.repeat, item.order, item.scores) for item in all_of(other)
    ]


def test_missing_stays_missing(run: Path, judge: Command) -> None:
    assert judge("--judge", "helpers.judges:gappy").code == 0
    for item in all_of(run):
        if not item.own:
            assert item.scores is not None
            assert (item.scores.tailored, item.scores.gap, item.scores.overall) == (None, None, None)
            assert item.scores.general is not None
            lost = {rating.dimension for rating in item.ratings if rating.score is None}
            assert lost >= {"need_fit", "discovery"}


def test_a_run_may_rate_each_episode_several_times_by_itself(here: Path) -> None:
    cast = {"judge": {"use": "offline", "repeats": 3}}
    opened = evaluate_sync({**CONFIG, "cast": cast, "profiles": ["P010"]}, here / "thrice")

    assert [[item.repeat for item in record.primary] for record in opened.episodes()] == [[0, 1, 2]] * 2
    assert opened.frame("ratings").height == 2 * 3 * 10
    assert opened.frame("episodes")["overall"].to_list() == [
        record.primary[0].scores.overall if record.primary[0].scores else None for record in opened.episodes()
    ]


def test_a_run_whose_further_ratings_were_lost_makes_them_on_resume(here: Path) -> None:
    cast = {"judge": {"use": "offline", "repeats": 2}}
    config = {**CONFIG, "cast": cast, "profiles": ["P010"]}
    counts: list[int] = []

    def stop(progress: Progress) -> None:
        if progress.unit == "ratings":
            counts.append(progress.planned)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_sync(config, here / "run", on_progress=stop)
    opened = evaluate_sync(config, here / "run", resume=True)

    assert counts[0] == 2
    assert [len(record.primary) for record in opened.episodes()] == [2, 2]


def test_a_run_without_a_judge_takes_the_first_that_rates_it_for_its_own(here: Path) -> None:
    evaluate_sync({**CONFIG, "cast": {"judge": None}, "profiles": ["P010"]}, here / "run")
    assert not any(record.judgements for record in load_run(here / "run").episodes())

    judge_run_sync(here / "run", Request(judge="offline"))
    judge_run_sync(here / "run", Request(judge="helpers.judges:harsh"))
    opened = load_run(here / "run")

    assert [[item.judge for item in record.primary] for record in opened.episodes()] == [["offline"]] * 2
    assert opened.leaderboard().supporters[0].overall is not None


def test_ratings_are_exported_with_all_that_tells_them_apart(run: Path, judge: Command) -> None:
    judge("--counterfactual", "person")
    table = load_run(run).frame("ratings")
    columns = ["judge_id", "own", "judge_repeat", "control", "counterfactual", "with_log"]

    assert table.select(*columns).unique().height == 1 + 2 + len(PEOPLE)
    assert table.height == 10 * EPISODES * 4


@pytest.mark.slow
def test_later_ratings_leave_traces_and_distinct_feedback(run: Path, judge: Command) -> None:
    judge("--counterfactual", "person")
    judge("--judge", "helpers.judges:harsh", "--repeats", "2")
    opened = load_run(run)
    trace = opened.trace("P010/attuned")
    roots = [item for item in trace.ratings if item.parent is None]
    record = opened.episode("P010/attuned")
    keys = [item.key for item in feedback_of(record.outcome, "", record.judgements)]

    assert len(roots) == 5
    assert {item.name for item in trace.ratings if item.seat} == {"judge"}
    assert [item.trace for item in trace.roots] == [trace.roots[0].id]
    assert len(keys) == len(set(keys)) > 60
    assert "empathy" in keys


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--judge", "nobody"), "no judge or model of this name; it has: judge, other, offline; or give a YAML file"),
        (("--judge", "nowhere.yaml"), "nowhere.yaml: cannot be read"),
        (("--judge", "no_such.module:judge"), "there is no module 'no_such'"),
        (("--rubric", "nowhere"), "nowhere: cannot be read"),
        (("--profiles", "P099"), "no profile of this run is called 'P099'"),
        (("--supporters", "x"), "no supporter of this run is called 'x'"),
        (("--without-log", "--counterfactual", "person"), "--without-log: leave it out beside --counterfactual"),
        (("--budget-usd", "-1"), "--budget-usd -1.0: an amount above 0"),
        (("--repeats", "0"), "greater than or equal to 1"),
    ],
)
def test_a_mistake_is_one_line_and_changes_nothing(
    run: Path, judge: Command, arguments: tuple[str, ...], says: str
) -> None:
    before = (run / "manifest.json").read_bytes()
    ended = judge(*arguments)

    assert ended.code == 2
    assert says in ended.err
    assert ended.err.count("\n") == 1
    assert (run / "manifest.json").read_bytes() == before


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("model: other\n", "holds no judge; write what a config has under cast.judge"),
        ("use: llm\nmodel: {model: m, api_key: sk-abcdefghijklmnop}\n", "mine.yaml:2: model.api_key looks like a key"),
        ("use: [\n", "mine.yaml:"),
    ],
)
def test_a_file_that_holds_no_judge_is_one_line(run: Path, judge: Command, text: str, says: str) -> None:
    (run.parent / "mine.yaml").write_text(text, encoding="utf-8")
    ended = judge("--judge", "mine.yaml")

    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert says in ended.err
    assert "sk-abc" not in ended.err


def test_people_who_have_changed_since_are_not_rated_as(here: Path, judge: Command) -> None:
    manifest = here / "run" / "manifest.json"
    data = json.loads(manifest.read_text(encoding="utf-8"))
    data["profiles"]["P010"] = "0" * 64
    manifest.write_text(json.dumps(data), encoding="utf-8")

    assert "profile P010 has changed since the run" in judge().err


def test_judging_a_selection_leaves_the_plan_alone(run: Path) -> None:
    judge_run_sync(run, Request(judge="offline", repeats=2, only=Selection(profiles=("P010",))))

    assert len(Run(run).planned()) == EPISODES
