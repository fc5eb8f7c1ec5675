"""Building a cast: what fits is built, and what does not is refused before any call, by one line that says the fix."""

import functools
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from langchain_core.runnables import RunnableLambda

from emoharbor.nodes import parts
from emoharbor.nodes.cast import build_cast, build_part
from emoharbor.nodes.contract import Request, Runtime, Supporter, ThinkNode
from emoharbor.nodes.models.protocol import ChatModel
from emoharbor.nodes.spec import CastSpec, PartSpec, SupporterSpec
from emoharbor.state.base import Role
from emoharbor.state.episode import Channels
from emoharbor.state.errors import CastError, ConfigError, UserError
from emoharbor.state.inner_world import Thought
from emoharbor.state.updates import FeelUpdate, SupporterUpdate, ThinkUpdate

THOUGHT = Thought(monologue="Hm.", intention="elaborate")


class FakeModel:
    """Stands for a model; nothing is asked."""

    def __init__(self, name: str) -> None:
        self.name = name


def get_model(value: Any, place: str) -> Any:
    """Find a model by name."""
    if value == "missing":
        raise ConfigError(f"{place}: no model is called 'missing'")
    return FakeModel(str(value))


def make_think(model: ChatModel, mood: Literal["calm", "tense"] = "calm", steps: int = 1) -> ThinkNode:
    """The kind of factory that people write."""

    async def think(state: Channels, runtime: Runtime) -> ThinkUpdate:
        return ThinkUpdate(thought=THOUGHT)

    return think


def with_optional_model(model: ChatModel | None = None) -> ThinkNode:
    return make_think(model) if model else make_think(FakeModel("none"))  # type: ignore[arg-type]  # a fake


class ThinkingObject:
    """A node that is an object."""

    def __init__(self, steps: int = 1) -> None:
        self.steps = steps

    async def __call__(self, state: Channels, runtime: Runtime) -> ThinkUpdate:
        return ThinkUpdate(thought=THOUGHT)


class BroaderUpdate(ThinkUpdate):
    """A subclass of the contract's type."""


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], str]:
    """Return what gives an object a name that a config can use."""

    def named(factory: object) -> str:
        monkeypatch.setattr(parts, "load_target", lambda target, place: factory)
        return "lab:factory"

    return named


def build(role: Role, name: str, args: Mapping[str, Any] | None = None) -> Any:
    return build_part(role, PartSpec(use=name, **(args or {})), get_model, f"cast.{role}")


class TestWhatFits:
    def test_a_factory_gets_its_model_and_its_typed_arguments(self, use: Callable[[object], str]) -> None:
        made = build("think", use(make_think), {"model": "user", "mood": "tense", "steps": "3"})

        assert made.name == "lab:factory:user"
        assert made.args == {"model": "user", "mood": "tense", "steps": "3"}

    @pytest.mark.parametrize(("args", "model"), [({}, None), ({"model": "user"}, "user"), ({"model": None}, None)])
    def test_a_model_may_be_optional(
        self, args: dict[str, Any], model: str | None, use: Callable[[object], str]
    ) -> None:
        assert build("think", use(with_optional_model), args).model == model

    def test_a_class_may_be_the_factory(self, use: Callable[[object], str]) -> None:
        assert build("think", use(ThinkingObject), {"steps": "4"}).node.steps == 4

    @pytest.mark.parametrize("kind", ["partial", "subclass", "string annotation", "no annotation", "any names"])
    def test_these_nodes_keep_the_contract(self, kind: str, use: Callable[[object], str]) -> None:
        async def styled(style: str, state: Channels, runtime: Runtime) -> ThinkUpdate:
            return ThinkUpdate(thought=THOUGHT)

        async def narrower(state: Channels, runtime: Runtime) -> BroaderUpdate:
            return BroaderUpdate(thought=THOUGHT)

        async def written(state: "Channels", runtime: "Unknown") -> "ThinkUpdate":  # type: ignore[name-defined]  # noqa: F821 - a name only a type checker would see
            return ThinkUpdate(thought=THOUGHT)

        async def bare(state, runtime):  # type: ignore[no-untyped-def]  # that is the case
            return ThinkUpdate(thought=THOUGHT)

        async def renamed(before: Channels, around: Runtime) -> ThinkUpdate:
            return ThinkUpdate(thought=THOUGHT)

        nodes = {
            "partial": functools.partial(styled, "dry"), "subclass": narrower, "string annotation": written,
            "no annotation": bare, "any names": renamed,
        }  # fmt: skip

        assert build("think", use(lambda: nodes[kind])).node is nodes[kind]

    def test_a_whole_cast_is_built_from_a_config(self) -> None:
        lines = {"name": "script", "use": "recorded", "lines": ["Mm."]}
        ours = {"name": "ours", "use": "callable", "target": lambda messages: "Mm."}

        cast = build_cast(CastSpec(), [SupporterSpec(**lines), SupporterSpec(**ours)], get_model)

        assert cast.chain == ("feel", "think", "speak")
        assert list(cast.supporters) == ["script", "ours"]

    @pytest.mark.parametrize(("role", "names"), parts.BUILT_IN.items())
    def test_every_built_in_name_leads_to_a_factory(self, role: Role, names: Mapping[str, str]) -> None:
        for name in names:
            assert callable(parts.find_factory(role, name))


