"""No supporter can see the person: probes of every kind, inside real episodes, look for canaries."""

import asyncio
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, ClassVar, cast
from uuid import UUID, uuid4

import pytest
from helpers.probe import dump
from helpers.scripted import Script, part
from langchain_core.callbacks import AsyncCallbackManager, BaseCallbackHandler, BaseCallbackManager
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.tracers.langchain import LangChainTracer
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import ParentCommand
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime as GraphRuntime
from langgraph.types import Command
from langsmith import Client, traceable, tracing_context
from langsmith.utils import get_env_var
from typing_extensions import TypedDict

from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import EpisodeGraph, build_episode, step_limit
from emoharbor.nodes.cast import Cast
from emoharbor.nodes.contract import Request, Runtime, Supporter
from emoharbor.nodes.handoff import Handoff, hand_off
from emoharbor.nodes.isolation import request_for
from emoharbor.nodes.models.protocol import Reply
from emoharbor.nodes.offline.supporter import offline_supporter
from emoharbor.nodes.supporters.chat import chat_supporter
from emoharbor.nodes.supporters.function import function_supporter
from emoharbor.nodes.supporters.recorded import recorded_supporter
from emoharbor.nodes.supporters.runnable import runnable_supporter
from emoharbor.profiles.schema import Profile
from emoharbor.state.episode import Channels, EpisodeState
from emoharbor.state.errors import (
    BudgetReached,
    EmptyReply,
    NodeError,
    Overloaded,
    Refused,
    SupporterFault,
    Truncated,
    Unreadable,
)
from emoharbor.state.outcome import Outcome
from emoharbor.state.updates import SupporterUpdate, ThinkUpdate

SEED = 918273645
CANARIES = (
    "canary-person", "canary-fact", "canary-portrait", "canary-need", "canary-thought", "canary-tag",
    "canary-metadata", "canary-configurable", "InnerWorld", "EpisodeContext", "monologue", str(SEED),
)  # fmt: skip
Seen = list[str]


@pytest.fixture
def marked(person: Profile) -> Profile:
    """A person with a canary in each thing that is to stay inside."""
    facts = tuple(
        fact.model_copy(update={"fact": f"canary-fact {fact.fact}", "tells": ("canary-fact",)})
        for fact in person.situation.guarded
    )
    needs = person.person.needs.model_copy(update={"hidden": "canary-need"})
    return person.model_copy(
        update={
            "id": "canary-person",
            "situation": person.situation.model_copy(update={"guarded": facts}),
            "person": person.person.model_copy(update={"portrait": "canary-portrait", "needs": needs}),
        }
    )


class Thinking(Script):
    """A scripted person whose thoughts carry a canary."""

    def thinking(self, state: Channels, runtime: Runtime) -> ThinkUpdate:
        """Think it."""
        update = super().thinking(state, runtime)
        return update.model_copy(update={"thought": update.thought.model_copy(update={"monologue": "canary-thought"})})


class Listener(BaseCallbackHandler):
    """A trace handler of ours, that keeps all it hears."""

    def __init__(self) -> None:
        self.runs: dict[UUID, tuple[str, UUID | None]] = {}
        self.heard: list[object] = []

    def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: dict[str, Any],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:
        self.runs[run_id] = (str(kwargs.get("name")), parent_run_id)
        self.heard.append((serialized, inputs))

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:
        self.runs[run_id] = ("chat model", parent_run_id)
        self.heard.append((serialized, messages, kwargs))

    def line_of(self, name: str) -> list[str]:
        """The names from a run up to the root."""
        run: UUID | None = next(run_id for run_id, (called, _) in self.runs.items() if called == name)
        line: list[str] = []
        while run is not None:
            called, run = self.runs[run]
            line.append(called)
        return line


class Posted(Client):
    """A LangSmith client that keeps what it would send."""

    def __init__(self) -> None:
        super().__init__(api_url="http://localhost:9", api_key="none", auto_batch_tracing=False)
        self.posted: list[dict[str, Any]] = []

    def create_run(self, name: str, inputs: dict[str, Any], run_type: Any, **kwargs: Any) -> None:
        self.posted.append({"name": name, "inputs": inputs, **kwargs})

    def update_run(self, run_id: Any, **kwargs: Any) -> None:
        """Send nothing."""


def forget_environment() -> None:
    """Have LangSmith read its environment variables again; it remembers them."""
    cast("Any", get_env_var).cache_clear()


