"""Whole episodes with scripted nodes: order of calls, endings, restarts, what a wrong node does."""

from collections import Counter

import pytest
from helpers.scripted import Script, play_out
from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphBubbleUp

from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import build_episode, step_limit
from emoharbor.graphs.user import build_user, hear
from emoharbor.nodes.contract import Request, Runtime
from emoharbor.profiles.schema import Profile
from emoharbor.state.base import Role
from emoharbor.state.episode import Channels, EpisodeState
from emoharbor.state.errors import NodeError, Overloaded, Refused, SupporterFault
from emoharbor.state.inner_world import Thought
from emoharbor.state.outcome import Outcome
from emoharbor.state.updates import DisclosureClaim, FeelUpdate, SpeakUpdate, ThinkUpdate

CALLS = [
    pytest.param(("feel", "think", "speak"), 15, 63, id="three roles, 15 turns: 63 calls"),
    pytest.param(("fused",), 10, 22, id="fused, 10 turns: 22 calls"),
    pytest.param(("fused",), 15, 32, id="fused, 15 turns: 32 calls"),
    pytest.param(("speak",), 15, 31, id="speak alone, 15 turns: 31 calls"),
    pytest.param(("feel", "speak"), 15, 47, id="without think, 15 turns: 47 calls"),
]


@pytest.mark.parametrize(("chain", "turns", "calls"), CALLS)
async def test_an_episode_to_the_cap_takes_this_many_calls(
    chain: tuple[Role, ...], turns: int, calls: int, person: Profile
) -> None:
    script = Script(chain=chain)

    end = await play_out(script.cast(), person, turns)

    assert len(script.called) == calls
    assert Counter(role for role, _ in script.called)["supporter"] == turns
    assert end.outcome is Outcome.TURN_CAP
    assert [message.id for message in end.messages[:4]] == ["u0", "a0", "u1", "a1"]
    assert end.verdict is not None


@pytest.mark.parametrize("satisfied", [True, False])
async def test_a_person_who_decides_to_leave_says_so_first_and_is_then_asked_to_rate(
    satisfied: bool, person: Profile
) -> None:
    script = Script(leaves_at=2, satisfied=satisfied)

    end = await play_out(script.cast(), person, 9)

    assert end.outcome is (Outcome.USER_SATISFIED if satisfied else Outcome.USER_LEFT)
    assert [role for role, _ in script.called[-3:]] == ["think", "speak", "judge"]
    assert end.messages[-1].id == "u2"


async def test_speak_alone_decides_itself_about_leaving(person: Profile) -> None:
    script = Script(chain=("speak",), leaves_at=3)

    end = await play_out(script.cast(), person, 9)

    assert end.outcome is Outcome.USER_LEFT
    assert end.turn == 3


async def test_speak_cannot_end_a_talk_that_think_goes_on_with(person: Profile) -> None:
    script = Script()
    nodes = script.nodes()

    async def speak(state: Channels, _: Runtime) -> SpeakUpdate:
        return SpeakUpdate(message=f"Bye {state['turn']}", ends="satisfied")

    nodes["speak"] = speak
    script.nodes = lambda: nodes  # type: ignore[method-assign]  # one node replaced

    assert (await play_out(script.cast(), person, 3)).outcome is Outcome.TURN_CAP


async def test_nothing_new_for_some_turns_is_stale(person: Profile) -> None:
    class Flat(Script):
        def feeling(self, state: Channels) -> FeelUpdate:
            return FeelUpdate(distress=state["inner"].distress, cause="same as ever")

        def thinking(self, state: Channels, runtime: Runtime) -> ThinkUpdate:
            return ThinkUpdate(thought=Thought(monologue="nothing", intention="elaborate"))

    end = await play_out(Flat().cast(), person, 15)

    assert end.outcome is Outcome.STALE
    assert end.turn < 15


async def test_a_person_who_feels_nothing_is_not_stale_for_standing_still(person: Profile) -> None:
    class Flat(Script):
        def thinking(self, state: Channels, runtime: Runtime) -> ThinkUpdate:
            return ThinkUpdate(thought=Thought(monologue="nothing", intention="elaborate"))

    end = await play_out(Flat(chain=("think", "speak")).cast(), person, 15)

    assert end.outcome is Outcome.TURN_CAP


async def test_the_graph_started_from_the_state_after_any_node_gives_the_same_rest(person: Profile) -> None:
    graph = build_episode(Script().cast(), {person.id: person}.__getitem__)
    first = first_state(person, EpisodeContext(supporter="scripted", max_turns=5))
    limit: RunnableConfig = {"recursion_limit": step_limit(5)}
    seen = [
        EpisodeState.from_channels(channels)
        async for channels in graph.astream(first.channels(), limit, stream_mode="values")
    ]

    whole = seen[-1].model_dump_json()
    assert len(seen) == 5 * 4 + 2 + 1 + 1

    for state in seen:
        again = EpisodeState.model_validate_json(state.model_dump_json())
        assert again == state
        end = EpisodeState.from_channels(await graph.ainvoke(again.channels(), limit))
        assert end.model_dump_json() == whole


