"""Shards that were judged keep their ratings, judges and donors when they are joined."""

from pathlib import Path

import pytest
from helpers.judging import CONFIG

from emoharbor.eval.api import evaluate_sync, judge_run_sync
from emoharbor.eval.judging.request import Request
from emoharbor.eval.run import load_run
from emoharbor.eval.runs.plan import Selection
from emoharbor.eval.runs.shard import Shard
from emoharbor.eval.scale.merge import merge


@pytest.mark.slow
def test_a_merged_run_has_the_ratings_of_its_shards(here: Path) -> None:
    config = {**CONFIG, "run": {"name": "cut", "seed": 7, "max_turns": 1}, "profiles": ["P001", "P010"]}
    for number in (1, 2):
        folder = here / str(number)
        evaluate_sync(config, folder, only=Selection(shard=Shard(number=number, of=2)))
        judge_run_sync(folder, Request(control="profile"))
    judge_run_sync(here / "2", Request(judge="helpers.judges:harsh"))

    merge([here / "1", here / "2"], here / "whole")
    opened = load_run(here / "whole")

    assert [record.name for record in opened.manifest.judges] == ["judge", "helpers.judges:harsh"]
    assert {name: donor.id for name, donor in opened.manifest.donors["profile"].items()} == {
        "P001": "P010", "P010": "P001"
    }  # fmt: skip
    assert [len(result.judgements) for result in opened.results()] == [4, 4, 5, 5]
    assert all(len(result.primary) == 1 for result in opened.results())
    assert len([item for item in opened.trace("P001/generic").ratings if item.parent is None]) == 3
