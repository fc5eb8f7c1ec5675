"""Every arm of an ablation runs on the bundled endpoint, takes the documented calls, and is held against the whole."""

import json
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from emoharbor.eval.ablating import RESULTS, ablate, compared, estimate_of, look_at
from emoharbor.eval.ablations import arms_of
from emoharbor.eval.cli.main import call
from emoharbor.eval.config import RunConfig, make_config
from emoharbor.eval.endpoint.scenario import Scenario
from emoharbor.eval.endpoint.server import start_endpoint
from emoharbor.eval.run import load_run
from emoharbor.eval.statistics.ablated import compare_arm
from emoharbor.eval.statistics.method import How
from emoharbor.nodes.models.client import Models
from emoharbor.state.errors import ConfigError

pytestmark = pytest.mark.slow  # whole runs, several each

LLM = {"use": "llm", "model": "m"}
GOES_ON = {"wants_to_continue": True, "intention": "elaborate"}
UP_AND_DOWN = [{"distress": level} for level in (5, 7) * 24]
STAYS = Scenario.model_validate(
    {
        "rules": [
            {"when": {"role": "feel"}, "reply": [{"json": moved} for moved in UP_AND_DOWN]},
            {"when": {"role": "fused"}, "reply": [{"json": {**GOES_ON, **moved}} for moved in UP_AND_DOWN]},
            {"when": {"role": "think"}, "reply": [{"json": GOES_ON}, "forever"]},
            {"when": {"role": "speak"}, "reply": [{"json": {"ends": "no"}}, "forever"]},
        ]
    }
)
"""People who talk until the turn cap: something always moves in them."""
CALLS = {
    "full": {"feel": 16, "think": 16, "speak": 15, "supporter": 15, "judge": 1},
    "no-feel": {"think": 16, "speak": 15, "supporter": 15, "judge": 1},
    "no-think": {"feel": 16, "speak": 15, "supporter": 15, "judge": 1},
    "fused": {"fused": 16, "supporter": 15, "judge": 1},
    "speak-only": {"speak": 15, "supporter": 15, "judge": 1},
    "no-log": {"judge": 1},
    "simulator-other": {"feel": 16, "think": 16, "speak": 15, "supporter": 15, "judge": 1},
}
"""Calls of one dialogue of fifteen turns, as docs/trust.md has them."""
TOTALS = {
    "full": 63, "no-feel": 47, "no-think": 47, "fused": 32, "speak-only": 31, "no-log": 1, "simulator-other": 63,
}  # fmt: skip
HOW = How(resamples=200)


def over_http(url: str, **changes: Any) -> RunConfig:
    settings = {"base_url": url, "temperature": 0, "rehearsal": True}
    cast = {"user": ["feel", "think", "speak"], **dict.fromkeys(("feel", "think", "speak", "judge"), LLM)}
    return make_config(
        {
            "run": {"name": "arms", "seed": 3, "max_turns": 15}, "profiles": ["P040"],
            "models": {"m": {"model": "m", **settings}, "s": {"model": "s", **settings}},
            "cast": cast, "supporters": [{"name": "bot", "use": "chat", "model": "s"}], **changes,
        }
    )  # fmt: skip


def offline(**changes: Any) -> RunConfig:
    styles = ("attuned", "generic", "silent")
    return make_config(
        {
            "run": {"name": "arms", "seed": 3, "max_turns": 4}, "profiles": ["P010", "P040"],
            "supporters": [{"name": style, "use": "offline", "style": style} for style in styles], **changes,
        }
    )  # fmt: skip


@pytest.mark.slow
async def test_every_arm_takes_the_documented_calls(tmp_path: Path) -> None:
    asked: list[Counter[str]] = []
    async with start_endpoint(STAYS) as endpoint:
        arms = arms_of(over_http(endpoint.url), ["other"])
        done = await ablate(
            arms, tmp_path, how=HOW, on_arm=lambda arm, place: asked.append(Counter(endpoint.stats.by_role))
        )
        asked.append(Counter(endpoint.stats.by_role))

    assert done.stopped is None
    own = {arm.name: after - before for arm, (before, after) in zip(arms, pairwise(asked), strict=True)}
    assert own == {name: Counter(calls) for name, calls in CALLS.items()}
    results = {arm.arm: arm for arm in done.ablation.arms}
    assert {name: arm.calls_per_dialogue for name, arm in results.items()} == TOTALS
    assert {name: calls.total() for name, calls in own.items()} == TOTALS
    assert all(arm.episodes == {"scored": 1} for arm in results.values())
    for arm in arms:
        estimated = estimate_of(arm, people=1).roles
        assert {role: item.calls for role, item in estimated.items()} == CALLS[arm.name]


