"""A recorded dialogue becomes an ordinary run: nobody's words change, and no role knows what is still to come."""

import json
from pathlib import Path

import pytest
from helpers.recordings import ANSWERED, SHORT, dialogue, played, replay
from helpers.runs import canonical

from emoharbor.eval.replay.play import read_cast, replay_config
from emoharbor.eval.run import Run
from emoharbor.eval.runs.plan import Selection
from emoharbor.nodes.contract import Runtime, ThinkNode
from emoharbor.nodes.offline.think import offline_think
from emoharbor.state.episode import Channels
from emoharbor.state.errors import ConfigError, RunFolderError
from emoharbor.state.inner_world import Thought
from emoharbor.state.outcome import Outcome
from emoharbor.state.updates import ThinkUpdate

pytestmark = pytest.mark.slow  # whole replays

SEEN: list[dict[str, object]] = []


def curious_think() -> ThinkNode:
    """Note all that a think can see."""
    inner = offline_think()

    async def think(state: Channels, runtime: Runtime) -> ThinkUpdate:
        SEEN.append({"state": dict(state), "profile": runtime.profile.model_dump_json()})
        return await inner(state, runtime)

    return think


def leaving_think() -> ThinkNode:
    """Want to go at once."""

    async def think(state: Channels, runtime: Runtime) -> ThinkUpdate:
        return ThinkUpdate(thought=Thought(monologue="I want to go.", intention="leave", wants_to_continue=False))

    return think


async def test_what_was_said_stands_word_for_word_with_an_inner_world_beside_it(tmp_path: Path) -> None:
    run = await played(tmp_path / "run", SHORT, ANSWERED)

    short, answered = run.episode("ann/recorded"), run.episode("bob/recorded")

    assert [(turn.user, turn.supporter) for turn in short.turns] == [
        (turn.user, turn.supporter) for turn in SHORT.turns
    ]
    assert [(turn.user, turn.supporter) for turn in answered.turns] == [
        *((turn.user, turn.supporter) for turn in ANSWERED.turns), (None, None),
    ]  # fmt: skip
    assert all(turn.inner_world is not None for turn in (*short.turns, *answered.turns))
    assert short.turns[0].inner_world is not None
    assert short.turns[0].inner_world.distress == 8


async def test_a_dialogue_is_as_long_as_its_record_whoever_spoke_last(tmp_path: Path) -> None:
    run = await played(tmp_path / "run", SHORT, ANSWERED)

    found = {record.profile: (record.outcome, record.outcome_reason) for record in run.episodes()}

    assert found == {
        "ann": (Outcome.TURN_CAP, "the record ends here"),
        "bob": (Outcome.TURN_CAP, "3 turns, the last reply taken in"),
    }
    assert all(record.judgements for record in run.episodes())


async def test_a_real_person_may_say_the_same_twice_and_stay_though_the_simulated_one_would_go(tmp_path: Path) -> None:
    cast = {"think": {"use": f"{__name__}:leaving_think"}}
    spoken = dialogue("eva", *["So sad and lonely today.", "Hm."] * 8)

    run = await played(tmp_path / "run", ANSWERED, spoken, cast=cast)

    assert [len(record.turns) for record in run.episodes()] == [4, 9]
    assert {record.outcome for record in run.episodes()} == {Outcome.TURN_CAP}


async def test_what_needs_an_unknown_person_is_null_with_its_reason(tmp_path: Path) -> None:
    run = await played(tmp_path / "run", ANSWERED)

    judgement = run.episode("bob/recorded").judgements[0]
    missing = {rating.dimension: rating.reason for rating in judgement.ratings if rating.score is None}

    assert set(missing) == {"need_fit", "personality_fit", "coping_fit", "discovery"}
    assert all(missing.values())
    assert judgement.scores is not None
    assert judgement.scores.general is not None
    assert judgement.scores.tailored is None


async def test_no_role_sees_what_is_still_to_be_said_nor_that_it_is_a_record(tmp_path: Path) -> None:
    SEEN.clear()
    told = ANSWERED.model_copy(update={"ratings": {"before": 4.0, "after": 1.0}})

    await played(tmp_path / "run", told, cast={"think": {"use": f"{__name__}:curious_think"}})

    first = next(item for item in SEEN if not item["state"]["messages"])  # type: ignore[index]  # a state
    assert "recorded" not in first["state"]  # type: ignore[operator]  # a state
    assert not any(turn.user in str(first) for turn in ANSWERED.turns)
    assert "after" not in str(first["profile"])


async def test_a_broken_off_replay_goes_on_and_equals_one_in_one_go(tmp_path: Path) -> None:
    whole = await played(tmp_path / "whole", SHORT, ANSWERED)
    await played(tmp_path / "parts", SHORT, ANSWERED, only=Selection(limit=1))

    run = await played(tmp_path / "parts", SHORT, ANSWERED, resume=True)

    assert canonical(run, tmp_path / "parts") == canonical(whole, tmp_path / "whole")
    with pytest.raises(RunFolderError, match="replay"):
        await played(tmp_path / "parts", SHORT, resume=True)


async def test_the_manifest_says_what_it_is_and_where_it_is_from(tmp_path: Path) -> None:
    await played(tmp_path / "run", SHORT, ANSWERED)

    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))

    assert manifest["replay"]["format"] == "jsonl"
    assert manifest["replay"]["turns"] == {"ann/recorded": 3, "bob/recorded": 3}
    assert "My cat died" not in json.dumps(manifest)


async def test_several_supporters_of_the_same_people_are_compared_as_in_any_run(tmp_path: Path) -> None:
    lines = ("I lost my job.", "Cheer up!", "Hm.", "Things will be fine.")
    run = await played(
        tmp_path / "run", SHORT, ANSWERED, dialogue("ann", *lines, supporter="blunt"), cast={"user": ["speak"]}
    )

    board = Run(tmp_path / "run").leaderboard()

    assert [str(key) for key in run.planned()] == ["ann/recorded/0", "ann/blunt/0", "bob/recorded/0"]
    assert run.episode("ann/blunt").turns[1].supporter == "Things will be fine."
    assert {row.name: row.counts.scored for row in board.supporters} == {"recorded": 2, "blunt": 1}


def test_a_chain_that_speaks_for_the_person_is_refused() -> None:
    with pytest.raises(ConfigError, match="ends with speak"):
        replay_config(replay(SHORT), {"cast": {"user": ["fused"]}})


def test_a_config_that_names_people_or_supporters_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cast.yaml"
    path.write_text("profiles: core\n", encoding="utf-8")

    with pytest.raises(ConfigError, match="leave this section out"):
        read_cast(path)
