"""Rubrics of one's own: any dimensions, groups and scale; what is wrong with one is one line."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.nodes.rubric import Rubric, load_rubric
from emoharbor.state.errors import RubricError
from emoharbor.state.verdict import Rating

ENDS = [{"score": 0, "says": "Not at all."}, {"score": 100, "says": "Entirely."}]
OWN: dict[str, Any] = {
    "name": "own", "version": "3", "low": 0, "high": 100,
    "dimensions": [
        {"id": "calm", "asks": "Am I calmer?", "anchors": ENDS},
        {"id": "hope", "group": "after", "asks": "Is there hope?", "anchors": ENDS},
        {"id": "trust", "group": "between", "asks": "Would I write again?", "anchors": ENDS},
        {"id": "ease", "group": "after", "asks": "Is it lighter?", "anchors": ENDS},
    ],
}  # fmt: skip


def rating(name: str, score: int | None) -> Rating:
    return Rating(dimension=name, group=None, score=score, reason="-")


def test_any_groups_have_means_and_without_the_two_there_is_no_gap() -> None:
    rubric = Rubric.model_validate(OWN)
    scores = rubric.scores([rating("calm", 10), rating("hope", 20), rating("trust", 60), rating("ease", 30)])

    assert scores is not None
    assert scores.groups == {"after": 25, "between": 60}
    assert (scores.overall, scores.general, scores.tailored, scores.gap) == (30, None, None, None)


def test_the_stages_of_helping_ship_beside_ours() -> None:
    hill = load_rubric("hill")
    scores = hill.scores([rating(item.id, hill.high) for item in hill.dimensions])

    assert hill.groups == ("exploration", "insight", "action")
    assert scores is not None
    assert (scores.overall, scores.gap) == (100, None)
    assert scores.groups == {"exploration": 4, "insight": 4, "action": 4}


def test_a_change_of_any_word_is_another_rubric() -> None:
    other = {**OWN, "dimensions": [{**OWN["dimensions"][0], "asks": "Am I calm?"}, *OWN["dimensions"][1:]]}

    assert Rubric.model_validate(OWN).id.startswith("own/3+")
    assert Rubric.model_validate(OWN).id != Rubric.model_validate(other).id
    assert Rubric.model_validate(OWN).id == Rubric.model_validate(OWN).id


@given(st.lists(st.one_of(st.none(), st.integers(0, 100)), min_size=4, max_size=4))
def test_a_mean_with_more_than_one_missing_is_missing_and_no_missing_score_counts(found: list[int | None]) -> None:
    rubric = Rubric.model_validate(OWN)
    names = [item.id for item in rubric.dimensions]
    scores = rubric.scores([rating(name, score) for name, score in zip(names, found, strict=True)])
    known = [score for score in found if score is not None]

    if not known:
        assert scores is None
        return
    assert scores is not None
    if len(known) < 3:
        assert scores.overall is None
    else:
        assert scores.overall == pytest.approx(sum(known) / len(known))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"low": 100}, "low has to be below high"),
        ({"dimensions": []}, "dimensions: "),
        (
            {"dimensions": [{**OWN["dimensions"][0], "id": "kind"}, *[OWN["dimensions"][0]] * 2]},
            "two dimensions share an id: calm",
        ),
        ({"high": 10}, "'calm' has anchors for [0, 100]; they run upwards from 0 to 10"),
        ({"dimensions": [{**OWN["dimensions"][0], "anchors": ENDS[:1]}]}, "dimensions.0.anchors: "),
        ({"dimensions": [{**OWN["dimensions"][0], "anchors": ENDS[::-1]}]}, "anchors for [100, 0]"),
        ({"dimensions": [{**OWN["dimensions"][0], "id": "Am I calm"}]}, "dimensions.0.id: "),
        ({"scale": 5}, "scale"),
        ({"version": ""}, "version"),
    ],
)
def test_what_is_wrong_with_a_rubric_is_one_line(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(yaml.safe_dump({**OWN, **changes}), encoding="utf-8")
    with pytest.raises(RubricError) as caught:
        load_rubric(str(file))

    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(file))