class DumpingModel:
    """A chat model that writes down all it gets."""

    name = "dumping"

    def __init__(self, seen: Seen) -> None:
        self.seen = seen

    async def say(self, messages: Sequence[BaseMessage], **options: object) -> Reply:
        self.seen.append(dump(messages, options))
        return Reply(text="Mm.")

    async def ask(self, *_: object, **__: object) -> Any:
        raise AssertionError("a supporter asks for text")


# ---- the probes: one for each kind of supporter ----------------------------------------------------------------


def own_supporter(seen: Seen) -> Supporter:
    async def probe(request: Request) -> SupporterUpdate:
        seen.append(dump(request))
        return SupporterUpdate(message="Mm.")

    return probe


def async_function(seen: Seen) -> Supporter:
    async def probe(messages: list[dict[str, str]]) -> str:
        seen.append(dump(messages))
        return "Mm."

    return function_supporter(probe)


def sync_function(seen: Seen) -> Supporter:
    def probe(messages: list[dict[str, str]]) -> str:
        seen.append(dump(messages))
        return "Mm."

    return function_supporter(probe)


def async_lambda(seen: Seen) -> Supporter:
    async def probe(given: Any, config: RunnableConfig) -> str:
        seen.append(dump(given, config))
        return "Mm."

    return runnable_supporter(RunnableLambda(probe))


def sync_lambda(seen: Seen) -> Supporter:
    def probe(given: Any, config: RunnableConfig) -> str:
        seen.append(dump(given, config))
        return "Mm."

    return runnable_supporter(RunnableLambda(probe))


def graph(seen: Seen) -> Supporter:
    return runnable_supporter(probe_graph(seen))


def compiled(node: Any, **options: Any) -> Runnable[Any, Any]:
    """A graph of one node. LangGraph's typing has no node that takes config and runtime, though it passes both."""
    schema = options.pop("context_schema", None)
    builder = StateGraph(MessagesState, context_schema=schema).add_node("probe", node).add_edge(START, "probe")
    return builder.compile(name="their graph", **options)


def probe_graph(seen: Seen) -> Runnable[Any, Any]:
    async def probe(state: MessagesState, config: RunnableConfig, runtime: GraphRuntime[Any]) -> dict[str, Any]:
        seen.append(dump(state, config, runtime))
        return {"messages": [AIMessage("Mm.")]}

    return compiled(probe)


class TheirContext(TypedDict, total=False):
    """A context schema of the agent's own, with the names of ours."""

    supporter: str
    seed: int


def graph_with_context(seen: Seen) -> Supporter:
    async def probe(
        state: MessagesState, config: RunnableConfig, runtime: GraphRuntime[TheirContext]
    ) -> dict[str, Any]:
        assert runtime.context is None
        seen.append(dump(state, config, runtime))
        return {"messages": [AIMessage("Mm.")]}

    return runnable_supporter(compiled(probe, context_schema=TheirContext))


def graph_with_memory(seen: Seen) -> Supporter:
    async def probe(state: MessagesState, config: RunnableConfig, runtime: GraphRuntime[Any]) -> dict[str, Any]:
        seen.append(dump(state, config, runtime))
        return {"messages": [AIMessage("Mm.")]}

    return runnable_supporter(compiled(probe, checkpointer=InMemorySaver()), send="last")


def chat(seen: Seen) -> Supporter:
    return chat_supporter(DumpingModel(seen))


def chat_runnable(seen: Seen) -> Supporter:
    class Dumping(GenericFakeChatModel):
        async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
            seen.append(dump(messages, args, kwargs))
            return await super()._agenerate(messages, *args, **kwargs)

    return runnable_supporter(Dumping(messages=iter(["Mm.", "Hm.", "I see."])))


def recorded(seen: Seen) -> Supporter:
    return spied_on(recorded_supporter(lines=["Mm.", "Hm."], when_out="repeat_last"), seen)


def offline(seen: Seen) -> Supporter:
    return spied_on(offline_supporter("attuned"), seen)


def spied_on(supporter: Supporter, seen: Seen) -> Supporter:
    async def probe(request: Request) -> SupporterUpdate:
        seen.append(dump(request))
        return await supporter(request)

    return probe


PROBES = [
    own_supporter, async_function, sync_function, async_lambda, sync_lambda, graph, graph_with_context,
    graph_with_memory, chat, chat_runnable, recorded, offline,
]  # fmt: skip


# ---- playing an episode with everything that could leak ----------------------------------------------------------


def episode(supporter: Supporter, profile: Profile) -> EpisodeGraph:
    thinking = Thinking().cast()
    return build_episode(
        Cast(thinking.user, thinking.judge, {"probe": part("supporter", supporter)}), lambda _: profile
    )