async def sync_looking(state: Channels, runtime: Runtime) -> FeelUpdate:
    return FeelUpdate()


async def takes_one(state: Channels) -> ThinkUpdate:
    return ThinkUpdate(thought=THOUGHT)


async def takes_three(state: Channels, runtime: Runtime, more: int) -> ThinkUpdate:
    return ThinkUpdate(thought=THOUGHT)


async def swapped(runtime: Runtime, state: Channels) -> ThinkUpdate:
    return ThinkUpdate(thought=THOUGHT)


def not_async(state: Channels, runtime: Runtime) -> ThinkUpdate:
    return ThinkUpdate(thought=THOUGHT)


async def returns_nothing(state: Channels, runtime: Runtime) -> None:
    return None


async def async_factory() -> ThinkNode:
    return make_think(FakeModel("x"))  # type: ignore[arg-type]  # a fake


async def other_supporter(request: Request) -> SupporterUpdate:
    return SupporterUpdate(message="Mm.")


def breaks() -> ThinkNode:
    raise KeyError("their setting")


CONTRACT = r"the contract is async \(state, runtime\) -> ThinkUpdate"
MISFITS = [
    pytest.param(lambda: takes_one, {}, rf"takes \(state\); {CONTRACT}", id="takes too little"),
    pytest.param(lambda: takes_three, {}, rf"takes \(state, runtime, more\); {CONTRACT}", id="takes too much"),
    pytest.param(lambda: swapped, {}, rf"takes runtime before state; {CONTRACT}", id="the wrong way round"),
    pytest.param(lambda: not_async, {}, rf"not async; {CONTRACT}", id="not async"),
    pytest.param(lambda: sync_looking, {}, rf"returns FeelUpdate; {CONTRACT}", id="another role's update"),
    pytest.param(lambda: returns_nothing, {}, rf"returns NoneType; {CONTRACT}", id="returns nothing"),
    pytest.param(lambda: other_supporter, {}, rf"takes \(request\); {CONTRACT}", id="a supporter"),
    pytest.param(
        lambda: RunnableLambda(len), {}, rf"made RunnableLambda, which cannot be called; {CONTRACT}", id="none"
    ),
    pytest.param(lambda: None, {}, r"made NoneType, which cannot be called", id="made nothing"),
    pytest.param(async_factory, {}, r"is itself async; a factory is a plain function", id="async factory"),
    pytest.param(breaks, {}, r"could not be made: KeyError: 'their setting'", id="a factory that fails"),
    pytest.param(make_think, {}, r"missing a required argument: 'model'; it takes: model, mood, steps", id="no model"),
    pytest.param(make_think, {"model": "user", "stpes": 1}, r"argument 'stpes'; it takes: model", id="a misspelling"),
    pytest.param(make_think, {"model": "user", "mood": "odd"}, r"mood: .*'calm' or 'tense', got 'odd'", id="value"),
    pytest.param(make_think, {"model": "user", "steps": "many"}, r"steps: .*integer.*, got 'many'", id="type"),
    pytest.param(
        make_think,
        {"model": "user", "steps": "hunter2-hunter2-hunter2"},
        r"steps: .*integer.*, got a value of type str$",
        id="what may be a key is not repeated",
    ),
    pytest.param(
        make_think, {"model": "missing"}, r"cast.think.model: no model is called 'missing'", id="no such model"
    ),
    pytest.param("text", {}, r"is str, not a function that makes a node", id="no factory"),
]


@pytest.mark.parametrize(("factory", "args", "problem"), MISFITS)
def test_what_does_not_fit_is_refused(
    factory: object, args: dict[str, Any], problem: str, use: Callable[[object], str]
) -> None:
    with pytest.raises(UserError, match=problem) as refused:
        build("think", use(factory), args)

    assert str(refused.value).startswith("cast.think")
    assert "\n" not in str(refused.value)


