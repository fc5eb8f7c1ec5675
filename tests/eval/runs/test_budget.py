"""A budget of tokens and of money: kept while dialogues go on, over all resumes, refused where it cannot be kept."""

from pathlib import Path
from typing import Any

import pytest

from emoharbor.eval import evaluate
from emoharbor.eval.endpoint.scenario import Scenario
from emoharbor.eval.endpoint.server import RunningEndpoint, start_endpoint
from emoharbor.eval.runs.progress import Progress
from emoharbor.state.errors import ConfigError
from emoharbor.state.outcome import Outcome

pytestmark = pytest.mark.slow  # whole runs


def config(endpoint: RunningEndpoint, **changes: Any) -> dict[str, Any]:
    """Two people with one chat model at one USD a thousand tokens."""
    return {
        "run": {"max_turns": 4},
        "profiles": ["P010", "P013"],
        "supporters": [{"name": "bot", "use": "chat", "model": {"model": "tiny", "base_url": endpoint.url}}],
        "prices": {"tiny": {"prompt": 1000, "cached": 0, "completion": 1000}},
        **changes,
    }


async def test_the_cost_stands_beside_the_tokens_in_progress_and_tables(tmp_path: Path) -> None:
    seen: list[Progress] = []
    async with start_endpoint() as endpoint:
        run = await evaluate(config(endpoint), tmp_path / "run", on_progress=seen.append)

    costs = []
    for _, times in run.records():
        assert times.prompt_tokens is not None
        assert times.completion_tokens is not None
        paid = times.prompt_tokens - (times.cached_tokens or 0) + times.completion_tokens
        assert times.cost_usd == pytest.approx(paid / 1000)
        costs.append(times.cost_usd)
    assert seen[-1].cost_usd == pytest.approx(sum(cost or 0 for cost in costs))
    assert run.frame("episodes")["cost_usd"].null_count() == 0
    assert seen[-1].answers.keys() == {f"tiny at {endpoint.url.split('/')[2]}"}
    assert set(seen[-1].seconds_by) == {"person", "supporter", "judge"}
    assert run.manifest.prices == "2026-11-29"


async def test_without_a_price_the_cost_is_null_and_not_0(tmp_path: Path) -> None:
    async with start_endpoint() as endpoint:
        run = await evaluate(config(endpoint, prices={}), tmp_path / "run")

    assert run.frame("episodes")["cost_usd"].null_count() == 2
    assert run.frame("episodes")["prompt_tokens"].null_count() == 0


async def test_a_budget_of_money_stops_in_the_middle_of_a_dialogue_and_goes_on_when_it_is_raised(
    tmp_path: Path,
) -> None:
    async with start_endpoint() as endpoint:
        whole = await evaluate(config(endpoint), tmp_path / "whole")
        asked = endpoint.stats.calls
        limits = {"concurrency": 1, "budget_usd": 0.001}
        run = await evaluate(config(endpoint, limits=limits), tmp_path / "run")
        assert run.stopped is not None
        assert run.stopped.kind == "budget"
        assert "limits.budget_usd is used up: $" in str(run.stopped)
        assert endpoint.stats.calls == asked + 1
        assert [len(record.turns) for record in run.episodes()] == [1]

        same = await evaluate(config(endpoint, limits=limits), tmp_path / "run", resume=True)
        assert same.stopped is not None, "what was spent before counts as well"
        assert endpoint.stats.calls == asked + 1
        done = await evaluate(config(endpoint), tmp_path / "run", resume=True)
        assert endpoint.stats.calls == 2 * asked

    assert [record.outcome for record in done.episodes()] == [Outcome.TURN_CAP] * 2
    assert list(done.episodes()) == list(whole.episodes())
    assert done.frame("episodes")["prompt_tokens"].to_list() == whole.frame("episodes")["prompt_tokens"].to_list()


async def test_a_budget_that_is_used_up_by_the_last_episode_stops_nothing(tmp_path: Path) -> None:
    async with start_endpoint() as endpoint:
        alone = config(endpoint, run={"max_turns": 1}, profiles=["P010"], cast={"user": ["speak"]})
        run = await evaluate({**alone, "limits": {"budget_tokens": 1}}, tmp_path / "run")

    assert run.stopped is None
    assert [record.outcome for record in run.episodes()] == [Outcome.TURN_CAP]


@pytest.mark.parametrize("changes", [{"prices": {}}, {"prices": {"tinier": {"prompt": 1, "completion": 1}}}])
async def test_a_budget_of_money_with_an_unknown_price_is_refused_at_the_start(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    async with start_endpoint() as endpoint:
        with pytest.raises(ConfigError) as caught:
            await evaluate(config(endpoint, limits={"budget_usd": 5}, **changes), tmp_path / "run")

    assert "the price of 'tiny' at 127.0.0.1:" in str(caught.value)
    assert "prices: {'tiny': {prompt:" in str(caught.value)
    assert endpoint.stats.calls == 0
    assert not (tmp_path / "run").exists()


async def test_a_model_that_does_not_state_its_tokens_ends_a_budget_of_money(tmp_path: Path) -> None:
    async with start_endpoint(Scenario(reports_usage=False)) as endpoint:
        run = await evaluate(config(endpoint, limits={"budget_usd": 5, "concurrency": 1}), tmp_path / "run")

    assert "it does not state its tokens" in str(run.stopped)
    assert endpoint.stats.calls == 1


USAGES = [
    pytest.param(None, None, id="no usage"),
    pytest.param({"prompt_tokens": 70}, 70, id="half a usage"),
    pytest.param({"prompt_tokens": 70, "completion_tokens": -1}, 70, id="nonsense"),
]


@pytest.mark.parametrize(("usage", "counted"), USAGES)
async def test_a_model_that_does_not_state_its_tokens_ends_a_budget_of_tokens(
    tmp_path: Path, usage: object, counted: int | None
) -> None:
    scenario = Scenario.model_validate({"rules": [{"reply": [{"usage": usage}, "forever"]}]})
    limits = {"budget_tokens": 10_000_000, "concurrency": 1}
    async with start_endpoint(scenario) as endpoint:
        run = await evaluate(config(endpoint, limits=limits), tmp_path / "run")
        assert f"tiny at {endpoint.url.split('/')[2]} does not state its tokens" in str(run.stopped)
        assert endpoint.stats.calls == 1
        again = await evaluate(config(endpoint, limits=limits), tmp_path / "run", resume=True)
        assert "a model that was called before does not state its tokens" in str(again.stopped)
        assert endpoint.stats.calls == 1

    assert run.frame("episodes")["prompt_tokens"].to_list() == [counted]


async def test_a_model_is_priced_as_itself_beside_a_supporter_whose_name_begins_alike(tmp_path: Path) -> None:
    async with start_endpoint() as one, start_endpoint() as other:
        both = [
            {"name": f"bot{name}", "use": "chat", "model": {"model": "tiny", "base_url": endpoint.url}}
            for name, endpoint in ((".1", one), ("", other))
        ]
        seen: list[Progress] = []
        await evaluate(
            config(one, profiles=["P010"], supporters=both), tmp_path / "run", on_progress=seen.append
        )  # fmt: skip
        hosts = {f"tiny at {endpoint.url.split('/')[2]}" for endpoint in (one, other)}

    assert seen[-1].answers.keys() == hosts
