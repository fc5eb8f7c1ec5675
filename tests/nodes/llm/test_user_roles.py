"""The person's roles: what becomes of a reply, and what is asked for again."""

from typing import Any

import pytest
from helpers.llm_roles import FEEL, FUSED, OPENING, SPEAK, THINK, Notes, Scripted, at_work, state_at

from emoharbor.nodes.feel import FeelReply, llm_feel
from emoharbor.nodes.fused import llm_fused
from emoharbor.nodes.speak import LONGEST, SpeakAloneReply, SpeakReply, llm_speak
from emoharbor.nodes.think import ThinkReply, llm_think
from emoharbor.profiles.schema import Profile
from emoharbor.state.errors import Unreadable
from emoharbor.state.inner_world import Disclosure, Intention, Need, Thought

ASKED = {"words": "What did you put in it"}
"""Words of the supporter's second answer."""
MET = [{**ASKED, "id": "primary", "status": "met"}]


def thought(intention: Intention = "elaborate", **changes: Any) -> Thought:
    return Thought(monologue="Hm.", intention=intention, gist="rye").model_copy(update=changes)


async def test_feel_proposes_what_the_model_felt(ilse: Profile, notes: Notes) -> None:
    model = Scripted([FEEL])
    update = await llm_feel(model)(state_at(ilse, 1), at_work(ilse, notes))
    assert update.appraisal is not None
    assert update.appraisal.quote == "that sounds really hard"
    assert (update.distress, update.trust, update.felt_understood) == (6, 1.5, -1)
    assert update.cause == "It is what everyone says."
    assert (notes.kept, model.complaints, model.seeds) == ([], [], [11])


async def test_feel_at_the_opening_leaves_felt_understood_as_it_is(ilse: Profile, notes: Notes) -> None:
    update = await llm_feel(Scripted([OPENING]))(state_at(ilse, 0), at_work(ilse, notes))
    assert "felt_understood" not in update.model_fields_set
    assert update.appraisal is not None
    assert update.appraisal.quote == ""


@pytest.mark.parametrize(
    ("turn", "changes", "words"),
    [
        (1, {"quote": "you are brave"}, "copied exactly"),
        (1, {"quote": "a"}, "copied exactly"),
        (1, {"felt_understood": None}, "must not be null"),
        (1, {"felt_understood": 2}, "could be for anyone"),
        (1, {"conduciveness": -2, "trust": 3}, "trust rises"),
        (0, {"quote": "", "felt_understood": 1}, "must be null"),
    ],
)
async def test_feel_is_asked_again(turn: int, changes: dict[str, Any], words: str, ilse: Profile, notes: Notes) -> None:
    good = FEEL if turn else OPENING
    model = Scripted([{**FEEL, **changes}, good])
    update = await llm_feel(model)(state_at(ilse, turn), at_work(ilse, notes))
    assert words in model.complaints[0]
    assert update.felt_understood == good["felt_understood"]
    assert notes.kept == []


async def test_a_quote_that_was_never_said_is_left_out_and_noted(ilse: Profile, notes: Notes) -> None:
    update = await llm_feel(Scripted([{**FEEL, "quote": "you are brave"}]))(state_at(ilse, 1), at_work(ilse, notes))
    assert update.appraisal is not None
    assert update.appraisal.quote == ""
    assert notes.kept == [("quote_not_found", "you are brave")]


async def test_a_contradiction_that_stays_is_kept_and_noted(ilse: Profile, notes: Notes) -> None:
    update = await llm_feel(Scripted([{**FEEL, "felt_understood": 3}]))(state_at(ilse, 1), at_work(ilse, notes))
    assert update.felt_understood == 3
    assert notes.kinds == ["contradiction"]


