"""Figures of real runs of the offline cast, through the commands and the Python API."""

import csv
import io
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from emoharbor.eval.api import evaluate_sync, judge_run_sync
from emoharbor.eval.cli.main import call
from emoharbor.eval.judging.request import Request
from emoharbor.eval.run import Run, load_run
from emoharbor.eval.statistics.method import How
from emoharbor.eval.statistics.rows import Leaderboard
from emoharbor.eval.store.ends import read_ends
from emoharbor.eval.store.lean import read_lean

PEOPLE = ["P010", "P013", "P015", "P028"]
STYLES = ("attuned", "generic", "silent")
FAST = ("--resamples", "200")
Command = Callable[..., tuple[int, str, str]]


def config(**changes: Any) -> dict[str, Any]:
    return {
        "run": {"name": "figures", "seed": 7, "max_turns": 4},
        "profiles": PEOPLE,
        "supporters": [{"name": style, "use": "offline", "style": style} for style in STYLES],
        **changes,
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run, read by every test."""
    folder = tmp_path_factory.mktemp("figures") / "run"
    evaluate_sync(config(), folder)
    return folder


@pytest.fixture
def emoharbor(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Give one command."""
    monkeypatch.setenv("COLUMNS", "120")

    def command(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = call([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return command


def test_the_board_of_a_run_ranks_the_known_groups(finished: Path, emoharbor: Command) -> None:
    code, out, _ = emoharbor("leaderboard", finished, *FAST, "--json")
    board = Leaderboard.model_validate_json(out)

    assert code == 0
    assert [row.name for row in board.supporters] == list(STYLES)
    assert (board.people, board.how.resamples) == (4, 200)
    for row in board.supporters:
        assert row.counts.planned == row.counts.scored == row.n == 4
        assert row.reported is not None
        assert row.reported.n == 4
        assert row.reported.facts is not None
        assert 0 <= row.reported.facts <= 1
        assert row.validity["valid"].share == 1


def test_every_form_of_every_table_is_written(finished: Path, emoharbor: Command, tmp_path: Path) -> None:
    tables = (
        ("leaderboard", finished, *FAST, "--no-validity", "--groups", "--by", "need"),
        ("compare", finished, "generic", "attuned", *FAST),
        ("reliability", finished, *FAST),
    )
    for table in tables:
        for form, sign in (("table", "─"), ("markdown", "| --"), ("latex", r"\toprule"), ("csv", ","), ("json", "{")):
            code, out, _ = emoharbor(*table, "--format", form)
            assert code == 0
            assert sign in out
            file = tmp_path / f"{table[0]}.{form}"
            assert emoharbor(*table, "--format", form, "-o", file)[0] == 0
            assert sign in file.read_text(encoding="utf-8")
            if form == "json":
                assert json.loads(out) == json.loads(file.read_text(encoding="utf-8"))
            if form == "csv":
                assert {len(row) for row in csv.reader(io.StringIO(out))} == {len(next(csv.reader(io.StringIO(out))))}


def test_the_same_seed_prints_the_same_and_another_does_not(finished: Path, emoharbor: Command) -> None:
    first, again, other = (
        emoharbor("leaderboard", finished, *FAST, "--no-validity", "--json", "--seed", seed)[1] for seed in (1, 1, 2)
    )

    assert first == again != other


def test_comparing_names_the_people_to_look_at_by_a_command_that_works(finished: Path, emoharbor: Command) -> None:
    _, out, _ = emoharbor("compare", finished, "silent", "attuned", *FAST, "--difference", "5")
    line = next(line for line in out.splitlines() if "emoharbor show" in line)

    assert "people are needed" in out
    code, shown, _ = emoharbor(*line[line.index("emoharbor show") :].split()[1:])
    assert code == 0
    assert "attuned" in shown


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("compare", "RUN", "attuned", "generik"), "no supporter of this run is called 'generik'"),
        (("compare", "RUN", "attuned", "attuned"), "name two supporters"),
        (("compare", "RUN", "OTHER"), "emoharbor diff"),
        (("leaderboard", "RUN", "--judge", "nobody"), "no judge of this run is called 'nobody'"),
        (("leaderboard", "OTHER"), "is no run folder"),
        (("leaderboard", "RUN", "-o", "no/such/folder/file"), "cannot be written"),
    ],
)
def test_a_mistake_is_one_clear_line(
    arguments: tuple[str, ...], line: str, finished: Path, emoharbor: Command, tmp_path: Path
) -> None:
    places = {"RUN": str(finished), "OTHER": str(tmp_path)}
    code, out, err = emoharbor(*(places.get(item, item) for item in arguments))

    assert (code, out) == (2, "")
    assert line in err
    assert len(err.splitlines()) == 1


def test_runs_are_joined_when_people_simulator_and_judge_are_the_same(
    finished: Path, emoharbor: Command, tmp_path: Path
) -> None:
    advice = [{"name": "advice", "use": "offline", "style": "advice"}]
    evaluate_sync(config(supporters=advice, run={"name": "more", "seed": 7, "max_turns": 4}), tmp_path / "more")
    evaluate_sync(config(supporters=advice, run={"name": "long", "seed": 7, "max_turns": 2}), tmp_path / "long")

    code, out, _ = emoharbor("leaderboard", finished, tmp_path / "more", *FAST, "--no-validity", "--json")
    board = Leaderboard.model_validate_json(out)
    assert code == 0
    assert {row.name for row in board.supporters} == {*STYLES, "advice"}
    assert all(pair.people == 4 for pair in board.neighbours)

    code, _, err = emoharbor("leaderboard", finished, tmp_path / "long", *FAST)
    assert code == 2
    assert "the run: max_turns is 4 here, 2 there" in err


def test_a_run_without_a_judge_has_counts_and_nothing_to_compare(tmp_path: Path, emoharbor: Command) -> None:
    evaluate_sync(config(profiles=["P010"], cast={"judge": None}), tmp_path / "run")

    code, out, _ = emoharbor("leaderboard", tmp_path / "run", *FAST)
    assert code == 0
    assert "turn_cap" in out
    assert "nothing was rated" in emoharbor("compare", tmp_path / "run", "attuned", "generic")[2]
    assert "nothing was rated" in emoharbor("reliability", tmp_path / "run")[2]


def test_a_run_that_still_goes_on_is_read_as_far_as_it_is(finished: Path, emoharbor: Command, tmp_path: Path) -> None:
    folder = shutil.copytree(finished, tmp_path / "run")
    with sqlite3.connect(folder / "run.db") as connection:
        connection.execute("DELETE FROM judgements WHERE episode IN (SELECT id FROM episodes WHERE profile = 'P010')")
        connection.execute("UPDATE episodes SET outcome = NULL WHERE profile = 'P010'")
    connection.close()

    _, out, _ = emoharbor("leaderboard", folder, *FAST, "--json")
    counts = Leaderboard.model_validate_json(out).supporters[0].counts
    assert (counts.planned, counts.scored, counts.unfinished) == (4, 3, 1)


def test_reading_without_words_gives_what_reading_everything_gives(finished: Path) -> None:
    run = load_run(finished)
    whole = {(item.profile, item.supporter, item.repeat): item for item in run.results()}

    for lean in read_lean(finished):
        full = whole.pop((lean.profile, lean.supporter, lean.repeat))
        assert lean.outcome == full.outcome
        for less, more in zip(lean.judgements, full.judgements, strict=True):
            assert less.scores == more.scores
            assert [(item.dimension, item.score) for item in less.ratings] == [
                (item.dimension, item.score) for item in more.ratings
            ]
            for name in ("judge", "judge_id", "own", "repeat", "control", "counterfactual", "with_log"):
                assert getattr(less, name) == getattr(more, name)
    assert whole == {}


def test_what_the_inner_world_says_is_what_the_dialogue_ended_with(finished: Path) -> None:
    found = dict(read_ends(finished, {"P010": 4}))

    for record in load_run(finished).episodes():
        worlds = [turn.inner_world for turn in record.turns if turn.inner_world is not None]
        end = next(value for key, value in found.items() if str(key) == record.episode)
        assert end.distress_change == pytest.approx(worlds[-1].distress - worlds[0].distress)
        assert end.trust_end == worlds[-1].trust
        assert end.needs == sum(need.status == "met" for need in worlds[-1].needs) / len(worlds[-1].needs)
        assert end.facts == (len(worlds[-1].disclosed) / 4 if record.profile == "P010" else None)


def test_the_python_api_gives_the_same_tables(finished: Path) -> None:
    run, how = load_run(finished), How(resamples=200)

    assert run.leaderboard(how=how).supporters[0].name == "attuned"
    assert run.compare("generic", "attuned", how=how).people_both == 4
    assert run.reliability(how).episodes == 12


@pytest.mark.slow
def test_the_personal_effect_shows_for_the_attuned_and_is_none_for_the_generic(
    tmp_path: Path, emoharbor: Command
) -> None:
    folder = tmp_path / "run"
    supporters = [{"name": style, "use": "offline", "style": style} for style in ("attuned", "generic")]
    evaluate_sync(config(profiles="core", supporters=supporters, run={"name": "shows", "seed": 7}), folder)
    judge_run_sync(folder, Request(control="person"))
    judge_run_sync(folder, Request(judge="helpers.judges:harsh", control="person"))

    own, harsh = _effects(load_run(folder))
    assert own["attuned"].effect_ci is not None
    assert own["attuned"].effect_ci[0] > 0
    assert own["attuned"].floor == 0
    assert own["generic"].equivalence is not None
    assert own["generic"].equivalence.equivalent
    assert own["generic"].equivalence.bound == 0.25
    for effect in harsh.values():
        assert effect.equivalence is not None
        assert effect.equivalence.equivalent, "a donor who is only harsher makes no effect"

    _, out, _ = emoharbor("leaderboard", folder, *FAST, "--no-validity")
    assert "personal effect" in out
    assert "not shown" in out


def _effects(run: Run) -> tuple[dict[str, Any], dict[str, Any]]:
    found = run.leaderboard().personal
    ids = list(dict.fromkeys(item.judge_id for item in found))
    own, harsh = ({item.supporter: item for item in found if item.judge_id == name} for name in ids)
    return own, harsh
