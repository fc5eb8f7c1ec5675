"""Reading ratings back: every mistake is named with its place, and nothing is taken from a file that has one."""

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from emoharbor.eval.cli.main import call
from emoharbor.eval.rating.export import write_forms
from emoharbor.eval.rating.pack import Pack, make_pack
from emoharbor.eval.rating.read import keep_ratings, ratings_of, read_ratings
from emoharbor.eval.rating.table import blank_table
from emoharbor.eval.record import EpisodeResult
from emoharbor.eval.run import Run
from emoharbor.nodes.rubric import load_rubric
from emoharbor.state.errors import ConfigError, RunFolderError
from emoharbor.state.outcome import Outcome

PACK = make_pack(
    "run",
    [EpisodeResult(profile=f"P00{n}", supporter="s", repeat=0, outcome=Outcome.TURN_CAP, judgements=()) for n in "123"],
    load_rubric(), n=3, raters=2, seed=1,
)  # fmt: skip
PACKS: Mapping[str, Pack] = {PACK.id: PACK}
FIRST, SECOND, _ = PACK.orders["R1"]


def filled(score: str = "3", separator: str = ",", **changes: str) -> str:
    """The table of the first rater, filled in; `changes` by line number, as `line_2='9'`."""
    rows = list(csv.reader(io.StringIO(blank_table(PACK, "R1"))))
    for line, row in enumerate(rows[1:], start=2):
        row[5] = changes.get(f"line_{line}", score)
    out = io.StringIO()
    csv.writer(out, delimiter=separator).writerows(rows)
    return out.getvalue()


def table(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "back.csv"
    path.write_text(text, encoding="utf-8-sig")
    return path


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_filled_in_by_hand_is_taken_whatever_the_spreadsheet_separates_with(
    tmp_path: Path, separator: str
) -> None:
    found = read_ratings(table(tmp_path, filled(separator=separator, line_2="?")), PACKS)

    assert found.problems == found.missing == ()
    assert found.found is not None
    assert found.found.rater == "R1"
    assert [item.score for item in found.found.ratings[:2]] == [None, 3]
    assert len(found.found.ratings) == 30


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"line_4": "6"}, "line 4: {item} helpfulness: '6' is none of 1 to 5, or ?"),
        ({"line_4": "3.5"}, "line 4: {item} helpfulness: '3.5' is none of 1 to 5, or ?"),
    ],
)
def test_a_score_off_the_scale_is_named_with_its_line(tmp_path: Path, change: dict[str, str], says: str) -> None:
    found = read_ratings(table(tmp_path, filled(**change)), PACKS)

    assert found.found is None
    assert [line.split(": ", 1)[1] for line in found.problems] == [says.format(item=FIRST)]


def test_unknown_and_doubled_questions_are_named_with_their_lines(tmp_path: Path) -> None:
    text = filled() + f"{PACK.id},R1,D99,empathy,,3,\r\n{PACK.id},R1,{FIRST},charm,,3,\r\n"
    text += f"{PACK.id},R1,{FIRST},empathy,,4,\r\n"

    found = read_ratings(table(tmp_path, text), PACKS)

    assert [line.split(": ", 1)[1] for line in found.problems] == [
        "line 32: no dialogue of this pack is called 'D99'",
        f"line 33: {FIRST}: nothing that is rated is called 'charm'",
        f"line 34: {FIRST} empathy is rated twice, first in line 2",
    ]


def test_what_is_missing_is_named_and_the_rest_taken(tmp_path: Path) -> None:
    rows = filled(line_3="").splitlines(keepends=True)
    found = read_ratings(table(tmp_path, "".join([*rows[:9], *rows[10:11]])), PACKS)

    assert found.found is not None
    assert len(found.found.ratings) == 8
    assert [line.split(": ", 1)[1] for line in found.missing] == [
        f"{FIRST}: not rated: clarity (line 3), coping_fit",
        f"{SECOND}: nothing is rated",
        f"{PACK.orders['R1'][2]}: nothing is rated",
    ]


def form_file(tmp_path: Path, **changes: Any) -> Path:
    data = {"pack": PACK.id, "rater": "R2", "ratings": [{"item": FIRST, "dimension": "empathy", "score": 4}], **changes}
    path = tmp_path / "back.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_a_file_of_the_form_is_read_with_its_remarks(tmp_path: Path) -> None:
    found = read_ratings(form_file(tmp_path, remarks={FIRST: "Odd."}), PACKS)

    assert found.found is not None
    assert found.found.remarks == {FIRST: "Odd."}
    assert [item.score for item in found.found.ratings] == [4]


@pytest.mark.parametrize("score", [0, 6, "4.0", True, [4]])
def test_a_score_of_another_kind_is_a_mistake(tmp_path: Path, score: object) -> None:
    given = [{"item": FIRST, "dimension": "empathy", "score": score}]

    found = read_ratings(form_file(tmp_path, ratings=given), PACKS)

    assert found.found is None
    assert "ratings[0]" in found.problems[0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "no file of ratings"),
        ("{}", "'ratings' is missing"),
        ('{"pack": "00000000", "rater": "R1", "ratings": []}', "belongs to pack 00000000"),
        (f'{{"pack": "{PACK.id}", "rater": "R9", "ratings": []}}', "has no rater 'R9'"),
        ("pack,rater\n", "no column is called 'item'"),
        ("pack,rater,item,dimension,score\n", "ratings of one rater"),
        ('{"pack": "x", "rater": "R1", "ratings": [3]}', "no file of ratings"),
    ],
)
def test_a_file_that_belongs_to_nothing_is_refused_in_one_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says.replace("'", ".")):
        read_ratings(table(tmp_path, text), PACKS)


def test_a_raters_ratings_are_not_overwritten_by_accident(tmp_path: Path) -> None:
    (tmp_path / "rating" / PACK.id).mkdir(parents=True)
    one = read_ratings(table(tmp_path, filled("3")), PACKS).found
    other = read_ratings(table(tmp_path, filled("4")), PACKS).found
    assert one is not None
    assert other is not None

    keep_ratings(tmp_path, one, replace=False)
    keep_ratings(tmp_path, one, replace=False)
    with pytest.raises(RunFolderError, match="--replace"):
        keep_ratings(tmp_path, other, replace=False)
    keep_ratings(tmp_path, other, replace=True)

    assert [item.ratings[0].score for item in ratings_of(tmp_path, PACK.id)] == [4]


async def test_one_mistake_keeps_out_every_file_of_the_call(
    rated_run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = write_forms(rated_run, tmp_path / "forms", n=2, seed=1)
    good, bad = (path for path in made.files if path.suffix == ".csv")
    good.write_text(good.read_text(encoding="utf-8").replace(",,", ",3,"), encoding="utf-8")
    bad.write_text(bad.read_text(encoding="utf-8").replace(",,", ",9,", 1), encoding="utf-8")

    code = call(["rate", "import", str(rated_run.folder), str(good), str(bad)])

    said = capsys.readouterr().err
    assert code == 2
    assert f"{bad}: line 2" in said
    assert "nothing was taken" in said
    assert ratings_of(rated_run.folder, made.pack.id) == []