async def played(
    supporter: Supporter, profile: Profile, *callbacks: BaseCallbackHandler, turns: int = 3, **metadata: object
) -> EpisodeState:
    config: RunnableConfig = {
        "tags": ["canary-tag"],
        "metadata": {"who": "canary-metadata", **metadata},
        "configurable": {"whose": "canary-configurable"},
        "callbacks": list(callbacks),
        "recursion_limit": step_limit(turns),
    }
    context = EpisodeContext(supporter="probe", max_turns=turns, seed=SEED)
    end = await episode(supporter, profile).ainvoke({"profile_id": profile.id}, config, context=context)
    return EpisodeState.from_channels(end)


@pytest.mark.parametrize("traced", [False, True], ids=["untraced", "traced"])
@pytest.mark.parametrize("kind", PROBES)
async def test_a_supporter_sees_the_dialogue_and_nothing_of_the_person(
    kind: Callable[[Seen], Supporter], traced: bool, marked: Profile
) -> None:
    seen: Seen = []
    listening = [Listener(), LangChainTracer(client=Posted())] if traced else []

    end = await played(kind(seen), marked, *listening, turns=2)

    assert end.outcome is Outcome.TURN_CAP, end.outcome_reason
    assert len(seen) == 2
    assert "What I say at turn 1." in seen[-1]
    leaked = {canary for text in seen for canary in CANARIES if canary in text}
    assert not leaked


async def test_the_same_probe_called_the_plain_way_sees_it_all(marked: Profile) -> None:
    """The control: without the clean room, LangGraph and LangSmith hand the person over."""
    seen: Seen = []
    inner = probe_graph(seen)

    async def careless(state: Channels) -> dict[str, Any]:
        await inner.ainvoke({"messages": []})
        return {}

    outer = StateGraph(Channels, context_schema=EpisodeContext).add_node("careless", careless)
    await outer.add_edge(START, "careless").compile().ainvoke(
        first_state(marked, EpisodeContext(seed=SEED)).channels(),
        {
            "tags": ["canary-tag"], "metadata": {"who": "canary-metadata"},
            "configurable": {"whose": "canary-configurable"}, "callbacks": [LangChainTracer(client=Posted())],
        },
        context=EpisodeContext(seed=SEED),
    )  # fmt: skip

    missed = {canary for canary in CANARIES if canary not in seen[0]}
    assert missed <= {"canary-fact", "canary-portrait", "canary-need", "canary-thought", "monologue"}, (
        "not in the state"
    )