async def test_another_simulator_is_asked_in_the_persons_place_only(tmp_path: Path) -> None:
    config = over_http("http://127.0.0.1:9/v1")
    config = config.model_copy(update={"run": config.run.model_copy(update={"max_turns": 2})})
    async with start_endpoint(STAYS) as endpoint:
        given = config.model_copy(
            update={
                "models": {
                    name: settings.model_copy(update={"base_url": endpoint.url})
                    for name, settings in config.models.items()
                }
            }
        )
        done = await ablate(arms_of(given, ["other"], ["simulator-other"]), tmp_path, how=HOW)
        models = Counter((item.call.role, item.call.model) for item in endpoint.requests[-8:])

    assert done.stopped is None
    assert {role for role, model in models if model == "other"} == {"feel", "think", "speak"}
    assert {role for role, model in models if model != "other"} == {"supporter", "judge"}


async def test_the_arms_share_people_seeds_and_supporters_and_are_ordinary_runs(tmp_path: Path) -> None:
    arms = arms_of(offline())
    done = await ablate(arms, tmp_path, how=HOW)

    runs = [load_run(tmp_path / arm.name) for arm in arms if arm.is_run]
    assert {tuple(run.planned()) for run in runs} == {tuple(runs[0].planned())}
    assert {run.manifest.config.run.seed for run in runs} == {3}
    assert [list(run.manifest.config.cast.user) for run in runs] == [
        ["feel", "think", "speak"], ["think", "speak"], ["feel", "speak"], ["fused"], ["speak"],
    ]  # fmt: skip
    results = {arm.arm: arm for arm in done.ablation.arms}
    assert all(arm.episodes == {"scored": 6} for arm in results.values())
    against = {name: arm.against_full for name, arm in results.items()}
    assert against["full"] is None
    # the offline fused does what the chain does, so nothing may differ
    fused = against["fused"]
    assert fused is not None
    assert {figure.difference.value for figure in fused.figures} == {0.0}
    assert [item.value for item in fused.ranks] == pytest.approx([1.0, 1.0])
    names = {name: {figure.name for figure in item.figures} for name, item in against.items() if item}
    assert "distress_end" not in names["no-feel"]
    assert "needs_met" not in names["no-think"]
    assert {"distress_end", "needs_met", "facts_told"}.isdisjoint(names["no-log"])
    assert json.loads((tmp_path / RESULTS).read_text(encoding="utf-8")) == done.ablation.model_dump(mode="json")


async def test_it_goes_on_where_it_was_and_asks_nothing_twice(tmp_path: Path) -> None:
    run = {"name": "arms", "max_turns": 2}
    async with start_endpoint(STAYS) as endpoint:
        config = over_http(endpoint.url, run=run)
        await ablate(arms_of(config, only=["fused"]), tmp_path, how=HOW)
        before = endpoint.stats.calls
        again = await ablate(arms_of(config, only=["fused"]), tmp_path, how=HOW)
        assert endpoint.stats.calls == before
        await ablate(arms_of(config, only=["no-log"]), tmp_path, how=HOW)
        assert endpoint.stats.calls == before + 1
        await ablate(arms_of(config, only=["no-log"]), tmp_path, how=HOW)
        assert endpoint.stats.calls == before + 1

    assert again.stopped is None
    seen = compared(arms_of(config), tmp_path, HOW)
    assert [arm.arm for arm in seen.arms if arm.folder is None] == ["no-feel", "no-think", "speak-only"]


async def test_a_budget_holds_for_all_arms_together(tmp_path: Path) -> None:
    async with start_endpoint(STAYS) as endpoint:
        config = over_http(endpoint.url, run={"name": "arms", "max_turns": 1})
        first = await ablate(arms_of(config, only=["full"]), tmp_path, how=HOW)
        spent = sum(endpoint.stats.prompt_tokens.values())
        tight = config.model_copy(update={"limits": config.limits.model_copy(update={"budget_tokens": spent})})
        done = await ablate(arms_of(tight, only=["fused"]), tmp_path, how=HOW)

    assert first.stopped is None
    assert done.stopped is not None
    assert done.stopped[0].kind == "budget"
    assert done.stopped[1] == "fused"
    assert not (tmp_path / "fused").exists()


