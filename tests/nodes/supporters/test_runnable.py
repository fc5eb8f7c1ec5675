"""Supporters made with LangChain and LangGraph."""

import asyncio
import operator
from collections.abc import Callable
from typing import Annotated, Any, ClassVar

import httpx2 as httpx
import pytest
from helpers.scripted import Script, part
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, SystemMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from openai import APIConnectionError, AuthenticationError, RateLimitError
from typing_extensions import TypedDict

from emoharbor.graphs.begin import EpisodeContext
from emoharbor.graphs.episode import build_episode, step_limit
from emoharbor.nodes.cast import Cast
from emoharbor.nodes.contract import Request, Send
from emoharbor.nodes.supporters.runnable import runnable_supporter
from emoharbor.profiles.schema import Profile
from emoharbor.state.episode import EpisodeState
from emoharbor.state.errors import CastError, SupporterFault
from emoharbor.state.outcome import Outcome

MakeRequest = Callable[..., Request]
AnyRunnable = Runnable[Any, Any]
Node = Callable[..., Any]


def agent(node: Node, **options: Any) -> AnyRunnable:
    """A graph of one node."""
    return StateGraph(MessagesState).add_node("answer", node).add_edge(START, "answer").compile(**options)


async def counts(state: MessagesState) -> dict[str, Any]:
    kinds = " ".join(message.type for message in state["messages"])
    return {"messages": [AIMessage(f"I know: {kinds}")]}


def from_dict(given: dict[str, Any]) -> str:
    return f"I know: {' '.join(message.type for message in given['messages'])}"


def from_list(given: list[BaseMessage]) -> AIMessage:
    return AIMessage(f"I know: {' '.join(message.type for message in given)}")