@pytest.mark.parametrize(
    "changes",
    [
        {"distress": 10.5},
        {"distress": True},
        {"trust": "high"},
        {"conduciveness": 4},
        {"conduciveness": 0.5},
        {"felt_understood": 0},
        {"relevance": -1},
        {"emotions": []},
        {"emotions": [{"label": "joy", "intensity": 3}]},
        {"emotions": [{"label": "hope", "intensity": 3}, {"label": "hope", "intensity": 2}]},
        {"reading": " \u200b"},
    ],
)
def test_a_feeling_outside_its_range_does_not_fit_the_schema(changes: dict[str, Any]) -> None:
    FeelReply.model_validate(FEEL)
    with pytest.raises(ValueError, match=next(iter(changes))):
        FeelReply.model_validate({**FEEL, **changes})


def test_numbers_as_text_and_labels_in_capitals_fit() -> None:
    reply = FeelReply.model_validate({**FEEL, "distress": "6.5", "emotions": [{"label": "Hope", "intensity": "3"}]})
    assert (reply.distress, reply.emotions[0].label, reply.emotions[0].intensity) == (6.5, "hope", 3)


async def test_think_hands_on_what_was_decided(ilse: Profile, notes: Notes) -> None:
    value = {**THINK, "needs": MET, "release": ["loan", "loan"], "intention": "disclose"}
    model = Scripted([value])
    update = await llm_think(model)(state_at(ilse, 2, trust=5.0), at_work(ilse, notes))
    assert update.thought.release == ("loan",)
    assert [(move.id, move.status, move.cause) for move in update.needs] == [("primary", "met", ASKED["words"])]
    assert (update.readiness, notes.kept, model.complaints) == (2, [], [])


@pytest.mark.parametrize(
    ("turn", "changes", "inner", "words"),
    [
        (
            2,
            {"needs": [{"id": "primary", "status": "met", "words": "bravely said"}]},
            {},
            "not in the supporter's last",
        ),
        (2, {"needs": [{"id": "tertiary", "status": "met", **ASKED}]}, {}, "no need 'tertiary'"),
        (2, {"release": ["wound"]}, {}, "no fact 'wound'"),
        (2, {"release": ["key"]}, {"trust": 6.9}, "do not trust the supporter enough to tell key"),
        (2, {"intention": "disclose"}, {}, "release names no fact"),
        (2, {"intention": "leave"}, {}, "exactly when"),
        (2, {"wants_to_continue": False}, {}, "exactly when"),
        (2, {"got_what_i_came_for": True}, {}, "none of your needs is met"),
        (2, {"intention": "thank"}, {"thought": thought("thank")}, "twice running"),
        (0, {"intention": "leave", "wants_to_continue": False}, {}, "only just come"),
    ],
)
async def test_think_is_asked_again(
    *, turn: int, changes: dict[str, Any], inner: dict[str, Any], words: str, ilse: Profile, notes: Notes
) -> None:
    model = Scripted([{**THINK, **changes}, THINK])
    update = await llm_think(model)(state_at(ilse, turn, **inner), at_work(ilse, notes))
    assert words in model.complaints[0]
    assert update.thought.intention == "elaborate"
    assert notes.kept == []


@pytest.mark.parametrize(
    ("changes", "inner"),
    [
        ({"needs": [{"id": "primary", "status": "unmet", "words": ""}]}, {}),
        ({"needs": MET, "got_what_i_came_for": True}, {}),
        ({"got_what_i_came_for": True}, {"needs": (Need(id="primary", type="esteem", status="met"),)}),
        ({"release": ["key"]}, {"trust": 7.0}),
        ({"intention": "disclose"}, {"released": ("loan",)}),
        ({"intention": "thank"}, {"thought": thought("accept")}),
        ({"intention": "leave", "wants_to_continue": False}, {}),
    ],
)
async def test_think_may(changes: dict[str, Any], inner: dict[str, Any], ilse: Profile, notes: Notes) -> None:
    model = Scripted([{**THINK, **changes}])
    await llm_think(model)(state_at(ilse, 2, **inner), at_work(ilse, notes))
    assert (model.complaints, notes.kept) == ([], [])


