"""`emoharbor chat` and `run --fork`, as somebody types them."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow  # whole talks and forks from the command line

Command = Callable[..., Any]
Typed = Callable[..., None]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Lay lines under the keyboard; after them it is left (Ctrl-D)."""
    return lambda *lines: monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_you_talk_and_read_the_verdict(emoharbor: Command, typed: Typed) -> None:
    typed("That is a lot to carry.", "", "What would help tonight?")
    ended = emoharbor("chat", "P040", "--turns", "2")

    assert ended.code == 0
    assert ended.out.count("P040> ") == 2
    assert "not sent: the reply shows nothing" in ended.err
    assert "The verdict, rated as" in ended.out
    assert "runs/chat-1" in ended.err


def test_the_inner_world_is_shown_only_if_asked(emoharbor: Command, typed: Typed) -> None:
    typed("I am here.")
    plain = emoharbor("chat", "P040", "--turns", "2")
    typed("I am here.")
    inner = emoharbor("chat", "P040", "--turns", "2", "--inner")

    assert "thinks" not in plain.out
    assert "distress" not in plain.out
    assert inner.out.count("thinks") == 2


def test_leaving_says_how_to_go_on_and_going_on_shows_what_was_said(emoharbor: Command, typed: Typed) -> None:
    typed("That is a lot to carry.")
    left = emoharbor("chat", "P040", "--turns", "2", "-o", "mine")
    assert left.code == 130
    assert "Go on with: emoharbor chat --resume -o mine" in left.err

    typed("What would help tonight?")
    ended = emoharbor("chat", "--resume", "-o", "mine")
    assert ended.code == 0
    assert "you> That is a lot to carry." in ended.out
    assert emoharbor("show", "mine", "P040").code == 0


def test_resuming_without_a_name_takes_the_last_talk(emoharbor: Command, typed: Typed) -> None:
    assert "there is no talk" in emoharbor("chat", "--resume").err
    for _ in range(2):
        typed()
        emoharbor("chat", "P040", "--turns", "1")

    typed("I am here.")
    assert "runs/chat-2" in emoharbor("chat", "--resume").err


def test_json_is_the_episode_and_nothing_else(emoharbor: Command, typed: Typed) -> None:
    typed("I am here.")
    ended = emoharbor("chat", "P040", "--turns", "1", "--name", "Ada", "--json")

    found = json.loads(ended.out)
    assert (found["supporter"], found["turns"][0]["supporter"]) == ("Ada", "I am here.")


def test_a_config_says_who_plays_the_person(emoharbor: Command, typed: Typed, folder: Path) -> None:
    (folder / "c.yaml").write_text(
        "run: {max_turns: 1, seed: 3, briefing: intake}\nsupporters: [{name: a, use: offline, style: attuned}]\n"
        "cast: {user: [feel, speak]}\n",
        encoding="utf-8",
    )
    typed("I am here.")
    ended = emoharbor("chat", "P040", "--config", "c.yaml", "-o", "mine")

    assert ended.code == 0
    manifest = json.loads((folder / "mine" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["config"]["cast"]["user"] == ["feel", "speak"]
    assert manifest["config"]["run"] | {"max_turns": 1, "seed": 3, "briefing": "intake"} == manifest["config"]["run"]


@pytest.fixture
def pilot(emoharbor: Command, folder: Path) -> Command:
    """A run of one person who leaves at turn 4."""
    (folder / "pilot.yaml").write_text(
        "run: {name: pilot, seed: 7, max_turns: 5}\nprofiles: [P022]\n"
        "supporters: [{name: advice, use: offline, style: advice}, {name: attuned, use: offline, style: attuned}]\n",
        encoding="utf-8",
    )
    assert emoharbor("run", "pilot.yaml", "-o", "pilot").code == 0
    return emoharbor


def test_a_fork_is_played_stored_and_shown_as_a_branch(pilot: Command) -> None:
    made = pilot("run", "pilot", "--fork", "P022/adv", "--turn", "3", "--supporter", "attuned", "--set", "trust=6")
    assert made.code == 0
    assert "A branch of P022/advice/0 from turn 3 on, trust = 6" in made.out

    folder = "pilot/branches/P022-advice-0-turn3-attuned"
    assert "A branch of P022/advice/0 from turn 3 on" in pilot("show", folder, "P022").out
    assert json.loads(pilot("show", folder, "P022", "--json").out)["branch_of"]["turn"] == 3
    listed = pilot("show", "pilot").out
    assert "P022/advice/0 from turn 3 on with attuned, trust = 6" in listed
    assert pilot("leaderboard", folder).code == 0
    resumed = pilot("run", folder, "--resume")
    assert (resumed.code, "nothing was left to do" in resumed.err) == (0, True)


def test_a_fork_can_be_handed_to_you(pilot: Command, typed: Typed) -> None:
    typed("I am sorry.", "I am listening.")
    ended = pilot("run", "pilot", "--fork", "P022/adv", "--turn", "3", "--supporter", "human")

    assert ended.code == 0
    assert "you> Here are some things that can help" in ended.out
    assert "The verdict" in ended.out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--fork", "P022/adv", "--supporter", "attuned"], "say from which turn on"),
        (["--fork", "P022/adv", "--turn", "3"], "say what is to be different"),
        (["--fork", "P999", "--turn", "3", "--supporter", "attuned"], "no episode begins with 'P999'"),
        (["--turn", "3", "--resume"], "--turn: goes with --fork only"),
        (["--fork", "P022/adv", "--turn", "3", "--supporter", "attuned", "--limit", "1"], "--limit: does not go with"),
        ([], "is a run folder; go on with it by --resume"),
    ],
)
def test_what_does_not_go_together_is_one_clear_line(pilot: Command, options: list[str], says: str) -> None:
    refused = pilot("run", "pilot", *options)

    assert refused.code == 2
    assert says in refused.err
    assert refused.err.count("\n") == 1


def test_the_code_of_a_resumed_run_speaks_for_the_whole_run(emoharbor: Command, folder: Path) -> None:
    (folder / "bots.py").write_text("def broken(messages):\n    raise OSError('down')\n", encoding="utf-8")
    (folder / "judges.py").write_text(
        "from emoharbor.nodes.contract import JudgeNode\n\n"
        "def unsure() -> JudgeNode:\n"
        "    async def judge(state, runtime):\n"
        "        from emoharbor.state.updates import JudgeUpdate\n"
        "        from emoharbor.state.verdict import Judgement\n"
        "        return JudgeUpdate(judgement=Judgement(judge='j', rubric='r', unscored='no idea'))\n"
        "    return judge\n",
        encoding="utf-8",
    )
    (folder / "c.yaml").write_text(
        "run: {max_turns: 1}\nprofiles: [P040, P010]\ncast: {judge: {use: 'judges:unsure'}}\n"
        "supporters: [{name: a, use: offline, style: attuned}]\n",
        encoding="utf-8",
    )
    assert emoharbor("run", "c.yaml", "-o", "r", "--limit", "1").code == 1

    resumed = emoharbor("run", "c.yaml", "-o", "r", "--resume", "--limit", "1")
    assert "nothing was left to do" in resumed.err
    assert (resumed.code, "1 episode could not be scored" in resumed.err) == (1, True)