def test_a_supporters_contract_is_named_too(use: Callable[[object], str]) -> None:
    with pytest.raises(CastError, match=r"supporters.x: .*the contract is async \(request\) -> SupporterUpdate"):
        build_part("supporter", SupporterSpec(name="x", use=use(lambda: not_async)), get_model, "supporters.x")


def test_an_item_of_a_list_is_pointed_at() -> None:
    with pytest.raises(CastError, match=r"cast.supporter.lines.1: .*valid string, got 7"):
        build("supporter", "recorded", {"lines": ["a", 7]})


class TestNames:
    def test_an_unknown_name_lists_what_there_is(self) -> None:
        with pytest.raises(CastError, match=r"cast.think: .*'nope'; known: llm, offline.*; or package.module:factory"):
            build("think", "nope")

    def test_two_supporters_of_one_name_are_refused(self) -> None:
        twice = [SupporterSpec(name="a", use="recorded", lines=["x"])] * 2

        with pytest.raises(CastError, match="two supporters are called 'a'"):
            build_cast(CastSpec(), twice, get_model)

    TARGETS: ClassVar[list[Any]] = [
        pytest.param("nowhere_at_all.nodes:x", "no module 'nowhere_at_all'; install its package", id="no package"),
        pytest.param("emoharbor.nowhere:x", "no module 'emoharbor.nowhere'", id="no module"),
        pytest.param("os:nothing", "module 'os' has no 'nothing'", id="no object"),
        pytest.param("os:path.nothing", "module 'os' has no 'path.nothing'", id="no attribute"),
        pytest.param("./agent.py:graph", "not of the form package.module:object", id="a path"),
        pytest.param(".agent:graph", "not of the form package.module:object", id="relative"),
        pytest.param("os:", "not of the form package.module:object", id="no name"),
        pytest.param("needs_more:x", "'needs_more' needs 'not_installed_at_all', which is not installed", id="needs"),
        pytest.param("no_key:x", "importing 'no_key' failed: KeyError: 'THEIR_KEY'", id="fails"),
        pytest.param("no_python:x", "importing 'no_python' failed: SyntaxError", id="is no Python"),
        pytest.param("a_script:x", "importing 'a_script' failed: SystemExit: 2", id="ends the process"),
    ]

    @pytest.mark.parametrize(("target", "problem"), TARGETS)
    def test_a_target_that_cannot_be_loaded_says_why(
        self, target: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.syspath_prepend(tmp_path)
        for name, text in {
            "needs_more": "import not_installed_at_all", "no_key": "import os; os.environ['THEIR_KEY']",
            "no_python": "def", "a_script": "raise SystemExit(2)",
        }.items():  # fmt: skip
            (tmp_path / f"{name}.py").write_text(text, "utf-8")

        with pytest.raises(CastError, match=problem):
            build("think", target)

    def test_a_name_that_two_packages_install_is_ambiguous(self, monkeypatch: pytest.MonkeyPatch) -> None:
        points = [EntryPoint("stoic", f"{package}.nodes:stoic", parts.GROUP) for package in ("one", "two")]
        monkeypatch.setattr(parts, "entry_points", lambda group: points)

        with pytest.raises(CastError, match=r"several packages install 'stoic'; .*: one.nodes:stoic, two.nodes:stoic"):
            build("think", "stoic")

    def test_an_entry_point_that_cannot_be_loaded_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        points = [EntryPoint("stoic", "gone_from_here.nodes:stoic", parts.GROUP)]
        monkeypatch.setattr(parts, "entry_points", lambda group: points)

        with pytest.raises(CastError, match=r"entry point 'stoic': there is no module 'gone_from_here'"):
            build("think", "stoic")


class TestVersions:
    def test_a_built_in_has_our_version(self) -> None:
        assert build("supporter", "recorded", {"lines": ["a"]}).version.startswith("0.")

    def test_a_target_has_the_version_of_its_own_package(self) -> None:
        from importlib.metadata import version  # noqa: PLC0415 - for this test alone

        made = build("supporter", "callable", {"target": "yaml:safe_dump"})

        assert made.version == version("PyYAML"), "the distribution's name is not the module's"

    def test_what_is_in_no_package_says_so(self, use: Callable[[object], str]) -> None:
        def supporter() -> Supporter:
            return other_supporter

        assert build("supporter", use(supporter)).version == "unpackaged"


@pytest.mark.parametrize("chain", [("think",), ("speak", "feel"), ("feel", "feel", "speak"), ("fused", "speak"), ()])
def test_a_chain_that_makes_no_person_lists_those_that_do(chain: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"chains: \[feel, think, speak\]; \[think, speak\]"):
        CastSpec(user=chain)
