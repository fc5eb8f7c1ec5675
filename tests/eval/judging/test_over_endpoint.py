"""Judges that ask a model, over HTTP on loopback: calls, tokens, budgets, what the manifest keeps."""

import json
from collections import Counter
from pathlib import Path

import pytest
import yaml
from helpers.judging import CONFIG, PEOPLE, Command

from emoharbor.eval.config import make_config
from emoharbor.eval.endpoint.scenario import Scenario
from emoharbor.eval.endpoint.server import RunningEndpoint, endpoint_in_thread
from emoharbor.eval.estimate import estimate
from emoharbor.eval.run import load_run
from emoharbor.nodes.rubric import load_rubric

pytestmark = pytest.mark.slow  # each starts a server
TEN = len(load_rubric().dimensions)
EPISODES = 2 * len(PEOPLE)


def judge_file(folder: Path, endpoint: RunningEndpoint, **more: object) -> str:
    model = {"model": "gpt-4.1-mini", "base_url": endpoint.url, "rehearsal": True, "retries": 0, "temperature": 0}
    (folder / "mine.yaml").write_text(yaml.safe_dump({"use": "llm", "model": model, **more}), encoding="utf-8")
    return "mine.yaml"


def test_one_call_a_dimension_takes_ten_calls_a_rating(run: Path, judge: Command) -> None:
    with endpoint_in_thread() as endpoint:
        file = judge_file(run.parent, endpoint, mode="one_per_dimension")
        ended = judge("--judge", file, "--limit", "2", "--repeats", "2")
        assert ended.code == 0
        assert endpoint.stats.by_role == Counter(judge=2 * 2 * TEN)
    opened = load_run(run)
    (rated, *_) = [item for item in opened.episode("P001/generic").judgements if not item.own]

    assert len(rated.ratings) == TEN
    assert all(item.score is not None for item in rated.ratings)
    calls = [item for item in opened.trace("P001/generic").ratings if item.type == "llm"]
    assert len(calls) == 2 * TEN
    assert all(call.usage.prompt for call in calls)


def test_the_estimate_counts_repeats_and_a_call_for_each_dimension() -> None:
    judge = {"use": "llm", "model": {"model": "m"}}
    plain, all_of_it = (
        estimate(make_config({**CONFIG, "cast": {"judge": {**judge, **more}}}), len(PEOPLE)).roles["judge"]
        for more in ({}, {"mode": "one_per_dimension", "repeats": 3})
    )

    assert plain.calls == EPISODES
    assert all_of_it.calls == EPISODES * TEN * 3
    assert all_of_it.prompt_tokens == plain.prompt_tokens * TEN * 3
    assert all_of_it.completion_tokens == plain.completion_tokens * 3


def test_what_judging_costs_is_part_of_what_the_run_costs(run: Path, judge: Command) -> None:
    with endpoint_in_thread() as endpoint:
        file = judge_file(run.parent, endpoint)
        first = judge("--judge", file, "--budget-tokens", "1", "--concurrency", "1")
        assert first.code == 3
        assert "limits.budget_tokens is used up" in first.err
        assert "give the same command again to go on with a higher --budget-usd or --budget-tokens" in first.err
        rated = endpoint.stats.calls
        assert 0 < rated < EPISODES
        assert judge("--judge", file, "--budget-tokens", "1").code == 3
        assert endpoint.stats.calls == rated
        assert judge("--judge", file).code == 0
        assert endpoint.stats.calls == EPISODES
    assert "tokens" in judge("--judge", "offline", "--repeats", "2").err.splitlines()[-1]


def test_a_key_that_is_refused_stops_after_three_and_costs_no_rating(run: Path, judge: Command) -> None:
    refused = Scenario.model_validate({"rules": [{"when": {"role": "judge"}, "reply": [{"status": 401}, "forever"]}]})
    with endpoint_in_thread(refused) as endpoint:
        file = judge_file(run.parent, endpoint)
        ended = judge("--judge", file, "--concurrency", "1")
    assert ended.code == 2
    assert "3 episodes in a row ended the same way: unauthorised" in ended.err
    with endpoint_in_thread() as endpoint:
        assert judge("--judge", judge_file(run.parent, endpoint), "--json").data["planned"] == EPISODES


def test_a_reply_that_cannot_be_read_is_unscored_and_kept(run: Path, judge: Command) -> None:
    broken = Scenario.model_validate(
        {"rules": [{"when": {"role": "judge"}, "reply": [{"raw_text": "ten out of ten"}, "forever"]}]}
    )
    with endpoint_in_thread(broken) as endpoint:
        ended = judge("--judge", judge_file(run.parent, endpoint), "--limit", "1")
    (rated,) = [item for item in load_run(run).episode("P001/generic").judgements if not item.own]

    assert ended.code == 1
    assert "1 rating without a score (unscored 1)." in ended.err
    assert rated.scores is None
    assert rated.raw == "ten out of ten"


@pytest.mark.parametrize("more", [{"temperature": 1}, {"model": "gpt-4.1"}])
def test_another_model_or_temperature_is_another_judge_and_the_manifest_tells(
    run: Path, judge: Command, more: dict[str, object]
) -> None:
    with endpoint_in_thread() as endpoint:
        file = judge_file(run.parent, endpoint)
        judge("--judge", file, "--limit", "1")
        data = yaml.safe_load((run.parent / file).read_text(encoding="utf-8"))
        (run.parent / file).write_text(yaml.safe_dump({**data, "model": {**data["model"], **more}}), encoding="utf-8")
        judge("--judge", file, "--limit", "1")
    _, first, second = load_run(run).manifest.judges

    assert first.judge_id != second.judge_id
    assert (first.name, second.name) == ("mine", f"mine {second.judge_id[:6]}")
    assert first.prompts == second.prompts != {}
    assert second.model is not None
    assert all(second.model[name] == value for name, value in more.items())
    assert json.loads((run / "manifest.json").read_text(encoding="utf-8"))["endpoints"]