async def test_think_drops_what_names_nothing_and_notes_it(ilse: Profile, notes: Notes) -> None:
    moved = [
        {"id": "primary", "status": "met", "words": "bravely said"},
        {"id": "secondary", "status": "touched", **ASKED},
    ]
    value = {**THINK, "needs": moved, "release": ["wound", "key"], "got_what_i_came_for": True}
    update = await llm_think(Scripted([value]))(state_at(ilse, 2), at_work(ilse, notes))
    assert [move.id for move in update.needs] == ["secondary"]
    # a fact that may not be told yet stays in the proposal: the state refuses it, and its log shows the attempt
    assert update.thought.release == ("key",)
    assert notes.kept[:2] == [("need_without_words", "primary: met"), ("unknown_fact", "wound")]
    assert update.thought.got_what_i_came_for
    assert notes.kinds[2:] == ["contradiction"]


async def test_speak_behind_a_thought_sends_the_message_and_what_it_tells(ilse: Profile, notes: Notes) -> None:
    told = [{"fact": "loan", "quote": "borrowed for my brother"}]
    model = Scripted([{**SPEAK, "message": "I borrowed for my brother.", "told": told}])
    state = state_at(ilse, 2, released=("loan",), thought=thought("disclose", release=("loan",)))
    update = await llm_speak(model)(state, at_work(ilse, notes))
    assert (update.message, update.ends) == ("I borrowed for my brother.", None)
    assert [(claim.fact, claim.quote) for claim in update.disclosures] == [("loan", "borrowed for my brother")]
    assert model.schemas == [SpeakReply]
    assert notes.kept == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"told": [{"fact": "loan", "quote": "I stole it"}]}, "that are not in the message"),
        ({"told": [{"fact": "key", "quote": "He didn't know"}]}, "no fact of those you may tell"),
        ({"message": "x" * (LONGEST + 1)}, "this is a chat"),
        ({"thanks": True}, "it is for elaborate"),
    ],
)
async def test_speak_is_asked_again(changes: dict[str, Any], words: str, ilse: Profile, notes: Notes) -> None:
    model = Scripted([{**SPEAK, **changes}, SPEAK])
    state = state_at(ilse, 2, released=("loan",), thought=thought())
    update = await llm_speak(model)(state, at_work(ilse, notes))
    assert words in model.complaints[0]
    assert (update.message, update.disclosures, notes.kept) == ("He didn't know.", (), [])


async def test_a_false_claim_to_have_told_is_dropped_and_noted(ilse: Profile, notes: Notes) -> None:
    model = Scripted([{**SPEAK, "told": [{"fact": "loan", "quote": "I stole it"}]}])
    update = await llm_speak(model)(state_at(ilse, 2, released=("loan",), thought=thought()), at_work(ilse, notes))
    assert update.disclosures == ()
    assert notes.kinds == ["speak_problem"]


@pytest.mark.parametrize("intention", ["thank", "leave"])
async def test_a_message_may_thank_when_it_is_for_that(intention: Intention, ilse: Profile, notes: Notes) -> None:
    model = Scripted([{**SPEAK, "thanks": True}])
    await llm_speak(model)(state_at(ilse, 2, thought=thought(intention)), at_work(ilse, notes))
    assert model.complaints == []


async def test_speak_writes_a_goodbye_when_the_thought_is_to_go(ilse: Profile, notes: Notes) -> None:
    tails = {}
    for goes_on in (True, False):
        model = Scripted([SPEAK])
        state = state_at(ilse, 2, thought=thought(wants_to_continue=goes_on))
        await llm_speak(model)(state, at_work(ilse, notes))
        tails[goes_on] = model.calls[0][1]
    assert "Write your next message." in tails[True]
    assert "Write your last message." in tails[False]