class Echo(FakeListChatModel):
    def _call(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> str:
        return f"I know: {' '.join(message.type for message in messages)}"


prompted = ChatPromptTemplate.from_messages([("placeholder", "{messages}")]) | Echo(responses=[])
RUNNABLES = [
    pytest.param(agent(counts), id="graph"),
    pytest.param(agent(counts).with_config({"tags": ["theirs"]}), id="graph with config"),
    pytest.param(agent(counts).with_retry(), id="graph with retry"),
    pytest.param(RunnableLambda(from_dict), id="sync lambda of a dict"),
    pytest.param(RunnableLambda(from_list), id="sync lambda of a list"),
    pytest.param(Echo(responses=[]), id="chat model"),
    pytest.param(Echo(responses=[]).bind(stop=["x"]), id="bound chat model"),
    pytest.param(Echo(responses=[]) | (lambda message: message.content), id="model and parser"),
    pytest.param(prompted, id="prompt and model"),
    pytest.param({"messages": lambda given: given["messages"]} | prompted, id="parallel, prompt and model"),
    pytest.param(lambda: agent(counts), id="factory"),
]


@pytest.mark.parametrize("target", RUNNABLES)
async def test_every_kind_of_runnable_gets_the_dialogue(target: object, make_request: MakeRequest) -> None:
    update = await runnable_supporter(target)(make_request(1, "A briefing."))

    assert update.message == "I know: system human ai human"


async def test_a_factory_gets_its_arguments(make_request: MakeRequest) -> None:
    def make(word: str) -> AnyRunnable:
        return RunnableLambda(lambda given: f"{word} {len(given['messages'])}")

    supporter = runnable_supporter(make, args={"word": "Yes"})

    assert (await supporter(make_request(1))).message == "Yes 3"


UNUSABLE = [
    pytest.param("os.path:join", "cannot be called: missing a required argument: 'a'", id="no factory"),
    pytest.param("os:sep", "gives str, which is no Runnable", id="no Runnable"),
    pytest.param("nowhere_at_all:graph", "there is no module 'nowhere_at_all'", id="no module"),
    pytest.param(StateGraph(MessagesState), "not compiled; name the result of .compile", id="not compiled"),
    pytest.param(counts, "async function", id="async factory"),
    pytest.param(lambda: 7, "gives int", id="factory of something else"),
    pytest.param(
        ChatPromptTemplate.from_template("{question}") | Echo(responses=[]),
        "takes question; a supporter gets messages",
        id="prompt",
    ),
    pytest.param(agent(counts, interrupt_before=["answer"]), "stops for a human", id="breakpoint"),
    pytest.param(agent(counts, checkpointer=InMemorySaver()), "say `send: last`", id="memory and history"),
]


@pytest.mark.parametrize(("target", "problem"), UNUSABLE)
def test_what_cannot_answer_is_refused_when_it_is_built(target: object, problem: str) -> None:
    with pytest.raises(CastError, match=problem):
        runnable_supporter(target)


def test_a_graph_without_messages_is_refused() -> None:
    class Other(TypedDict):
        question: str

    graph = StateGraph(Other).add_node("n", lambda _: {}).add_edge(START, "n").compile()

    with pytest.raises(CastError, match="the target takes question; a supporter gets messages"):
        runnable_supporter(graph)


class TestMemory:
    async def test_an_agent_with_memory_is_sent_the_last_message_and_knows_the_rest(
        self, make_request: MakeRequest
    ) -> None:
        supporter = runnable_supporter(agent(counts, checkpointer=InMemorySaver()), send="last")

        said = [(await supporter(make_request(turn, "A briefing."))).message for turn in range(3)]

        assert said == [
            "I know: system human",
            "I know: system human ai human",
            "I know: system human ai human ai human",
        ]

    async def test_two_dialogues_never_share_a_thread(self, person: Profile) -> None:
        class Notes(TypedDict):
            messages: Annotated[list[AnyMessage], operator.add]
            heard: Annotated[list[str], operator.add]

        async def remembers(state: Notes, config: RunnableConfig) -> dict[str, Any]:
            heard = [*state.get("heard", []), state["messages"][-1].text]
            await asyncio.sleep(0)
            return {"messages": [AIMessage(" | ".join(heard))], "heard": heard[-1:]}

        builder = StateGraph(Notes).add_node("answer", remembers).add_edge(START, "answer")
        supporter = runnable_supporter(builder.compile(checkpointer=InMemorySaver()), send="last")
        people = [person.model_copy(update={"id": f"P{number}"}) for number in range(4)]

        ends = await asyncio.gather(
            *(dialogue(supporter, one, attempt=attempt) for one in people for attempt in ("a", "b"))
        )

        for end in ends:
            assert end.messages[-1].text == " | ".join(f"What I say at turn {turn}." for turn in range(3))

    async def test_a_dialogue_that_starts_again_starts_from_nothing(self, make_request: MakeRequest) -> None:
        supporter = runnable_supporter(agent(counts, checkpointer=InMemorySaver()), send="last")
        for turn in range(3):
            await supporter(make_request(turn))

        again = await supporter(make_request(0))

        assert again.message == "I know: human"

    async def test_an_agent_that_remembers_and_says_nothing_does_not_repeat_its_last_answer(
        self, make_request: MakeRequest
    ) -> None:
        async def once(state: MessagesState) -> dict[str, Any]:
            return {"messages": [AIMessage("Only once.")]} if len(state["messages"]) == 1 else {}

        supporter = runnable_supporter(agent(once, checkpointer=InMemorySaver()), send="last")
        await supporter(make_request(0))

        with pytest.raises(SupporterFault) as fault:
            await supporter(make_request(1))

        assert fault.value.outcome is Outcome.SUPPORTER_EMPTY

    async def test_the_thread_of_the_request_is_in_the_config(self, make_request: MakeRequest) -> None:
        seen: list[RunnableConfig] = []

        def look(given: dict[str, Any], config: RunnableConfig) -> str:
            seen.append(config)
            return "Mm."

        await runnable_supporter(RunnableLambda(look))(make_request(0, thread="their-thread"))

        assert seen[0]["configurable"]["thread_id"] == "their-thread"


def _http(status: int) -> httpx.Response:
    return httpx.Response(status, request=httpx.Request("POST", "http://model/v1"))


class TestInAnEpisode:
    """What an agent does decides how the episode ends, and nothing it does is taken for a reply."""

    @pytest.mark.parametrize("checkpointer", [None, InMemorySaver()], ids=["no memory", "memory"])
    async def test_a_stop_for_a_human_is_no_reply(self, checkpointer: InMemorySaver | None, person: Profile) -> None:
        async def asks(state: MessagesState) -> dict[str, Any]:
            interrupt("May I?")
            return {"messages": [AIMessage("Yes.")]}

        async def first(state: MessagesState) -> dict[str, Any]:
            return {"messages": [AIMessage("Let me ask somebody.")]}

        builder = StateGraph(MessagesState).add_node("first", first).add_node("asks", asks)
        graph = builder.add_edge(START, "first").add_edge("first", "asks").compile(checkpointer=checkpointer)

        end = await dialogue(runnable_supporter(graph, send="last" if checkpointer else "history"), person)

        assert end.outcome is Outcome.SUPPORTER_ERROR
        assert "stopped to ask a human" in end.outcome_reason

    async def test_an_agents_command_for_its_parent_does_not_reach_our_state(self, person: Profile) -> None:
        async def steers(state: MessagesState) -> Command[Any]:
            return Command(graph=Command.PARENT, goto="judge", update={"outcome": Outcome.USER_SATISFIED})

        end = await dialogue(runnable_supporter(agent(steers)), person)

        assert end.outcome is Outcome.SUPPORTER_ERROR
        assert end.verdict is None

    RAISED: ClassVar[list[Any]] = [
        (ValueError("theirs"), Outcome.SUPPORTER_ERROR, "ValueError: theirs"),
        (RateLimitError("slow down", response=_http(429), body=None), Outcome.INFRASTRUCTURE, "rate_limited"),
        (AuthenticationError("no", response=_http(401), body=None), Outcome.INFRASTRUCTURE, "unauthorised"),
        (APIConnectionError(request=httpx.Request("POST", "http://m")), Outcome.INFRASTRUCTURE, "unreachable"),
    ]

    @pytest.mark.parametrize(("raised", "outcome", "reason"), RAISED)
    async def test_what_an_agent_raises(
        self, raised: Exception, outcome: Outcome, reason: str, person: Profile
    ) -> None:
        async def fails(state: MessagesState) -> dict[str, Any]:
            raise raised

        end = await dialogue(runnable_supporter(agent(fails)), person)

        assert end.outcome is outcome
        assert reason in end.outcome_reason

    async def test_a_runaway_agent_is_stopped(self, person: Profile) -> None:
        async def loops(state: MessagesState) -> Command[Any]:
            return Command(goto="answer")

        graph = agent(loops).with_config({"recursion_limit": 5})

        end = await dialogue(runnable_supporter(graph), person)

        assert end.outcome is Outcome.SUPPORTER_ERROR
        assert "GraphRecursionError" in end.outcome_reason

    @pytest.mark.parametrize("send", ["history", "last"])
    async def test_a_briefing_is_the_first_thing_it_is_told(self, send: Send, person: Profile) -> None:
        seen: list[list[BaseMessage]] = []

        async def notes(given: dict[str, Any]) -> str:
            seen.append(given["messages"])
            return "Mm."

        context = EpisodeContext(supporter="theirs", max_turns=2, briefing="intake")
        await dialogue(runnable_supporter(RunnableLambda(notes), send=send), person, context)

        assert isinstance(seen[0][0], SystemMessage)
        assert "About the person" in seen[0][0].text
        assert [len(messages) for messages in seen] == ([2, 4] if send == "history" else [2, 1])


async def dialogue(
    supporter: Any, person: Profile, context: EpisodeContext | None = None, attempt: str = "a"
) -> EpisodeState:
    cast = Script().cast()
    graph = build_episode(Cast(cast.user, cast.judge, {"theirs": part("supporter", supporter)}), lambda _: person)
    begin = context or EpisodeContext(supporter="theirs", max_turns=3)
    config: RunnableConfig = {"metadata": {"attempt": attempt}, "recursion_limit": step_limit(begin.max_turns)}
    end = await graph.ainvoke({"profile_id": person.id}, config, context=begin)
    return EpisodeState.from_channels(end)