class TestTheTrace:
    async def test_a_child_run_hangs_under_the_supporters_node(self, marked: Profile) -> None:
        listener = Listener()

        await played(graph([]), marked, listener)

        assert listener.line_of("their graph") == ["their graph", "supporter", "episode"]

    async def test_a_chat_models_run_hangs_there_too(self, marked: Profile) -> None:
        listener = Listener()

        await played(chat_runnable([]), marked, listener)

        assert listener.line_of("chat model") == ["chat model", "supporter", "episode"]

    async def test_langsmith_gets_one_tree_and_nothing_of_ours_below_the_node(self, marked: Profile) -> None:
        client = Posted()

        await played(graph([]), marked, LangChainTracer(client=client))

        root = next(run for run in client.posted if run["name"] == "episode")
        nodes = {run["id"]: run for run in client.posted if run["name"] == "supporter"}
        children = [run for run in client.posted if run["name"] == "their graph"]
        assert len(children) == 3
        for child in children:
            assert child["trace_id"] == root["id"]
            assert child["dotted_order"].startswith(nodes[child["parent_run_id"]]["dotted_order"])
        below = [run for run in client.posted if run["name"] in ("their graph", "probe")]
        told = {canary for run in below for canary in CANARIES if canary in repr({**run, "parent_run": None})}
        assert not told

    @pytest.mark.parametrize("kind", ["async", "sync"])
    async def test_a_traceable_function_hangs_there_too(self, kind: str, marked: Profile) -> None:
        client = Posted()

        @traceable(name="their function")
        async def bot(messages: list[dict[str, str]]) -> str:
            return "Mm."

        @traceable(name="their function")
        def sync_bot(messages: list[dict[str, str]]) -> str:
            return "Mm."

        await played(function_supporter(bot if kind == "async" else sync_bot), marked, LangChainTracer(client=client))

        nodes = {run["id"] for run in client.posted if run["name"] == "supporter"}
        theirs = [run["parent_run_id"] for run in client.posted if run["name"] == "their function"]
        assert len(theirs) == 3
        assert set(theirs) == nodes

    async def test_an_episode_with_tracing_switched_off_has_an_untraced_supporter(
        self, marked: Profile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        client = Posted()
        monkeypatch.setattr("langchain_core.tracers.langchain.get_client", lambda: client)
        monkeypatch.setenv("LANGSMITH_TRACING", "true")
        forget_environment()

        try:
            with tracing_context(enabled=False):
                await played(graph([]), marked)
            assert not client.posted
            await played(graph([]), marked)
            assert client.posted, "switched on by the environment"
        finally:
            monkeypatch.undo()
            forget_environment()

    @pytest.mark.parametrize("kind", [graph, chat_runnable])
    async def test_a_stream_of_messages_is_the_dialogue_and_no_inner_message(
        self, kind: Callable[[Seen], Supporter], marked: Profile, caplog: pytest.LogCaptureFixture
    ) -> None:
        stream: Any = episode(kind([]), marked).astream(
            {"profile_id": marked.id},
            {"recursion_limit": step_limit(2)},
            context=EpisodeContext(supporter="probe", max_turns=2),
            stream_mode="messages",
        )

        ids = [message.id async for message, _ in stream]

        assert ids == ["u0", "a0", "u1", "a1"]
        assert not caplog.records

    async def test_a_handler_hears_its_events_whatever_its_kind(self, marked: Profile) -> None:
        listener = Listener()
        listener.run_inline = True

        class Deaf(Listener):
            ignore_chain = True

        deaf = Deaf()
        await played(graph([]), marked, listener, deaf)

        assert any("their graph" in run for run in listener.runs.values())
        assert not deaf.runs


def unheard(kind: str, detail: str) -> None:
    """A fault that nobody keeps."""


class TestThreads:
    STATE: ClassVar[dict[str, Any]] = {
        "seed": 1,
        "profile_id": "P1",
        "repeat": 0,
        "supporter": "s",
        "turn": 0,
        "messages": [],
        "briefing": "",
    }

    @pytest.mark.parametrize(
        ("changed", "config"),
        [
            ({"profile_id": "P2"}, {}),
            ({"repeat": 1}, {}),
            ({"supporter": "t"}, {}),
            ({"seed": 2}, {}),
            ({}, {"metadata": {"attempt": "run/1"}}),
            ({}, {"configurable": {"thread_id": "studio"}}),
        ],
    )
    def test_people_repeats_supporters_runs_and_attempts_never_share_one(
        self, changed: dict[str, Any], config: RunnableConfig
    ) -> None:
        one = request_for(self.STATE, {}, Handoff(), unheard)  # type: ignore[arg-type]  # a literal state
        other = request_for({**self.STATE, **changed}, config, Handoff(), unheard)  # type: ignore[typeddict-item]  # as above

        assert one.thread_id != other.thread_id

    def test_the_turns_of_a_dialogue_share_one(self) -> None:
        threads = {
            request_for({**self.STATE, "turn": turn}, {"metadata": {"attempt": 1}}, Handoff(), unheard).thread_id  # type: ignore[typeddict-item]  # a literal state
            for turn in range(15)
        }

        assert len(threads) == 1

    def test_what_a_supporter_does_to_its_messages_stays_with_it(self, marked: Profile) -> None:
        async def rude(request: Request) -> SupporterUpdate:
            for message in request.messages:
                message.content = "changed"
                message.additional_kwargs["changed"] = True
            return SupporterUpdate(message="Mm.")

        end = asyncio.run(played(rude, marked))

        assert end.messages[0].content == "What I say at turn 0."
        assert not any(message.additional_kwargs for message in end.messages)


LEFT_BEHIND = ContextVar("LEFT_BEHIND", default=0)


async def test_what_a_supporter_leaves_in_its_context_is_gone_at_the_next_turn(marked: Profile) -> None:
    found: list[int] = []

    async def leaves(request: Request) -> SupporterUpdate:
        found.append(LEFT_BEHIND.get())
        LEFT_BEHIND.set(request.turn + 1)
        return SupporterUpdate(message="Mm.")

    await played(leaves, marked, turns=3)

    assert len(found) > 1
    assert set(found) == {0}
    assert LEFT_BEHIND.get() == 0


class TestWhatItMeansForTheEpisode:
    FAILURES: ClassVar[list[Any]] = [
        pytest.param(ZeroDivisionError("out of sorts"), Outcome.SUPPORTER_ERROR, id="any exception"),
        pytest.param(SystemExit(3), Outcome.SUPPORTER_ERROR, id="sys.exit"),
        pytest.param(asyncio.CancelledError(), Outcome.SUPPORTER_ERROR, id="cancels its own work"),
        pytest.param(
            ParentCommand(Command(graph=Command.PARENT, update={"outcome": "user_satisfied"})),
            Outcome.SUPPORTER_ERROR,
            id="a command for our graph",
        ),
        pytest.param(SupporterFault(Outcome.SUPPORTER_REFUSED, "no"), Outcome.SUPPORTER_REFUSED, id="a fault"),
        pytest.param(Refused("no"), Outcome.SUPPORTER_REFUSED, id="refusal"),
        pytest.param(EmptyReply("nothing"), Outcome.SUPPORTER_EMPTY, id="empty"),
        pytest.param(Truncated("cut"), Outcome.SUPPORTER_TRUNCATED, id="truncated"),
        pytest.param(Unreadable("what"), Outcome.SUPPORTER_ERROR, id="unreadable"),
        pytest.param(Overloaded("busy"), Outcome.INFRASTRUCTURE, id="endpoint down"),
    ]

    @pytest.mark.parametrize(("raised", "outcome"), FAILURES)
    async def test_what_a_supporter_raises(self, raised: BaseException, outcome: Outcome, marked: Profile) -> None:
        async def fails(request: Request) -> SupporterUpdate:
            raise raised

        end = await played(fails, marked)

        assert end.outcome is outcome
        assert end.verdict is None
        assert end.faults[-1].role == "supporter"

    async def test_a_spent_budget_stops_the_run(self, marked: Profile) -> None:
        async def fails(request: Request) -> SupporterUpdate:
            raise BudgetReached("spent")

        with pytest.raises(BudgetReached):
            await played(fails, marked)

    @pytest.mark.parametrize("text", ["", " \n", "\u200b"])
    async def test_a_reply_that_shows_nothing_is_empty(self, text: str, marked: Profile) -> None:
        async def mute(request: Request) -> SupporterUpdate:
            return SupporterUpdate(message=text)

        assert (await played(mute, marked)).outcome is Outcome.SUPPORTER_EMPTY

    async def test_an_unvalidated_empty_reply_is_empty_too(self, marked: Profile) -> None:
        async def mute(request: Request) -> SupporterUpdate:
            return SupporterUpdate.model_construct(message="")

        assert (await played(mute, marked)).outcome is Outcome.SUPPORTER_EMPTY

    WRONG: ClassVar[list[Any]] = ["Mm.", None, SupporterUpdate(message="Mm.").model_copy(update={"message": 7})]

    @pytest.mark.parametrize("update", WRONG)
    async def test_a_node_that_returns_something_else_is_named(self, update: Any, marked: Profile) -> None:
        async def wrong(request: Request) -> SupporterUpdate:
            return update  # type: ignore[no-any-return]  # that is the point

        with pytest.raises(NodeError, match="node 'supporter'"):
            await played(wrong, marked)

    async def test_a_cancelled_episode_cancels_its_supporter(self, marked: Profile) -> None:
        started, cancelled = asyncio.Event(), asyncio.Event()

        async def slow(request: Request) -> SupporterUpdate:
            started.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.set()
                raise
            raise AssertionError("never set")

        playing = asyncio.create_task(played(slow, marked))
        await started.wait()
        playing.cancel()

        with pytest.raises(asyncio.CancelledError):
            await playing
        assert cancelled.is_set()


class Keeper(BaseCallbackHandler):
    """Keeps what it was told, as recorders and tracers do."""

    kept = "canary"

    def on_text(self, text: str, **kwargs: Any) -> None:
        self.kept += text


def test_what_a_handler_keeps_cannot_be_asked_of_its_screen() -> None:
    keeper = Keeper()
    passed = hand_off(AsyncCallbackManager([keeper], [keeper])).callbacks
    assert passed is not None
    (screen,) = passed.handlers
    held = [value for value in vars(screen).values() if callable(value)]

    screen.on_text(", and more", run_id=uuid4())

    assert keeper.kept == "canary, and more"
    assert not hasattr(screen, "kept")
    assert held
    for value in held:
        with pytest.raises(AttributeError):
            value("kept")


def test_a_manager_of_callbacks_is_all_that_a_request_says_of_the_trace() -> None:
    fields = set(Request.__dataclass_fields__)

    assert fields == {"messages", "thread_id", "turn", "seed", "briefing", "callbacks", "note"}
    assert Request((), "t", 0, 0, callbacks=BaseCallbackManager([])).callbacks is not None
