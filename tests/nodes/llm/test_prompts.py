"""What each role is shown: golden prompts, who sees what, and what a provider can cache."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from helpers.llm_roles import (
    FEEL,
    FUSED,
    OPENING,
    SPEAK,
    THINK,
    Notes,
    Scripted,
    at_work,
    dialogue,
    rating,
    state_at,
    verdict,
)
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.nodes.feel import llm_feel
from emoharbor.nodes.fused import llm_fused
from emoharbor.nodes.judge import llm_judge
from emoharbor.nodes.prompting import LONGEST, dialogue_lines
from emoharbor.nodes.rubric import load_rubric
from emoharbor.nodes.speak import llm_speak
from emoharbor.nodes.think import llm_think
from emoharbor.profiles.schema import PartialProfile, Profile
from emoharbor.state.dialogue import supporter_message, user_message
from emoharbor.state.episode import Channels
from emoharbor.state.errors import CastError
from emoharbor.state.inner_world import Appraisal, Disclosure, Thought

Call = tuple[str, str]
TEN = [item.id for item in load_rubric().dimensions]
ROLES: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "feel": (llm_feel, FEEL),
    "think": (llm_think, THINK),
    "speak": (llm_speak, SPEAK),
    "alone": (llm_speak, {**SPEAK, "ends": "no"}),
    "fused": (llm_fused, FUSED),
    "judge": (llm_judge, verdict(*(rating(name) for name in TEN))),
}
LED = Thought(monologue="SECRET MONOLOGUE", view_of_supporter="SECRET VIEW", intention="push_back", gist="not strong")
APPRAISAL = Appraisal(relevance=2, conduciveness=-1, coping=0, norms=-2, quote="You are strong.")


def at(role: str, profile: Profile, turn: int) -> Channels:
    """A state as `role` meets it at `turn`, with an inner world that differs from turn to turn."""
    if role == "alone" or turn == 0:
        inner: dict[str, object] = {}
    else:
        loan = Disclosure(fact="loan", turn=1, quote="borrowed for my brother", released=True, claimed=True)
        inner = {
            "distress": 6.0 - turn / 2,
            "trust": 4.0 + turn / 2,
            "felt_understood": 1,
            "appraisal": APPRAISAL,
            "released": ("loan",),
            "disclosed": (loan,) if turn > 1 else (),
        }
    if role in ("think", "speak", "fused", "judge") and (turn > 0 or role == "speak"):
        inner["thought"] = LED
    state = state_at(profile, turn, **inner)
    worlds = tuple(state["inner"].model_copy(update={"turn": number}) for number in range(turn + 1))
    return {**state, "worlds": worlds} if role == "judge" else state


async def call_of(role: str, profile: PartialProfile, state: Channels, complaint: str = "") -> Call:
    make, reply = ROLES[role]
    opening = state["turn"] == 0 and role in ("feel", "fused")
    model = Scripted([{**reply, **({name: OPENING[name] for name in FEEL} if opening else {})}])
    await make(model)(state, at_work(profile, Notes(), complaint))
    return model.calls[0]


@pytest.mark.parametrize("turn", [0, 2])
@pytest.mark.parametrize("role", [name for name in ROLES if name != "judge"])
async def test_prompts_are_as_in_the_golden_files(role: str, turn: int, ilse: Profile, golden: Any) -> None:
    golden(f"{role}_{turn}", await call_of(role, ilse, at(role, ilse, turn)))


@pytest.mark.parametrize("role", ["think", "fused"])
async def test_prompts_of_the_last_reply_are_as_in_the_golden_files(role: str, ilse: Profile, golden: Any) -> None:
    golden(f"{role}_last", await call_of(role, ilse, at(role, ilse, 3)))


@pytest.mark.parametrize("log", [True, False])
async def test_judge_prompts_are_as_in_the_golden_files(log: bool, ilse: Profile, golden: Any) -> None:
    state = at("judge", ilse, 2)
    golden("judge" if log else "judge_no_log", await call_of("judge", ilse, state if log else {**state, "worlds": ()}))


@pytest.mark.parametrize("role", [name for name in ROLES if name != "judge"])
async def test_a_later_call_begins_with_the_system_text_and_dialogue_of_the_earlier(role: str, ilse: Profile) -> None:
    calls = [await call_of(role, ilse, at(role, ilse, turn), complaint="x" * turn) for turn in (1, 2, 3)]
    for turn, (earlier, later) in enumerate(pairwise(calls), start=1):
        said = earlier[1].partition("\n\n")[0]
        assert len(dialogue_lines(dialogue(turn))) == said.count("\n")
        assert later[0] == earlier[0]
        assert later[1].startswith(said)


@pytest.mark.parametrize("role", [name for name in ROLES if name != "judge"])
async def test_system_text_is_the_same_at_the_opening(role: str, ilse: Profile) -> None:
    first, second = [await call_of(role, ilse, at(role, ilse, turn)) for turn in (0, 1)]
    assert first[0] == second[0]


async def test_ratings_of_one_dialogue_share_all_but_the_tail(ilse: Profile) -> None:
    state, calls = at("judge", ilse, 2), []
    for repeat in (0, 1):
        model = Scripted([ROLES["judge"][1]])
        runtime = at_work(ilse, Notes())
        await llm_judge(model)(state, type(runtime)(ilse, seed=11, max_turns=3, repeat=repeat))
        calls.append(model.calls[0])
    assert calls[0][0] == calls[1][0]
    assert calls[0][1].partition("## The dimensions")[0] == calls[1][1].partition("## The dimensions")[0]
    assert calls[0][1] != calls[1][1]  # another order of dimensions


@pytest.mark.parametrize(
    ("role", "hidden"),
    [
        (
            "speak",
            ["SECRET", "sitting by the cold oven", "still have the key", "trespass", "hers was good", "strong. It"],
        ),
        ("feel", ["The dimensions", "Forty years."]),
        ("think", ["The dimensions"]),
        ("fused", ["The dimensions"]),
        ("alone", ["The dimensions"]),
    ],
)
async def test_a_role_does_not_see(role: str, hidden: list[str], ilse: Profile) -> None:
    text = "\n".join(await call_of(role, ilse, at(role, ilse, 2)))
    assert [words for words in hidden if words in text] == []
    assert not [item.id for item in load_rubric().dimensions if f"`{item.id}`" in text]


async def test_only_the_judge_knows_what_care_was_called_for(ilse: Profile) -> None:
    seen = {role: "\n".join(await call_of(role, ilse, at(role, ilse, 2))) for role in ROLES}
    assert [role for role, text in seen.items() if ilse.situation.risk_note in text] == ["judge"]


async def test_the_groups_of_the_rubric_are_not_shown(ilse: Profile) -> None:
    call = await call_of("judge", ilse, at("judge", ilse, 2))
    assert "general" not in call[1].partition("## The dimensions")[2].partition("Now rate")[0]
    assert "tailored" not in "\n".join(call)


async def test_thresholds_are_shown_to_nobody_as_numbers(ilse: Profile) -> None:
    facts = tuple(fact.model_copy(update={"trust": 7.77}) for fact in ilse.situation.guarded)
    profile = ilse.model_copy(update={"situation": ilse.situation.model_copy(update={"guarded": facts})})
    for role in ROLES:
        assert "7.77" not in "\n".join(await call_of(role, profile, at(role, profile, 2)))


async def test_speak_filters_the_facts_itself_when_it_is_given_the_whole_profile(ilse: Profile) -> None:
    state = state_at(ilse, 1, thought=LED, released=())
    assert "borrowed for my brother" not in "\n".join(await call_of("speak", ilse, state))


async def test_a_reason_for_turning_down_reaches_the_tail(ilse: Profile) -> None:
    for role in ("feel", "think", "speak", "alone", "fused"):
        call = await call_of(role, ilse, at(role, ilse, 2), complaint="the message repeats an earlier one")
        assert "the message repeats an earlier one" in call[1].rpartition("\n\n")[2]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("missing", [("person",), ("situation", "telling"), ("person", "situation", "telling")])
async def test_a_partial_profile_is_told_as_far_as_it_goes(role: str, missing: tuple[str, ...], ilse: Profile) -> None:
    known = {name: getattr(ilse, name) for name in ("situation", "person", "telling") if name not in missing}
    profile = PartialProfile(id="part", note="Someone wrote about a bakery.", **known)
    system, tail = await call_of(role, profile, state_at(profile, 2, thought=LED if role == "speak" else None))
    assert "bakery" in system
    assert "None" not in system + tail


@given(st.lists(st.tuples(st.text(), st.text()), max_size=4))
def test_no_text_under_test_leaves_its_line_or_its_string(said: list[tuple[str, str]]) -> None:
    messages = [
        message
        for turn, (user, supporter) in enumerate(said)
        for message in (user_message(turn, user), supporter_message(turn, supporter))
    ]
    lines = "\n".join(dialogue_lines(messages)).splitlines()
    read = [json.loads(line) for line in lines]
    expected = [message.text for message in messages]
    assert [item["text"] for item in read] == expected
    assert [item["from"] for item in read] == ["you", "supporter"] * len(said)


async def test_a_very_long_answer_is_shown_shortened_and_noted(ilse: Profile, notes: Notes) -> None:
    state = state_at(ilse, 1)
    answer = "that sounds really hard " + "x" * (LONGEST + 1000) + " the end"
    state["messages"] = [user_message(0, "Hello."), supporter_message(0, answer)]
    model = Scripted([FEEL])
    await llm_feel(model)(state, at_work(ilse, notes))
    line = json.loads(model.calls[0][1].splitlines()[2])
    assert " characters left out ...]" in line["text"]
    assert line["text"].endswith("the end")
    assert notes.kinds == ["shortened"]


def test_a_message_at_the_limit_is_shown_whole() -> None:
    text = "y" * LONGEST
    assert json.loads(dialogue_lines([user_message(0, text)])[0])["text"] == text


async def test_a_prompt_file_takes_the_place_of_ours(tmp_path: Path, ilse: Profile) -> None:
    file = tmp_path / "mine.md"
    file.write_text("# system\nYou are a stoic.\n\n# opening\nBegin.\n\n# reply\nGo on.\n", encoding="utf-8-sig")
    model = Scripted([FEEL])
    await llm_feel(model, str(file))(state_at(ilse, 1), at_work(ilse, Notes()))
    assert model.calls[0][0].startswith("You are a stoic.")
    assert model.calls[0][1].endswith("Go on.")


def test_a_prompt_file_that_lacks_a_section_is_the_users_mistake(tmp_path: Path) -> None:
    file = tmp_path / "mine.md"
    file.write_text("# system\nYou are a stoic.\n", encoding="utf-8")
    with pytest.raises(CastError, match=r"the prompt of feel in '.*mine\.md' lacks '# opening', '# reply'"):
        llm_feel(Scripted([]), str(file))


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("# reply\nAnd again.\n", r"'.*mine\.md', line 8: '# reply' stands there twice"),
        ("# bonus\nNobody reads this.\n", r"line 8: '# bonus' is no section; its sections: system, opening, reply$"),
    ],
)
def test_a_section_that_would_not_be_read_is_the_users_mistake(tmp_path: Path, more: str, says: str) -> None:
    file = tmp_path / "mine.md"
    file.write_text(f"# system\nYou.\n\n# opening\nBegin.\n# reply\nGo on.\n{more}", encoding="utf-8")
    with pytest.raises(CastError, match=says):
        llm_feel(Scripted([]), str(file))


def test_a_prompt_file_that_is_not_there_is_the_users_mistake() -> None:
    with pytest.raises(CastError, match=r"the prompt of judge in 'nowhere\.md' cannot be read"):
        llm_judge(Scripted([]), prompt="nowhere.md")
