"""Nodes that break: each is named, with the line, and nothing else is harmed."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from helpers.scripted import Script, part, play_out

from emoharbor.nodes.cast import Cast
from emoharbor.nodes.contract import Runtime
from emoharbor.nodes.offline.judge import offline_judge
from emoharbor.nodes.rubric import Rubric, load_rubric
from emoharbor.profiles.schema import Profile
from emoharbor.state.base import Role
from emoharbor.state.episode import Channels
from emoharbor.state.errors import NodeError
from emoharbor.state.inner_world import Thought
from emoharbor.state.updates import JudgeUpdate
from emoharbor.state.verdict import Judgement, Rating

TEN = load_rubric()


def cast_with(role: Role, node: Any, rubric: Rubric | None = None) -> Cast:
    cast = Script().cast()
    broken = replace(part(role, node), rubric=rubric)
    if role == "judge":
        return Cast(cast.user, broken, cast.supporters)
    return Cast(tuple(broken if seat.role == role else seat for seat in cast.user), cast.judge, cast.supporters)


async def exits(state: Channels, runtime: Runtime) -> Any:
    raise SystemExit(3)


async def looks_up(state: Channels, runtime: Runtime) -> Any:
    known: dict[str, int] = {}
    return known["missing"]


async def thinks_wrongly(state: Channels, runtime: Runtime) -> Any:
    return Thought(monologue="Hm.", intention="dance")


def is_not_async(state: Channels, runtime: Runtime) -> Any:
    return None


async def forgets_to_await(state: Channels, runtime: Runtime) -> Any:
    return exits(state, runtime)


@pytest.mark.parametrize(
    ("node", "says"),
    [
        (exits, r"node 'think' \(scripted\) failed: SystemExit: 3 \(test_work\.py:\d+\)"),
        (looks_up, r"node 'think' \(scripted\) failed: KeyError: 'missing' \(test_work\.py:\d+\)"),
        (thinks_wrongly, r"node 'think' \(scripted\) failed: ValidationError: Thought\.intention: Input should be 'd"),
        (is_not_async, r"node 'think' \(scripted\) failed: TypeError: object NoneType can't be used in 'await'"),
        (forgets_to_await, r"node 'think' \(scripted\) returned a coroutine, .*; is an `await` missing\?"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
async def test_what_a_node_raises_or_forgets_is_named_with_the_node(node: Any, says: str, person: Profile) -> None:
    with pytest.raises(NodeError, match=says):
        await play_out(cast_with("think", node), person)


async def test_a_node_that_changes_its_messages_changes_nothing_but_its_own(person: Profile) -> None:
    plain = await play_out(Script().cast(), person)
    think: Any = Script().nodes()["think"]

    async def forgetful(state: Channels, runtime: Runtime) -> Any:
        for message in state["messages"]:
            message.content = "changed"
        state["messages"].clear()
        return await think(state, runtime)

    assert (await play_out(cast_with("think", forgetful), person)).messages == plain.messages


Change = Callable[[tuple[Rating, ...]], tuple[Rating, ...]]


def rescored(ratings: tuple[Rating, ...], **changes: Any) -> tuple[Rating, ...]:
    return (ratings[0].model_copy(update=changes), *ratings[1:])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda ratings: rescored(ratings, score=9), "gave 9 for 'empathy'; the scale runs from 1 to 5"),
        (lambda ratings: rescored(ratings, score=0), "gave 0 for 'empathy'; the scale runs from 1 to 5"),
        (lambda ratings: rescored(ratings, dimension="charm"), "rated 'charm', which is no dimension of ten/"),
        (lambda ratings: (*ratings, ratings[0]), "rated 'empathy' 2 times"),
        (lambda ratings: ratings[1:], "did not rate 'empathy'; a missing score is None"),
        (
            lambda ratings: tuple(item.model_copy(update={"score": None}) for item in ratings),
            "gave scores though no dimension has one; say why in `unscored`",
        ),
    ],
)
async def test_a_judge_of_ones_own_is_held_against_its_rubric(change: Change, says: str, person: Profile) -> None:
    with pytest.raises(NodeError, match=rf"node 'judge' \(scripted\) {says}"):
        await play_out(cast_with("judge", judge_that(change), TEN), person)


async def test_the_means_are_those_of_the_ratings_whatever_a_judge_says(person: Profile) -> None:
    honest = await play_out(cast_with("judge", offline_judge(), TEN), person)
    missing_one = await play_out(
        cast_with("judge", judge_that(lambda ratings: rescored(ratings, score=None)), TEN), person
    )

    assert honest.verdict is not None
    assert missing_one.verdict is not None
    assert honest.verdict.scores == TEN.scores(honest.verdict.ratings)
    assert missing_one.verdict.scores == TEN.scores(missing_one.verdict.ratings) != honest.verdict.scores


async def test_a_judge_may_leave_a_talk_unscored(person: Profile) -> None:
    async def judge(state: Channels, runtime: Runtime) -> JudgeUpdate:
        return JudgeUpdate(judgement=Judgement(judge="own", rubric=TEN.id, unscored="no idea"))

    end = await play_out(cast_with("judge", judge, TEN), person)
    assert end.verdict is not None
    assert end.verdict.unscored == "no idea"


def judge_that(change: Change) -> Any:
    """Return the offline judge with its ratings changed, and its means as they were."""
    honest: Any = offline_judge()

    async def judge(state: Channels, runtime: Runtime) -> JudgeUpdate:
        found = (await honest(state, runtime)).judgement
        by_rubric = tuple(sorted(found.ratings, key=lambda item: [d.id for d in TEN.dimensions].index(item.dimension)))
        return JudgeUpdate(judgement=found.model_copy(update={"ratings": change(by_rubric)}))

    return judge
