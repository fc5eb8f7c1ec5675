"""`emoharbor trace` and `emoharbor diff` as a user meets them."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from emoharbor.eval.store.folder import FolderLock

pytestmark = pytest.mark.slow  # whole runs from the command line

Command = Callable[..., Any]
CONFIG = """
run: {name: pilot, seed: 7, max_turns: 4}
profiles: [P010, P040]
supporters:
  - {name: attuned, use: offline, style: attuned}
  - {name: generic, use: offline, style: generic}
"""
SWAPPED = '''
from emoharbor.nodes.contract import ThinkNode
from emoharbor.state.inner_world import Thought
from emoharbor.state.updates import ThinkUpdate


def blunt_think(*, word: str = "No.") -> ThinkNode:
    """Thinks one word."""

    async def think(state, runtime):
        return ThinkUpdate(thought=Thought(monologue=word, intention="deflect", gist=word))

    return think
'''


@pytest.fixture
def ran(emoharbor: Command, folder: Path) -> Command:
    """The command line, in a folder that holds a run."""
    (folder / "pilot.yaml").write_text(CONFIG, encoding="utf-8")
    (folder / "mine.py").write_text(SWAPPED, encoding="utf-8")
    assert emoharbor("run", "pilot.yaml", "-o", "pilot").code == 0
    return emoharbor


def test_show_names_the_trace_command(ran: Command) -> None:
    assert "emoharbor trace show pilot P010/attuned/0" in ran("show", "pilot", "P010/a").err


def test_the_tree_shows_every_turn_and_the_opening_once(ran: Command) -> None:
    out = ran("trace", "show", "pilot", "P010/a").out

    assert "turn 0  the opening, made once for all supporters of the run" in out
    assert [out.count(f"turn {turn}") for turn in range(5)] == [2, 1, 1, 1, 1]
    assert out.count("supporter  offline") == 4
    assert "ends the episode: turn_cap" in out


def test_filters_leave_only_what_was_asked_for(ran: Command) -> None:
    out = ran("trace", "show", "pilot", "P010/attuned/0", "--node", "think", "--turn", "2", "--patches").out

    assert out.count("think  offline") == 1
    assert "feel" not in out
    assert "/thought/monologue" in out
    assert "No node fits" in ran("trace", "show", "pilot", "P010/attuned/0", "--faults").out


def test_everything_can_be_shown_at_once(ran: Command) -> None:
    out = ran("trace", "show", "pilot", "P010/attuned/0", "--patches", "--prompts").out

    assert "+ /felt_understood" in out, "nobody had answered before turn 1, so there was no value"
    assert out.count("judge  offline") == 1


def test_json_holds_inputs_outputs_and_patch(ran: Command) -> None:
    runs = json.loads(ran("trace", "show", "pilot", "P010/a", "--node", "feel", "--turn", "1", "--json").out)

    assert [(run["name"], run["turn"]) for run in runs] == [("feel", 1)]
    step = next(step for step in runs[0]["patch"] if step["path"] == "/turn")
    assert step == {"op": "replace", "path": "/turn", "old": 0, "value": 1}


def test_following_a_finished_episode_shows_it_and_ends(ran: Command) -> None:
    followed = ran("trace", "show", "pilot", "P010/a", "--follow")

    assert followed.code == 0
    assert followed.out.count("supporter  offline") == 4


def test_following_a_run_that_nobody_writes_any_more_ends(ran: Command, folder: Path) -> None:
    shutil.copytree(folder / "pilot", folder / "killed")
    with closing(sqlite3.connect(folder / "killed" / "run.db")) as database:
        database.execute("UPDATE episodes SET outcome = NULL, finished = NULL")
        database.commit()
    followed = ran("trace", "show", "killed", "P010/a", "--follow")

    assert followed.code == 0
    assert followed.out.count("supporter  offline") == 4
    assert "was broken off after its last finished turn" in followed.err


def test_following_a_run_that_was_stopped_before_its_first_episode_ends(ran: Command, folder: Path) -> None:
    (folder / "early").mkdir()
    shutil.copy(folder / "pilot" / "manifest.json", folder / "early")

    assert "has not begun, and no run is writing" in ran("trace", "show", "early", "P010/a", "--follow").err


def test_following_waits_for_a_run_that_holds_the_folder_until_its_database_is_there(
    ran: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "early").mkdir()
    shutil.copy(folder / "pilot" / "manifest.json", folder / "early")
    lock = FolderLock(folder / "early")

    def begins(_: float) -> None:
        shutil.copy(folder / "pilot" / "run.db", folder / "early")

    monkeypatch.setattr("time.sleep", begins)
    try:
        followed = ran("trace", "show", "early", "P010/a", "--follow")
    finally:
        lock.release()
    assert (followed.code, followed.out.count("supporter  offline")) == (0, 4)


def test_an_episode_that_is_not_there_is_one_clear_line(ran: Command) -> None:
    missed = ran("trace", "show", "pilot", "P999")

    assert missed.code == 2
    assert "no episode begins with 'P999'; for example: P010/attuned/0" in missed.err


def test_two_runs_of_one_config_are_the_same(ran: Command) -> None:
    assert ran("run", "pilot.yaml", "-o", "again").code == 0
    found = json.loads(ran("diff", "pilot", "again", "--json").out)

    assert found["differences"] == []
    assert [item["parting"] for item in found["episodes"]] == [None] * 4
    assert {figure["difference"] for figure in found["figures"] if figure["n"]} == {0}


def test_a_swapped_role_runs_and_shows_where_they_part(ran: Command) -> None:
    found = json.loads(ran("diff", "pilot", "--swap", "think=mine:blunt_think", "--arg", "word=Never.", "--json").out)

    assert found["second"] == "pilot-think-blunt_think"
    assert any("config.cast.think.use was" in line for line in found["differences"])
    for item in found["episodes"]:
        assert item["parting"]["turn"] == 0
        assert item["parting"]["what"] in ("state", "thought")
    page = ran("diff", "pilot", "pilot-think-blunt_think", "--episode", "P010/a").out
    assert "B - A" in page
    assert "Never." in page


def test_a_swap_can_be_asked_for_again(ran: Command) -> None:
    for _ in "ab":
        assert ran("diff", "pilot", "--swap", "think=mine:blunt_think").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pilot"], "say --swap ROLE=USE"),
        (["pilot", "--swap", "supporter=x:y"], "one of this run's roles: feel, think, speak, judge"),
        (["pilot", "--swap", "think"], "write ROLE=USE"),
        (["pilot", "--swap", "think=mine:nobody"], "no 'nobody'"),
        (["pilot", "--swap", "think=mine:blunt_think", "--arg", "word"], "write NAME=VALUE"),
        (["pilot", "nowhere"], "is no run folder"),
        (["pilot", "pilot", "--arg", "word=Never."], "--arg belongs to --swap"),
        (["pilot", "pilot", "--out", "there"], "--out belongs to --swap"),
    ],
)  # fmt: skip
def test_mistakes_are_one_clear_line(ran: Command, arguments: list[str], said: str) -> None:
    missed = ran("diff", *arguments)

    assert missed.code == 2
    assert said in missed.err
    assert len(missed.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--node", "editor"], "--node editor: no such node; there are feel, think, speak, fused, supporter, judge"),
        (["--follow", "--json"], "--follow: prints the tree as it grows; leave out --json"),
    ],
    ids=["a node that is none", "JSON of what still grows"],
)
def test_what_cannot_be_shown_is_refused(ran: Command, options: list[str], says: str) -> None:
    ended = ran("trace", "show", "pilot", "P010/a", *options)

    assert ended.code == 2
    assert says in ended.err


def test_an_opening_that_failed_is_no_stretch_of_the_episode(emoharbor: Command, folder: Path) -> None:
    folder.joinpath("mine.py").write_text(SWAPPED.replace("ThinkUpdate(thought=", "dict(thought="), encoding="utf-8")
    folder.joinpath("pilot.yaml").write_text(
        f"{CONFIG}cast: {{think: {{use: 'mine:blunt_think'}}}}\n", encoding="utf-8"
    )
    emoharbor("run", "pilot.yaml", "-o", "pilot")
    out = emoharbor("trace", "show", "pilot", "P010/attuned").out

    assert "think" in out
    assert "stretches" not in out
