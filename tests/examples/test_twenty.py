"""`examples/twenty.yaml`: checked as it is, and run in shape against the bundled endpoint."""

from pathlib import Path

import pytest
import yaml

from emoharbor.eval import evaluate, load_config
from emoharbor.eval.assembly import assemble
from emoharbor.eval.endpoint.server import start_endpoint
from emoharbor.eval.estimate import estimate
from emoharbor.eval.unopened import Unopened
from emoharbor.profiles.loader import load_people

PATH = Path(__file__).parents[2] / "examples" / "twenty.yaml"


def test_it_names_twenty_supporters_each_with_a_key_variable_and_a_price() -> None:
    config = load_config(PATH)
    found = assemble(config, Unopened())
    calls = estimate(config)

    under_test = {place: item for place, item in found.models.items() if place.startswith("supporters.")}
    assert len(under_test) == 20
    assert all(item.api_key_env and item.api_key_env.endswith("_API_KEY") for item in under_test.values())
    people = len(load_people("all"))
    assert calls.episodes == 20 * people
    assert calls.calls == people * (3 + 20 * 60)
    assert calls.unpriced == ()
    assert calls.cost_usd is not None
    assert calls.cost_usd > 1


@pytest.mark.slow
async def test_it_runs_in_shape_with_twenty_scripted_supporters(tmp_path: Path) -> None:
    data = yaml.safe_load(PATH.read_text(encoding="utf-8"))
    async with start_endpoint() as endpoint:
        here = {"base_url": endpoint.url, "rehearsal": True}
        data["models"] = {name: {"model": item["model"], **here} for name, item in data["models"].items()}
        for item in data["supporters"]:
            item["model"] = {"model": item["model"]["model"], **here}
        data["prices"] = {"*": {"prompt": 1, "completion": 4}}
        data["profiles"] = ["P010", "P013"]
        data["run"]["max_turns"] = 2
        run = await evaluate(data, tmp_path / "run")

    assert run.stopped is None
    board = run.leaderboard()
    assert len(board.supporters) == 20
    assert {row.counts.scored for row in board.supporters} == {2}
    assert run.frame("episodes")["cost_usd"].null_count() == 0
