"""replay, agree and rate as a user types them."""

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.recordings import ANSWERED, SHORT, dialogue

from emoharbor.eval.cli.main import call
from emoharbor.nodes.recording import Recording

pytestmark = pytest.mark.slow  # whole replays from the command line


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    path = tmp_path / "talks.jsonl"
    rated = [
        dialogue(f"p{number}", "I feel low.", "Tell me more, I'm here.", "It rains.", "So it rains where you are.",
                 "Yes it does.", stars=(number % 5 + 1, 5), ratings={"before": 5, "after": 1 + number, "empathy": 4})
        for number in range(4)
    ]  # fmt: skip
    path.write_text(Recording([SHORT, ANSWERED, *rated]).text(), encoding="utf-8")
    return path


def said(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    code = call([str(part) for part in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_recording_is_replayed_read_and_compared(
    talks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    code, _, err = said(capsys, "replay", talks, "-o", run)
    assert code == 0
    assert f"emoharbor agree {run}" in err

    code, out, _ = said(capsys, "agree", run, "--json")
    found: dict[str, Any] = json.loads(out)["replay"]
    assert code == 0
    assert (found["dialogues"], found["planned"]) == (6, 6)
    assert {item["rests_on"] for item in found["compared"]} >= {"inner world", "judge", "no inner world", "themselves"}
    assert "By chance" in said(capsys, "agree", run)[1]
    assert "My cat died." in said(capsys, "show", run, "bob/recorded")[1]
    assert "nothing was left to do" in said(capsys, "replay", talks, "-o", run, "--resume")[2]


def test_a_wrong_part_of_the_cast_is_named_with_its_line(
    talks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cast = tmp_path / "cast.yaml"
    cast.write_text("cast:\n  feel: {use: offline, style: calm}\n", encoding="utf-8")

    code, _, err = said(capsys, "replay", talks, "-o", tmp_path / "run", "--config", cast)
    assert (code, err.startswith(f"error: {cast}:2: cast.feel: ")) == (2, True)


def test_an_ablation_stands_beside_the_run_it_belongs_to(
    talks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cast = tmp_path / "blind.yaml"
    cast.write_text("cast: {user: [speak]}\n", encoding="utf-8")
    other = tmp_path / "other.jsonl"
    other.write_text(Recording([SHORT]).text(), encoding="utf-8")
    said(capsys, "replay", talks, "-o", tmp_path / "run")
    said(capsys, "replay", talks, "-o", tmp_path / "blind", "--config", cast)
    said(capsys, "replay", other, "-o", tmp_path / "other")

    _, out, _ = said(capsys, "agree", tmp_path / "run", "--ablation", tmp_path / "blind", "--json")
    code, _, err = said(capsys, "agree", tmp_path / "run", "--ablation", tmp_path / "other")

    assert any(item["rests_on"] == "judge, no log" for item in json.loads(out)["replay"]["compared"])
    assert code == 2
    assert "replays other dialogues" in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("replay", "nowhere.jsonl", "-o", "x"), "nowhere.jsonl"),
        (("agree", "nowhere"), "is no run folder"),
        (("rate", "agree", "nowhere"), "is no run folder"),
        (("rate", "export", "nowhere"), "is no run folder"),
    ],
)
def test_a_mistake_is_one_line(
    arguments: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)

    code, out, err = said(capsys, *arguments)

    assert code == 2
    assert out == ""
    assert says in err
    assert len(err.splitlines()) == 1


def test_a_record_without_ratings_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    talks = tmp_path / "talks.jsonl"
    talks.write_text(Recording([SHORT]).text(), encoding="utf-8")
    said(capsys, "replay", talks, "-o", tmp_path / "run")

    code, out, err = said(capsys, "agree", tmp_path / "run")

    assert (code, out) == (2, "")
    assert "its recorded people rated nothing" in err


def test_a_replay_can_be_rated_by_hand_and_both_are_shown(
    talks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, forms = tmp_path / "run", tmp_path / "forms"
    said(capsys, "replay", talks, "-o", run)
    said(capsys, "rate", "export", run, "--n", "3", "-o", forms)
    for path in forms.glob("*.csv"):
        path.write_text(path.read_text(encoding="utf-8").replace(",,", ",4,"), encoding="utf-8")

    code, _, err = said(capsys, "rate", "import", run, *sorted(forms.glob("*.csv")))

    assert code == 0
    assert "took 30 ratings of R1" in err
    parts = json.loads(said(capsys, "agree", run, "--json")[1])
    assert set(parts) == {"replay", "by_hand"}
    assert parts["by_hand"]["raters"] == ["R1", "R2"]
    assert "Raters with one another" in said(capsys, "rate", "agree", run)[1]


def test_dialogues_that_are_left_out_are_counted_at_the_end(
    talks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with talks.open("a", encoding="utf-8") as file:
        file.write("no dialogue\n")

    code, _, err = said(capsys, "replay", talks, "-o", tmp_path / "run")
    assert (code, err.splitlines()[-1]) == (1, "1 dialogue of 7 left out, see above")


@pytest.mark.parametrize("option", [("--limit", "3"), ("--resume",), ("--json",), ("--config", "cast.yaml")])
def test_options_of_playing_do_not_go_with_sages_logs(
    talks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], option: tuple[str, ...]
) -> None:
    code, _, err = said(capsys, "replay", talks, "--format", "sage", "-o", tmp_path / "run", *option)
    assert (code, err.startswith(f"error: {option[0]}: SAGE's logs hold")) == (2, True)
