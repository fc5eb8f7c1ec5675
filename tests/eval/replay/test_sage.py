"""SAGE's published dialogues become a run, and the tables of that run show SAGE's own figures."""

import asyncio
import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from emoharbor.eval.figures import board_of, comparison_of, reliability_of
from emoharbor.eval.replay.sage import SAGE_RUBRIC, import_sage
from emoharbor.eval.run import Run
from emoharbor.eval.statistics.method import How
from emoharbor.state.errors import ConfigError, RunFolderError
from emoharbor.state.outcome import Outcome

SAGE = Path(__file__).parents[4] / "shared" / "data" / "sage"
FILES = SAGE / "transcripts"
SIMULATORS = ("deepseek-v3-2024-1227", "gpt-4o-2024-0806")
needs_data = pytest.mark.skipif(not FILES.is_dir(), reason="../shared/data is not beside this checkout")


def message(role: str, content: str, **more: object) -> dict[str, object]:
    return {"role": role, "content": content, **more}


def dialogue(person: str = "p1", felt: int = 60, *, answered: bool = False, **change: object) -> dict[str, Any]:
    history = [
        message("user", "我很难过", **{"emotion-point": 40}),
        message("assistant", ""),
        message("user", "你没有说话", **{"emotion-point": felt}),
        message("assistant", "对不起"),
    ]
    return {
        "id": person, "player": "* 姓名：小云\n* 年龄：23岁", "scene": "他走了。", "task": "你想被倾听",
        "character": "被动型", "history": history if answered else history[:3], **change,
    }  # fmt: skip


def write(path: Path, *rows: dict[str, Any]) -> Path:
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_bytes(gzip.compress(lines.encode()) if path.suffix == ".gz" else lines.encode())
    return path


def imported(folder: Path, *files: Path) -> Run:
    return asyncio.run(import_sage(files, folder))


def test_the_final_emotion_is_the_score_and_tells_the_outcome(tmp_path: Path) -> None:
    rows = [dialogue("won", 100), dialogue("lost", 5), dialogue("capped", 60, answered=True), dialogue("gone", 60)]
    run = imported(tmp_path / "run", write(tmp_path / "sim__bot.jsonl", *rows))
    found = {result.profile: result for result in run.results()}
    assert {name: one.outcome for name, one in found.items()} == {
        "won": Outcome.USER_SATISFIED,
        "lost": Outcome.USER_LEFT,
        "capped": Outcome.TURN_CAP,
        "gone": Outcome.USER_LEFT,
    }
    scores = {name: one.judgements[0].scores for name, one in found.items()}
    assert {name: score and score.overall for name, score in scores.items()} == {
        "won": 100, "lost": 5, "capped": 60, "gone": 60,
    }  # fmt: skip
    assert all(one.judgements[0].own for one in found.values())


def test_the_words_stay_as_they_were_said_empty_ones_too(tmp_path: Path) -> None:
    run = imported(tmp_path / "run", write(tmp_path / "sim__bot.jsonl.gz", dialogue(answered=True)))
    turns = run.episode("p1/bot").turns
    assert [(turn.user, turn.supporter) for turn in turns] == [("我很难过", ""), ("你没有说话", "对不起")]


def test_a_run_says_where_it_comes_from_and_what_it_rests_on(tmp_path: Path) -> None:
    run = imported(tmp_path / "run", write(tmp_path / "sim__bot.jsonl", dialogue()))
    manifest = run.manifest
    assert manifest.replay is not None
    assert (manifest.replay.format, manifest.replay.licence) == ("sage", "MIT")
    assert list(manifest.replay.files) == ["sim__bot.jsonl"]
    assert manifest.rubric is not None
    assert manifest.rubric.id == SAGE_RUBRIC.id
    assert manifest.cast[0].model == "sim"


def test_nothing_is_claimed_of_an_inner_world_that_nobody_recorded(tmp_path: Path) -> None:
    run = imported(tmp_path / "run", write(tmp_path / "sim__bot.jsonl", dialogue("a"), dialogue("b")))
    assert [turn.inner_world for turn in run.episode("a/bot").turns] == [None, None]
    assert [row.reported for row in board_of([run], how=How(resamples=100)).supporters] == [None]


