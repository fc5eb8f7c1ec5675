"""Forks: played on from a turn with another supporter or another inner world, stored apart, shown as branches."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from emoharbor.eval import evaluate
from emoharbor.eval.audit.episode import audit_episode
from emoharbor.eval.people.branch import make_branch
from emoharbor.eval.people.branches import branches
from emoharbor.eval.people.taken_up import resume_run
from emoharbor.eval.people.talk import Talk
from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.run import Run
from emoharbor.eval.runs.manifest import BranchOf, read_manifest
from emoharbor.profiles.loader import load_people
from emoharbor.state.errors import ConfigError, RunFolderError

pytestmark = pytest.mark.slow  # whole branches

KEY = EpisodeKey(profile="P022", supporter="advice", repeat=1)
TURN = 2


@pytest.fixture(scope="module")
def parent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two people, two supporters, two repeats."""
    folder = tmp_path_factory.mktemp("fork") / "run"
    config = {
        "run": {"seed": 7, "max_turns": 4, "repeats": 2},
        "profiles": ["P022", "P041"],
        "supporters": [{"name": style, "use": "offline", "style": style} for style in ("attuned", "advice")],
    }
    asyncio.run(evaluate(config, folder))
    return folder


async def branch(parent: Path, supporter: Any = "advice", turn: int = TURN, **more: Any) -> Run:
    folder = await make_branch(Run(parent), KEY, turn, supporter, **more)
    return await resume_run(folder)


@pytest.mark.parametrize("turn", [0, 1, 3])
async def test_a_fork_that_changes_nothing_plays_out_the_same(parent: Path, turn: int) -> None:
    run = await branch(parent, turn=turn)

    assert list(run.episodes()) == [Run(parent).episode(KEY)]


async def test_another_supporter_answers_from_that_turn_on(parent: Path) -> None:
    (record,) = (await branch(parent, "attuned")).episodes()
    before = Run(parent).episode(KEY)

    assert record.episode == "P022/attuned/1"
    assert record.turns[:TURN] == before.turns[:TURN]
    assert record.turns[TURN].user == before.turns[TURN].user
    assert record.turns[TURN].supporter != before.turns[TURN].supporter
    assert record.primary[0].scores is not None


async def test_an_edited_inner_world_goes_on_and_is_in_the_log(parent: Path) -> None:
    (record,) = (await branch(parent, edits={"trust": 9, "emotions": {"hope": 5}})).episodes()
    before = Run(parent).episode(KEY)

    edits = [shift for shift in record.shifts if shift.role == "editor"]
    assert [(shift.field, shift.applied, shift.cause, shift.turn) for shift in edits] == [
        ("emotions", ("hope:5",), "edited", TURN), ("trust", 9, "edited", TURN),
    ]  # fmt: skip
    was, now = before.turns[TURN].inner_world, record.turns[TURN].inner_world
    assert was is not None
    assert now is not None
    assert now.trust > was.trust
    assert record.turns[:TURN] == before.turns[:TURN]


async def test_an_edit_before_the_first_thought_changes_the_first_message_on(parent: Path) -> None:
    (record,) = (await branch(parent, turn=0, edits={"distress": 1})).episodes()

    assert record.shifts[0].role == "editor"
    assert record.turns[0].inner_world is not None
    assert record.turns[0].inner_world.distress < 5


async def test_the_manifest_says_where_it_comes_from(parent: Path) -> None:
    folder = await make_branch(Run(parent), KEY, TURN, "attuned", edits={"trust": 9}, name="mine")

    manifest = read_manifest(folder)
    assert folder == parent / "branches" / "mine"
    assert manifest.branch_of == BranchOf(
        run_id=read_manifest(parent).run_id, episode=str(KEY), turn=TURN, edits={"trust": 9}
    )
    (found,) = [item for item in branches(parent, KEY) if item.name == "mine"]
    assert found.key == EpisodeKey(profile="P022", supporter="attuned", repeat=1)
    assert branches(parent, EpisodeKey(profile="P041", supporter="advice")) == []


