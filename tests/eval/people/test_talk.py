"""A person at the keyboard: begun, left, resumed, ended; and what is on disk meanwhile."""

from pathlib import Path
from typing import Any

import pytest

from emoharbor.eval import evaluate, load_run, run_episode
from emoharbor.eval.people.talk import Asked, Talk, talk_config
from emoharbor.eval.run import Run
from emoharbor.state.errors import ConfigError, RunFolderError
from emoharbor.state.outcome import Outcome

pytestmark = pytest.mark.slow  # whole talks

CONFIG = talk_config("P040", max_turns=2, seed=7)


def said(asked: Asked | None) -> list[tuple[str, str]]:
    assert asked is not None
    return [(item.role, item.content) for item in asked.messages]


async def test_a_talk_goes_turn_by_turn_to_the_verdict(tmp_path: Path) -> None:
    async with await Talk.begin(CONFIG, tmp_path / "talk") as talk:
        assert talk.asked is not None
        assert (talk.asked.turn, len(talk.asked.messages)) == (0, 1)
        asked = await talk.reply("That is a lot to carry.")
        assert asked is not None
        assert (asked.turn, said(asked)[1]) == (1, ("assistant", "That is a lot to carry."))
        assert await talk.reply("What would help tonight?") is None
        assert talk.asked is None
        assert talk.state is not None
        assert talk.state.outcome is Outcome.TURN_CAP
        record = talk.record()

    assert record.primary[0].scores is not None
    assert [turn.supporter for turn in record.turns] == ["That is a lot to carry.", "What would help tonight?", None]


async def test_it_is_a_run_that_everything_reads_while_it_goes_on(tmp_path: Path) -> None:
    async with await Talk.begin(CONFIG, tmp_path / "talk") as talk:
        before = load_run(tmp_path / "talk").episode(talk.key)
        assert [(bool(turn.user), turn.supporter) for turn in before.turns] == [(True, None)]
        await talk.reply("I am here.")
        assert [node.name for node in load_run(tmp_path / "talk").trace(talk.key).seats() if node.turn == 1] == [
            "feel", "think", "speak",
        ]  # fmt: skip
        await talk.reply("I am here still.")

    run = load_run(tmp_path / "talk")
    assert [item.name for item in run.leaderboard().supporters] == ["human"]
    assert run.export(tmp_path / "talk.jsonl", "jsonl")[0].read_text(encoding="utf-8").count("\n") == 1


async def test_a_talk_that_was_left_goes_on_with_the_message_that_waited(tmp_path: Path) -> None:
    async with await Talk.begin(CONFIG, tmp_path / "whole") as talk:
        await talk.reply("I am here.")
        await talk.reply("Tell me more.")
    async with await Talk.begin(CONFIG, tmp_path / "left") as talk:
        first = said(talk.asked)
    async with await Talk.resume(tmp_path / "left") as talk:
        assert said(talk.asked) == first
        second = said(await talk.reply("I am here."))
    async with await Talk.resume(tmp_path / "left") as talk:
        assert said(talk.asked) == second
        assert await talk.reply("Tell me more.") is None

    assert exported(Run(tmp_path / "left"), tmp_path) == exported(Run(tmp_path / "whole"), tmp_path)


async def test_its_trace_has_each_node_once_however_often_it_waited(tmp_path: Path) -> None:
    async with await Talk.begin(CONFIG, tmp_path / "talk") as talk:
        await talk.reply(" ")
        await talk.reply("I am here.")
    async with await Talk.resume(tmp_path / "talk") as talk:
        await talk.reply("Tell me more.")
        nodes = [(node.turn, node.name) for node in Run(talk.folder).trace(talk.key).seats()]

    turn = ["feel", "think", "speak", "supporter"]
    assert nodes == [*((0, name) for name in turn), *((1, name) for name in turn), *(
        (2, name) for name in ("feel", "think", "judge")
    )]  # fmt: skip


async def test_an_empty_answer_is_asked_again_and_kept_nowhere(tmp_path: Path) -> None:
    async with await Talk.begin(CONFIG, tmp_path / "talk") as talk:
        before = said(talk.asked)
        asked = await talk.reply(" \n")
        assert asked is not None
        assert asked.problem == "the reply shows nothing"
        assert said(asked) == before


async def test_only_the_one_whose_turn_it_is_may_speak(tmp_path: Path) -> None:
    async with await Talk.begin(CONFIG, tmp_path / "talk") as talk:
        await talk.reply("I am here.")
        await talk.reply("Tell me more.")
        with pytest.raises(ConfigError, match="not the supporter's turn"):
            await talk.reply("One more thing.")


async def test_a_taken_folder_ends_it_before_anything_is_said(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()

    with pytest.raises(RunFolderError, match="is not empty"):
        await Talk.begin(CONFIG, tmp_path)


async def test_only_a_talk_can_be_resumed_as_one(tmp_path: Path) -> None:
    await run_episode("P040", "silent", max_turns=1, folder=tmp_path / "run")

    with pytest.raises(RunFolderError, match="is no talk"):
        await Talk.resume(tmp_path / "run")


async def test_a_run_with_a_human_is_refused_and_names_chat(tmp_path: Path) -> None:
    spec: dict[str, Any] = {"name": "me", "use": "human"}
    with pytest.raises(ConfigError, match=r"supporters\.me: a human .* emoharbor chat P010"):
        await evaluate({"profiles": ["P040"], "supporters": [spec]}, tmp_path / "run")
    with pytest.raises(ConfigError, match="emoharbor chat P010"):
        await run_episode("P040", spec)
    assert not (tmp_path / "run").exists()


def exported(run: Run, folder: Path) -> bytes:
    return run.export(folder / "canonical.jsonl", "jsonl", canonical=True)[0].read_bytes()