@pytest.mark.parametrize(
    ("name", "row", "says"),
    [
        ("bot.jsonl", dialogue(), "SIMULATOR__SUPPORTER"),
        ("sim__bot.jsonl", dialogue(history=[]), "history"),
        ("sim__bot.jsonl", dialogue(history=[message("assistant", "hi")]), "message 0"),
        ("sim__bot.jsonl", dialogue(felt=101), "from 0 to 100"),
        ("sim__bot.jsonl", dialogue(scene=""), "scene"),
    ],
)
def test_a_file_that_is_none_of_sages_is_refused_by_name(
    tmp_path: Path, name: str, row: dict[str, Any], says: str
) -> None:
    path = write(tmp_path / name, row)
    with pytest.raises(ConfigError, match=says) as caught:
        imported(tmp_path / "run", path)
    assert str(path) in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_simulators_are_kept_apart_and_nothing_is_overwritten(tmp_path: Path) -> None:
    one, other = (write(tmp_path / f"{name}__bot.jsonl", dialogue()) for name in ("one", "other"))
    with pytest.raises(ConfigError, match="2 simulators"):
        imported(tmp_path / "run", tmp_path)
    with pytest.raises(ConfigError, match="twice"):
        imported(tmp_path / "run", write(tmp_path / "x__bot.jsonl", dialogue(), dialogue()))
    with pytest.raises(ConfigError, match="cannot be read"):
        imported(tmp_path / "run", tmp_path / "one__gone.jsonl")
    imported(tmp_path / "run", one)
    with pytest.raises(RunFolderError, match="already holds a run"):
        imported(tmp_path / "run", other)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    folder = tmp_path_factory.mktemp("sage")
    return {name: imported(folder / name, *sorted(FILES.glob(f"{name}__*"))) for name in SIMULATORS}


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SAGE / "golden.json").read_text(encoding="utf-8"))
    return found


@needs_data
@pytest.mark.slow
def test_every_published_final_emotion_is_a_score(runs: dict[str, Run]) -> None:
    with (SAGE / "final_emotion.csv").open(encoding="utf-8") as file:
        rows = {row.pop("profile_id"): row for row in csv.DictReader(file)}
    count = 0
    for name, run in runs.items():
        for result in run.results():
            scores = result.judgements[0].scores
            assert scores is not None
            assert scores.overall == float(rows[result.profile][f"{name}__{result.supporter}"])
            count += 1
    assert count == 1800


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("name", SIMULATORS)
def test_the_leaderboard_shows_sages_figures(runs: dict[str, Run], golden: dict[str, Any], name: str) -> None:
    board, wanted = board_of([runs[name]]), golden["simulators"][name]
    assert len(board.supporters) == len(wanted["supporters"])
    for row in board.supporters:
        one = wanted["supporters"][row.name]
        assert row.overall == pytest.approx(one["mean"])
        assert row.rank == one["rank"]
        assert row.n == one["n"]
        assert row.outcomes.get("user_satisfied", 0) == one["success"]
        # widened a little for 100 people, so within a point of the t interval
        assert row.overall_ci == pytest.approx(one["ci95"], abs=0.8)
        apart = [pair for pair in wanted["pairs"] if row.name in (pair["a"], pair["b"])]
        shown = [pair for pair in apart if pair["holm_signflip_exact"] < 0.05]
        better = sum((pair["mean_diff"] < 0) == (pair["a"] == row.name) for pair in shown)
        assert row.rank_ci == (1 + better, len(board.supporters) - (len(shown) - better))


@needs_data
@pytest.mark.slow
def test_comparison_and_reliability_show_sages_figures(runs: dict[str, Run], golden: dict[str, Any]) -> None:
    run, other = (runs[name] for name in reversed(SIMULATORS))
    pair = golden["simulators"][SIMULATORS[1]]["pairs"][0]
    found = comparison_of(run, pair["b"], pair["a"]).figures[0]
    assert found.difference == pytest.approx(pair["mean_diff"])
    assert found.p == pytest.approx(pair["p_signflip_exact"], abs=pair["tol_perm_10k"])
    assert found.wilcoxon == pytest.approx(pair["p_wilcoxon"], abs=1e-6)
    assert found.dz == pytest.approx(pair["dz"])
    assert found.smallest == pytest.approx(pair["mde80"])
    shares = reliability_of([run], How(resamples=200)).shares["overall"]
    wanted = golden["simulators"][SIMULATORS[1]]["variance_components"]["share"]
    assert [share.share for share in shares.shares] == pytest.approx(list(wanted.values()))
    both = reliability_of([other, run], How(resamples=200))
    assert len(both.judges) == 1  # the same rule under both
    agreed = both.simulators
    assert agreed[0].ranks.value == pytest.approx(golden["across_simulators"]["spearman_of_means"])