@pytest.mark.slow
async def test_the_parents_figures_never_count_it(parent: Path) -> None:
    board, planned = Run(parent).leaderboard(), Run(parent).planned()
    await branch(parent, "attuned")

    assert Run(parent).leaderboard() == board
    assert Run(parent).planned() == planned


@pytest.mark.slow
async def test_a_branch_of_a_branch_lies_below_it(parent: Path) -> None:
    run = await branch(parent, "attuned")
    folder = await make_branch(run, "P022/attuned/1", TURN + 1, "advice")

    assert folder.parent == run.folder / "branches"
    (record,) = (await resume_run(folder)).episodes()
    (before,) = run.episodes()
    assert record.turns[: TURN + 1] == before.turns[: TURN + 1]


async def test_a_person_at_the_keyboard_can_take_over(parent: Path) -> None:
    folder = await make_branch(Run(parent), KEY, 3, "human")
    async with await Talk.resume(folder) as talk:
        assert talk.asked is not None
        assert talk.asked.turn == 3
        assert await talk.reply("I am sorry. That was not what you needed.") is None
        assert talk.record().turns[3].supporter == "I am sorry. That was not what you needed."


async def test_an_edit_survives_a_branch_that_is_killed_before_its_first_turn_ends(parent: Path) -> None:
    folder = await make_branch(Run(parent), KEY, TURN, "human", edits={"trust": 9})
    for _ in range(2):
        async with await Talk.resume(folder) as talk:
            assert talk.state is not None
            assert [shift.field for shift in talk.state.shifts if shift.role == "editor"] == ["trust"]


@pytest.mark.parametrize(
    ("turn", "supporter", "more", "says"),
    [
        (9, "attuned", {}, "finished turns, not 9"),
        (2, "nobody", {}, "no supporter of this run .attuned, advice."),
        (2, {"name": "r", "use": "callable", "target": "json:dumps", "send": "last"}, {}, "keeps the dialogue itself"),
        (2, "advice", {"edits": {"trus": 6}}, "did you mean 'trust'"),
        (2, "advice", {"edits": {"trust": 60}}, "trust: "),
        (2, "advice", {"edits": {"needs": {"n9": "met"}}}, "needs.n9"),
        (2, "advice", {"edits": {"released": ["f99"]}}, "no fact 'f99'"),
    ],
)
async def test_what_cannot_be_is_refused_before_anything_is_written(
    parent: Path, turn: int, supporter: Any, more: Any, says: str
) -> None:
    before = sorted((parent / "branches").glob("*"))

    with pytest.raises((ConfigError, RunFolderError), match=says):
        await make_branch(Run(parent), KEY, turn, supporter, **more)
    assert sorted((parent / "branches").glob("*")) == before


async def test_a_name_that_is_taken_is_refused_and_a_made_one_counts_up(parent: Path) -> None:
    await make_branch(Run(parent), KEY, TURN, "attuned", name="once")
    with pytest.raises(RunFolderError, match="already holds a run"):
        await make_branch(Run(parent), KEY, TURN, "attuned", name="once")

    one, two = [await make_branch(Run(parent), KEY, TURN, "attuned") for _ in range(2)]
    assert one != two


async def test_a_name_cannot_leave_the_folder(parent: Path) -> None:
    folder = await make_branch(Run(parent), KEY, TURN, "attuned", name="../../elsewhere")

    assert folder.parent == parent / "branches"


async def test_the_audit_does_not_take_an_edit_for_the_persons_doing(parent: Path) -> None:
    (record,) = (await branch(parent, edits={"trust": 10, "needs": {"primary": "met"}})).episodes()

    found = audit_episode(record, load_people("P022")["P022"]).findings
    assert [item for item in found if item.turn == TURN and item.kind in ("instant_warmth", "swing")] == []