async def test_a_profile_id_alone_starts_an_episode_and_the_context_is_written_into_the_state(person: Profile) -> None:
    graph = build_episode(Script().cast(), {person.id: person}.__getitem__)

    out = await graph.ainvoke(
        {"profile_id": person.id},
        {"recursion_limit": 99},
        context=EpisodeContext(supporter="scripted", max_turns=2, briefing="intake"),
    )

    end = EpisodeState.from_channels(out)
    assert (end.turn, end.max_turns, end.supporter) == (2, 2, "scripted")
    assert person.situation.history[:40] in end.briefing.replace("\n    ", " ")


async def test_each_turn_is_handed_over_once_it_is_complete(person: Profile) -> None:
    handed: list[EpisodeState] = []

    async def on_turn(state: Channels) -> None:
        handed.append(EpisodeState.from_channels(state))

    graph = build_episode(Script().cast(), {person.id: person}.__getitem__, on_turn=on_turn)
    first = first_state(person, EpisodeContext(supporter="scripted", max_turns=3))
    await graph.ainvoke(first.channels(), {"recursion_limit": 99})

    assert [state.turn for state in handed] == [1, 2, 3]
    assert [len(state.messages) for state in handed] == [2, 4, 6]


class TestWhenANodeIsWrong:
    async def test_a_wrong_type_is_reported_at_the_node_that_made_it(self, person: Profile) -> None:
        class Wrong(Script):
            def thinking(self, state: Channels, runtime: Runtime) -> ThinkUpdate:
                return {"thought": "a dict"}  # type: ignore[return-value]  # the fault under test

        with pytest.raises(NodeError, match=r"node 'think' \(scripted\) returned dict, expected ThinkUpdate"):
            await play_out(Wrong().cast(), person)

    async def test_a_value_slipped_past_pydantic_is_reported_at_the_node_that_made_it(self, person: Profile) -> None:
        class Wrong(Script):
            def feeling(self, state: Channels) -> FeelUpdate:
                return FeelUpdate(distress=1.0).model_copy(update={"distress": 99.0})

        with pytest.raises(NodeError, match=r"node 'feel' \(scripted\) returned a wrong distress"):
            await play_out(Wrong().cast(), person)

    async def test_langgraphs_own_control_flow_passes_through(self, person: Profile) -> None:
        class Pausing(Script):
            def feeling(self, state: Channels) -> FeelUpdate:
                raise GraphBubbleUp

        with pytest.raises(GraphBubbleUp):
            await play_out(Pausing().cast(), person)


class TestFaultsBecomeOutcomes:
    async def test_a_supporter_that_raises_has_failed_the_person(self, person: Profile) -> None:
        def breaks(_: Request) -> str:
            raise ZeroDivisionError("out of sorts")

        end = await play_out(Script(answers=breaks).cast(), person)

        assert end.outcome is Outcome.SUPPORTER_ERROR
        assert "ZeroDivisionError: out of sorts" in end.outcome_reason
        assert end.verdict is None
        assert [message.id for message in end.messages] == ["u0"]

    @pytest.mark.parametrize(
        ("fault", "outcome"),
        [
            (SupporterFault(Outcome.SUPPORTER_TRUNCATED, "cut"), Outcome.SUPPORTER_TRUNCATED),
            (Refused("no"), Outcome.SUPPORTER_REFUSED),
            (Overloaded("502"), Outcome.INFRASTRUCTURE),
        ],
    )
    async def test_a_fault_of_the_supporters_model(self, fault: Exception, outcome: Outcome, person: Profile) -> None:
        def breaks(_: Request) -> str:
            raise fault

        assert (await play_out(Script(answers=breaks).cast(), person)).outcome is outcome

    @pytest.mark.parametrize("blank", [" ", "\n\u200b ", "\u00a0"])
    async def test_a_reply_that_shows_nothing_is_empty(self, blank: str, person: Profile) -> None:
        end = await play_out(Script(answers=lambda _: blank).cast(), person)

        assert end.outcome is Outcome.SUPPORTER_EMPTY

    @pytest.mark.parametrize(
        ("fault", "outcome"), [(Refused("no"), Outcome.USER_INVALID), (Overloaded("502"), Outcome.INFRASTRUCTURE)]
    )
    async def test_a_fault_of_the_persons_model_is_never_the_supporters(
        self, fault: Exception, outcome: Outcome, person: Profile
    ) -> None:
        class Failing(Script):
            def thinking(self, state: Channels, runtime: Runtime) -> ThinkUpdate:
                raise fault

        end = await play_out(Failing().cast(), person)

        assert end.outcome is outcome
        assert end.verdict is None
        assert [item.role for item in end.faults] == ["think"]

    async def test_a_message_said_before_is_asked_for_once_more_and_then_makes_the_user_invalid(
        self, person: Profile
    ) -> None:
        script = Script(speaks=lambda _: "I don't know what to do.")

        end = await play_out(script.cast(), person)

        assert end.outcome is Outcome.USER_INVALID
        assert script.called.count(("speak", 1)) == 2
        assert [item.kind for item in end.faults] == ["repeat", "repeat"]


