"""The audit of a run folder: kept beside the run, made again when it has to be, with events and on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from emoharbor.eval.api import evaluate_sync
from emoharbor.eval.audit.limits import AuditLimits
from emoharbor.eval.audit.run import KEPT, audit_run, run_validity
from emoharbor.eval.audit.summary import summarise
from emoharbor.eval.audit.trajectory import ANY, WHOLE, rmssd
from emoharbor.eval.cli.main import build_app, call
from emoharbor.eval.run import Run
from emoharbor.eval.runs.people import people_of
from emoharbor.state.errors import RunFolderError

CONFIG: dict[str, Any] = {
    "run": {"name": "pressed", "seed": 5, "max_turns": 7, "pressure": {"draw": 1, "earliest": 2, "latest": 4}},
    "profiles": ["P010", "P010.resistant", "P040"],
    "supporters": [
        {"name": "attuned", "use": "offline", "style": "attuned"},
        {"name": "generic", "use": "offline", "style": "generic"},
    ],
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return evaluate_sync(CONFIG, tmp_path_factory.mktemp("audited") / "run")


def test_all_supporters_of_a_person_share_the_opening_and_the_events(run: Run) -> None:
    by_person: dict[str, list[Any]] = {}
    for record in run.episodes():
        by_person.setdefault(record.profile, []).append(record)
    assert set(by_person) == {"P010", "P010.resistant", "P040"}
    for one, other in by_person.values():
        assert one.turns[0].user == other.turns[0].user
        shared = min(len(one.events), len(other.events))
        assert one.events[:shared] == other.events[:shared]
    assert any(record.events for records in by_person.values() for record in records)


def test_manifest_and_export_name_the_events(run: Run, tmp_path: Path) -> None:
    assert run.manifest.config.run.pressure.draw == 1
    lines = run.export(tmp_path / "all.jsonl", "jsonl", canonical=True)[0].read_text(encoding="utf-8").splitlines()
    assert any(json.loads(line)["events"] for line in lines)
    with pytest.raises(RunFolderError, match=r"config.run.pressure.draw was 1"):
        evaluate_sync(
            {**CONFIG, "run": {**CONFIG["run"], "pressure": {"draw": 2, "earliest": 2}}}, run.folder, resume=True
        )


def test_a_state_taken_from_the_store_at_any_turn_knows_its_events(run: Run) -> None:
    record = next(record for record in run.episodes() if record.events)
    whole = run.state(record.episode).events
    for turn in range(3):
        assert run.state(record.episode, turn).events == whole


def test_the_page_of_an_episode_shows_what_happened(run: Run) -> None:
    record = next(record for record in run.episodes() if record.events)
    result = CliRunner().invoke(build_app(), ["show", str(run.folder), record.episode])
    assert f"{record.events[0].kind.replace('_', ' ')}: " in result.output


def test_an_audit_is_kept_and_taken_up_again(run: Run) -> None:
    (run.folder / KEPT).unlink(missing_ok=True)
    first = audit_run(run)
    kept = json.loads((run.folder / KEPT).read_text(encoding="utf-8"))
    assert len(first) == 6
    marked = next(iter(kept["episodes"].values()))
    marked["audit"]["reason"] = "taken from the file"
    (run.folder / KEPT).write_text(json.dumps(kept), encoding="utf-8")
    assert "taken from the file" in {audit.reason for audit in audit_run(run)}
    (run.folder / KEPT).unlink()
    assert audit_run(run) == first


@pytest.mark.parametrize("broken", ["", "{", '{"stamp": "other", "episodes": {}}'])
def test_what_is_kept_and_cannot_be_read_is_made_again(broken: str, run: Run) -> None:
    first = audit_run(run)
    (run.folder / KEPT).write_text(broken, encoding="utf-8")
    assert audit_run(run) == first


def test_other_limits_find_other_things(run: Run) -> None:
    assert run_validity(run).all.sound.rate == 1.0
    strict = run_validity(run, AuditLimits(warm_steps=1.0, swing_steps=1.0, repeat_share=0.05))
    assert strict.all.sound.count < strict.all.episodes
    assert list(strict.supporters) == ["attuned", "generic"]


def test_trajectories_are_cut_at_the_events(run: Run) -> None:
    found = summarise(
        "run", audit_run(run), people=people_of(run.manifest), supporters=["attuned", "generic"], limits=AuditLimits()
    )
    names = {(item.supporter, item.event) for item in found.trajectories}
    assert {("attuned", WHOLE), ("generic", WHOLE), ("attuned", ANY)} <= names
    around = next(item for item in found.trajectories if item.event == ANY)
    assert around.distress_jump is not None
    assert around.distress_after is not None


def test_volatility_is_the_root_mean_square_of_successive_differences() -> None:
    assert rmssd([1.0, 4.0, 0.0]) == pytest.approx(((9 + 16) / 2) ** 0.5)
    assert rmssd([5.0]) != rmssd([5.0])  # not a number


@pytest.mark.parametrize("form", ["table", "markdown", "csv", "json"])
def test_the_command_prints_every_form(form: str, run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    assert call(["audit", str(run.folder), "--format", form]) == 0
    printed = capfd.readouterr().out
    assert "sound" in printed
    if form == "json":
        assert json.loads(printed)["validity"]["all"]["episodes"] == 6


def test_an_unknown_model_is_one_clear_line(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    assert call(["audit", str(run.folder), "--model", "judge"]) == 2
    assert "--model: no model is called 'judge'" in capfd.readouterr().err
