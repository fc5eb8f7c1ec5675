"""ESConv's sample: every dialogue is read and replayed, and the counts equal the reference figures beside the data."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from helpers.recordings import ESCONV

from emoharbor.eval.replay.agree import agreement
from emoharbor.eval.replay.formats import read_replay
from emoharbor.eval.replay.pairs import pairs_of
from emoharbor.eval.replay.play import play_replay
from emoharbor.eval.replay.source import Replay
from emoharbor.eval.replay.survey import MISSING, survey
from emoharbor.eval.runs.start import Options
from emoharbor.nodes.recording import RecordedDialogue

pytestmark = pytest.mark.skipif(not ESCONV.is_dir(), reason="ESConv is not beside the checkout (../shared/data/esconv)")
PARTS = {"sample_success_150": slice(0, 150), "sample_failed_50": slice(150, 200)}
OURS = {"initial": "before", "empathy": "empathy", "relevance": "relevance", "final": "after"}


@cache
def sample() -> Replay:
    return read_replay([ESCONV / "sample.json"], "esconv")[0]


@cache
def golden(part: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((ESCONV / "golden.json").read_text(encoding="utf-8"))[part]
    return found


def dialogues(part: str) -> Sequence[RecordedDialogue]:
    return sample().recording.dialogues[PARTS[part]]


def said(found: RecordedDialogue) -> list[tuple[list[str], list[str], tuple[float, ...]]]:
    return [(turn.user.split(), (turn.supporter or "").split(), turn.feedback) for turn in found.turns]


@pytest.mark.parametrize("part", PARTS)
def test_counts_and_distributions_equal_the_reference(part: str) -> None:
    found, wanted = survey(dialogues(part)), golden(part)

    assert (found.dialogues, found.complete) == (wanted["dialogues"], wanted["survey_complete"])
    assert (found.feedback, found.with_feedback) == (
        wanted["turn_feedback_ratings"], wanted["dialogues_with_turn_feedback"],
    )  # fmt: skip
    assert sum(int(item.about["messages"]) for item in dialogues(part)) == wanted["messages"]
    for theirs, ours in OURS.items():
        assert {value: n for value, n in found.distribution[ours].items() if value != MISSING or n} == (
            wanted["distribution"][theirs]
        )
    assert found.drop == dict(sorted(wanted["drop_distribution"].items()))
    for name in ("problem_type", "emotion_type", "experience_type"):
        assert found.about[name] == wanted[name]
    assert found.about["supporter_relevance"] == wanted["distribution"]["supporter_relevance"]


@pytest.mark.parametrize("part", PARTS)
def test_means_equal_the_reference(part: str) -> None:
    found, wanted = survey(dialogues(part)), golden(part)
    names = {**OURS, "drop": "drop", "turn_feedback_dialogue_mean": "feedback"}

    for theirs, ours in names.items():
        mean, reference = found.means[ours], wanted["mean"][theirs]
        assert mean.n == reference["n"]
        # the reference's feedback means are rounded to six digits first
        assert mean.mean == pytest.approx(reference["mean"], rel=1e-6)
        assert mean.sd == pytest.approx(reference["sd"], rel=1e-6)
    assert found.top_two == pytest.approx(wanted["share_top_two"])


def test_the_failed_ones_as_published_hold_the_same_talks() -> None:
    published = read_replay([ESCONV / "failed_as_published.json"], "esconv")[0].recording.dialogues

    # the sample's blanks are normalised
    assert [said(item) for item in published] == [said(item) for item in dialogues("sample_failed_50")]
    assert [item.ratings for item in published] == [item.ratings for item in dialogues("sample_failed_50")]


@pytest.mark.slow
async def test_every_dialogue_of_the_sample_is_replayed_and_compared(tmp_path: Path) -> None:
    run = await play_replay(sample(), {}, tmp_path / "run", Options())

    pairs = pairs_of(sample().recording, run.episodes())
    found = agreement(sample().recording, pairs, (1, 5))

    assert found.dialogues == found.planned == 200
    turn = next(item for item in found.compared if (item.unit, item.ours) == ("turn", "felt_understood"))
    # the six ratings of greetings are about no turn
    given = sum(golden(part)["turn_feedback_ratings"] for part in PARTS)
    assert given - 6 == turn.spearman.n
    own = next(item for item in found.compared if (item.theirs, item.rests_on) == ("empathy", "themselves"))
    assert own.spearman.value == pytest.approx(0.68, abs=0.01)