class TestWhatIsHeldBack:
    async def test_speak_sees_a_guarded_fact_only_once_think_has_released_it(self, person: Profile) -> None:
        seen: list[tuple[set[str], str]] = []
        script = Script()
        nodes = script.nodes()

        async def speak(state: Channels, runtime: Runtime) -> SpeakUpdate:
            situation = runtime.profile.situation
            assert situation is not None
            shown = {fact.id for fact in situation.guarded}
            seen.append((shown, repr(state) + repr(runtime)))
            assert shown == set(state["inner"].released)
            return SpeakUpdate(message=f"turn {state['turn']}")

        nodes["speak"] = speak
        script.nodes = lambda: nodes  # type: ignore[method-assign]  # one node replaced
        await play_out(script.cast(), person, 12)

        assert seen[0][0] == set()
        for shown, everything in seen:
            for fact in person.situation.guarded:
                if fact.id not in shown:
                    assert fact.fact not in everything
                    assert all(tell not in everything for tell in fact.tells)
            assert "monologue of turn" not in everything
        assert seen[-1][0] == {fact.id for fact in person.situation.guarded}

    async def test_a_gist_that_quotes_a_held_back_fact_is_emptied(self, person: Profile) -> None:
        secret = person.situation.guarded[-1]

        class Blabbing(Script):
            def thinking(self, state: Channels, runtime: Runtime) -> ThinkUpdate:
                thought = Thought(monologue="m", intention="disclose", gist=f"tell them: {secret.fact}")
                return ThinkUpdate(thought=thought)

        end = await play_out(Blabbing().cast(), person, 1)

        assert end.worlds[0].thought is not None
        assert end.worlds[0].thought.gist == ""
        assert any(shift.field == "gist" for shift in end.shifts)

    async def test_a_claim_without_its_words_does_not_count_and_unclaimed_words_are_found(
        self, person: Profile
    ) -> None:
        first, second, *_ = person.situation.guarded
        script = Script()
        nodes = script.nodes()

        async def speak(state: Channels, _: Runtime) -> SpeakUpdate:
            if state["turn"] == 0:
                claim = DisclosureClaim(fact=first.id, quote="words I never sent")
                return SpeakUpdate(message="Hello there.", disclosures=(claim,))
            return SpeakUpdate(message=f"Well, {second.tells[0]}, {state['turn']} times.")

        nodes["speak"] = speak
        script.nodes = lambda: nodes  # type: ignore[method-assign]  # one node replaced
        end = await play_out(script.cast(), person, 2)

        (told,) = end.inner.disclosed
        assert (told.fact, told.turn, told.claimed, told.released) == (second.id, 1, False, False)


async def test_the_user_alone_speaks_once_a_run_and_hears_the_next_reply(person: Profile) -> None:
    script = Script()
    graph = build_user(script.cast(), {person.id: person}.__getitem__)
    state = first_state(person, EpisodeContext(supporter="elsewhere", max_turns=3))

    for turn in range(3):
        state = EpisodeState.from_channels(await graph.ainvoke(state.channels(), {"recursion_limit": 9}))
        assert state.messages[-1].id == f"u{turn}"
        state = hear(state, f"reply {turn}")
    state = EpisodeState.from_channels(await graph.ainvoke(state.channels(), {"recursion_limit": 9}))

    assert state.outcome is Outcome.TURN_CAP
    assert all(role != "supporter" for role, _ in script.called)


async def test_a_supporter_the_graph_does_not_have_is_named(person: Profile) -> None:
    graph = build_episode(Script().cast(), {person.id: person}.__getitem__)
    first = first_state(person, EpisodeContext(supporter="nobody"))

    with pytest.raises(Exception, match=r"supporter 'nobody' is not in this graph; it has: scripted"):
        await graph.ainvoke(first.channels(), {"recursion_limit": 99})


async def test_supporters_get_copies_of_messages_and_cannot_change_the_dialogue(person: Profile) -> None:
    def meddles(request: Request) -> str:
        for message in request.messages:
            message.content = "rewritten"
        return f"fine {request.turn}"

    end = await play_out(Script(answers=meddles).cast(), person, 2)

    assert end.messages[0].text == "What I say at turn 0."