@pytest.mark.parametrize(
    ("changes", "asked", "says"),
    [
        ({"cast": {"user": ["speak"]}}, {}, r"cast.user is \[speak\]; an ablation starts from the full chain"),
        ({"cast": {"judge": None}}, {}, "cast.judge is missing"),
        ({}, {"only": ["no-fee"]}, "no arm is called 'no-fee'; .*no-feel"),
        ({}, {"only": ["simulator"]}, "name the model: --simulator MODEL"),
    ],
)
def test_what_cannot_be_is_one_line(changes: dict[str, Any], asked: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        arms_of(offline(**changes), **asked)


async def test_an_arm_that_this_cast_cannot_play_says_why(tmp_path: Path) -> None:
    mixed = {"think": LLM, "user": ["feel", "think", "speak"]}
    models = {"m": {"model": "m", "base_url": "http://127.0.0.1:9/v1"}}
    arms = {arm.name: arm for arm in arms_of(offline(cast=mixed, models=models))}
    assert "not all of one kind and model; say who plays it: cast.fused" in arms["fused"].skipped
    plain = arms_of(offline(), ["other"], ["simulator-other"])
    assert plain[1].skipped == "no role of this cast's person asks a model"

    async with Models() as opened:
        assert list(look_at(plain, opened)) == ["full"]
    done = await ablate(plain, tmp_path, how=HOW)
    assert done.ablation.arms[1].skipped
    assert not (tmp_path / "simulator-other").exists()


def test_figures_by_hand() -> None:
    full = [("p", "a", {"overall": 50.0}), ("p", "b", {"overall": 30.0}), ("q", "a", {"overall": 70.0})]
    arm = [
        ("p", "a", {"overall": 54.0}), ("p", "b", {"overall": 31.0}), ("p", "b", {"overall": 35.0}),
        ("q", "a", {"overall": 66.0}), ("q", "b", {"overall": 10.0}), ("r", "a", {"overall": 1.0}),
    ]  # fmt: skip
    found = compare_arm(full, arm, ["a", "b"], HOW)

    assert found.people == 2
    (figure,) = found.figures
    assert (figure.full, figure.arm) == (50.0, 51.0)  # over the three pairs that both have
    assert figure.difference.value == pytest.approx((3.5 - 4.0) / 2)
    assert {name: item.value for name, item in found.supporters.items()} == {"a": 0.0, "b": 3.0}
    assert found.ranks == ()


def test_nobody_in_common_is_no_figure() -> None:
    found = compare_arm([("p", "a", {"overall": 1.0})], [("q", "a", {"overall": 1.0})], ["a"], HOW)

    assert (found.people, found.figures, found.ranks) == (0, (), ())


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[RunConfig], str]:
    monkeypatch.chdir(tmp_path)

    def write(config: RunConfig) -> str:
        data = config.model_dump(mode="json", exclude_unset=True)
        (tmp_path / "arms.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
        return "arms.yaml"

    return write


def test_the_command_tells_the_cost_first_then_plays_and_compares(
    written: Callable[[RunConfig], str], capsys: pytest.CaptureFixture[str]
) -> None:
    name = written(offline())
    assert call(["ablate", name, "--check", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)["arms"]
    assert [row["calls_per_dialogue"] for row in plan] == [19, 14, 14, 10, 9, 1]
    assert not Path("runs").exists()

    assert call(["ablate", name, "--only", "fused,no-log"]) == 0
    page = capsys.readouterr()
    assert page.err.index("calls a") < page.err.index("full: feel, think and speak")
    assert "Kendall's tau" in page.out
    assert "…" not in page.out  # at 80 columns
    assert "unfinished" in page.out
    assert Path("runs/arms-ablation/fused/manifest.json").is_file()
    assert call(["ablate", name, "--only", "fused,no-log", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [arm["arm"] for arm in found["arms"]] == ["full", "fused", "no-log"]


def test_the_check_of_a_paid_cast_calls_nothing_and_sums_up(
    written: Callable[[RunConfig], str], capsys: pytest.CaptureFixture[str]
) -> None:
    priced = {"m": {"prompt": 1.0, "completion": 2.0}, "s": {"prompt": 1.0, "completion": 2.0}}
    name = written(over_http("http://127.0.0.1:9/v1", prices=priced))
    assert call(["ablate", name, "--check", "--only", "fused"]) == 0
    assert "Together at most 95 calls" in capsys.readouterr().out