async def test_speak_alone_decides_whether_to_leave(ilse: Profile, notes: Notes) -> None:
    for ends, expected in (("no", None), ("satisfied", "satisfied"), ("gave_up", "gave_up")):
        model = Scripted([{**SPEAK, "ends": ends}])
        update = await llm_speak(model)(state_at(ilse, 2), at_work(ilse, notes))
        assert update.ends == expected
        assert model.schemas == [SpeakAloneReply]


async def test_speak_alone_is_asked_again_when_it_leaves_at_the_opening(ilse: Profile, notes: Notes) -> None:
    model = Scripted([{**SPEAK, "ends": "gave_up"}, {**SPEAK, "ends": "no"}])
    update = await llm_speak(model)(state_at(ilse, 0), at_work(ilse, notes))
    assert (update.ends, len(model.complaints)) == (None, 1)


async def test_a_told_fact_is_not_offered_anew(ilse: Profile, notes: Notes) -> None:
    loan = Disclosure(fact="loan", turn=1, quote="borrowed for my brother", released=True, claimed=True)
    for disclosed, words in (
        ((), "You tell this now: [loan]"),
        ((loan,), "You have told this; do not tell it anew: [loan]"),
    ):
        model = Scripted([SPEAK])
        inner = {"released": ("loan",), "disclosed": disclosed, "thought": thought(release=("loan",))}
        await llm_speak(model)(state_at(ilse, 2, **inner), at_work(ilse, notes))
        assert words in model.calls[0][1]


async def test_an_empty_message_does_not_fit_the_schema(ilse: Profile, notes: Notes) -> None:
    with pytest.raises(Unreadable, match="must not be empty"):
        await llm_speak(Scripted([{**SPEAK, "message": " \n"}]))(
            state_at(ilse, 2, thought=thought()), at_work(ilse, notes)
        )


async def test_fused_gives_all_three(ilse: Profile, notes: Notes) -> None:
    update = await llm_fused(Scripted([FUSED]))(state_at(ilse, 1), at_work(ilse, notes))
    assert update.feel.distress == 6
    assert update.think.thought.intention == "elaborate"
    assert update.speak is not None
    assert update.speak.message == "He didn't know."
    assert notes.kept == []


async def test_fused_only_takes_in_the_last_reply_at_the_cap(ilse: Profile, notes: Notes) -> None:
    last = {**FUSED, "quote": "You are strong", "message": ""}
    model = Scripted([last])
    update = await llm_fused(model)(state_at(ilse, 3), at_work(ilse, notes))
    assert update.speak is None
    assert model.complaints == []
    talkative = await llm_fused(Scripted([{**last, "message": "One more thing."}]))(
        state_at(ilse, 3), at_work(ilse, notes)
    )
    assert talkative.speak is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"message": " "}, "The message is empty"),
        ({"message": "I still have the key."}, "The message tells key, which you hold back"),
        ({"told": [{"fact": "loan", "quote": "He didn't know"}]}, "The message tells loan"),
        ({"quote": "you are brave"}, "copied exactly"),
        ({"intention": "leave"}, "exactly when"),
        ({"thanks": True}, "it is for elaborate"),
    ],
)
async def test_fused_is_asked_again(changes: dict[str, Any], words: str, ilse: Profile, notes: Notes) -> None:
    model = Scripted([{**FUSED, **changes}, FUSED])
    update = await llm_fused(model)(state_at(ilse, 1), at_work(ilse, notes))
    assert words in model.complaints[0]
    assert update.speak is not None
    assert update.speak.message == "He didn't know."


def test_the_order_of_fields_is_the_order_of_reasoning() -> None:
    assert list(FeelReply.model_fields)[:3] == ["missed", "quote", "reading"]
    assert list(FeelReply.model_fields)[-3:] == ["felt_understood", "distress", "trust"]
    thinking = list(ThinkReply.model_fields)
    assert thinking[0] == "monologue"
    assert thinking.index("continue_reason") < thinking.index("wants_to_continue")
    assert list(SpeakAloneReply.model_fields)[-1] == "ends"
