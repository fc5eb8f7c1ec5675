"""The cast: the implementations a run asked for, built and checked before any call is paid for."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError

from emoharbor.nodes.contract import RoleNode, Supporter
from emoharbor.nodes.models.protocol import ChatModel
from emoharbor.nodes.parts import find_factory
from emoharbor.nodes.spec import CastSpec, PartSpec, SupporterSpec
from emoharbor.state.base import Role
from emoharbor.state.errors import CastError

GetModel = Callable[[object, str], ChatModel]
"""Returns the model for an argument: the name of one of the config's models, or settings written in place. The second
value is the place, for the error."""


@dataclass(frozen=True, slots=True)
class Part:
    """One seat filled: what a run needs to call it, and to build it again.

    Attributes:
        role: the seat.
        use: the implementation's name.
        args: the factory's arguments as the config gives them.
        version: of the package it comes from, or `unpackaged`.
        model: name of the model behind it, or None.
        node: the node itself.
    """

    role: Role
    use: str
    args: Mapping[str, Any]
    version: str
    model: str | None
    node: RoleNode | Supporter

    @property
    def name(self) -> str:
        """The name in records: implementation and model."""
        return f"{self.use}:{self.model}" if self.model else self.use


@dataclass(frozen=True, slots=True)
class Cast:
    """Who plays which role.

    Attributes:
        user: the person's roles in order.
        judge: who rates, or None.
        supporters: the systems under test by name; empty for the simulated user alone.
    """

    user: tuple[Part, ...]
    judge: Part | None
    supporters: Mapping[str, Part]

    @property
    def chain(self) -> tuple[Role, ...]:
        """The person's roles in order."""
        return tuple(part.role for part in self.user)

    def part(self, role: Role) -> Part:
        """Return who plays one of the person's roles or the judge.

        Raises:
            CastError: when nobody does.
        """
        seats = [*self.user, *([self.judge] if self.judge else [])]
        for seat in seats:
            if seat.role == role:
                return seat
        raise CastError(f"nobody plays {role!r} in this cast")


def build_cast(spec: CastSpec, supporters: Iterable[SupporterSpec], get_model: GetModel) -> Cast:
    """Build every part of a cast.

    Raises:
        CastError: naming the role, what does not fit, and what would.
    """
    judge = build_part("judge", spec.judge, get_model, "cast.judge") if spec.judge else None
    user = tuple(build_part(role, _required(spec, role), get_model, f"cast.{role}") for role in spec.user)
    under_test: dict[str, Part] = {}
    for item in supporters:
        if item.name in under_test:
            raise CastError(f"two supporters are called {item.name!r}; give each its own name")
        under_test[item.name] = build_part("supporter", item, get_model, f"supporters.{item.name}")
    return Cast(user, judge, under_test)


def build_part(role: Role, spec: PartSpec, get_model: GetModel, place: str) -> Part:
    """Build one part and check that it keeps the contract of its role."""
    factory = find_factory(role, spec.use)
    arguments, model = _arguments(factory, spec.args, get_model, place)
    node = factory(**arguments)
    _check_node(role, spec.use, node, place)
    return Part(role, spec.use, spec.args, _version(factory), model.name if model else None, node)


def _required(spec: CastSpec, role: Role) -> PartSpec:
    found = spec.spec(role)
    if found is None:
        raise CastError(f"cast.{role}: the chain names {role!r}, but nothing says who plays it")
    return found


def _arguments(
    factory: object, args: Mapping[str, Any], get_model: GetModel, place: str
) -> tuple[dict[str, Any], ChatModel | None]:
    if not callable(factory):
        raise CastError(f"{place}: {factory!r} is no function that makes a node")
    try:
        signature, hints = inspect.signature(factory), get_type_hints(factory, include_extras=True)
        signature.bind(**args)
    except TypeError as error:
        takes = ", ".join(inspect.signature(factory).parameters)
        raise CastError(f"{place}: {error}; the factory takes: {takes}") from None
    built: dict[str, Any] = {}
    model: ChatModel | None = None
    for name, value in args.items():
        hint = hints.get(name, Any)
        if hint is ChatModel:
            built[name] = model = get_model(value, f"{place}.{name}")
        else:
            built[name] = _typed(hint, value, f"{place}.{name}")
    return built, model


def _typed(hint: Any, value: object, place: str) -> Any:
    try:
        return TypeAdapter(hint).validate_python(value)
    except ValidationError as error:
        raise CastError(f"{place}: {error.errors(include_url=False)[0]['msg']}, got {value!r}") from None
    except PydanticSchemaGenerationError:
        return value  # a type of the author's own; the factory sees to it


def _check_node(role: Role, use: str, node: object, place: str) -> None:
    """Check what a factory made: an async callable of (state, runtime), or for a supporter of (request)."""
    wants = ("request",) if role == "supporter" else ("state", "runtime")
    shape = f"async ({', '.join(wants)})"
    if not callable(node):
        raise CastError(f"{place}: {use!r} made {type(node).__name__}, which is no {shape} function")
    try:
        signature = inspect.signature(node)
        signature.bind(*wants)
    except (TypeError, ValueError):
        takes = ", ".join(inspect.signature(node).parameters)
        raise CastError(f"{place}: {use!r} made a node that takes ({takes}); the contract is {shape}") from None
    call = node if inspect.isroutine(node) else type(node).__call__
    if not inspect.iscoroutinefunction(call):
        raise CastError(f"{place}: {use!r} made a node that is not async; the contract is {shape}")
    _check_return(role, use, call, place)


def _check_return(role: Role, use: str, call: Any, place: str) -> None:
    expected = {"feel": "FeelUpdate", "think": "ThinkUpdate", "speak": "SpeakUpdate", "fused": "FusedUpdate",
                "supporter": "SupporterUpdate", "judge": "JudgeUpdate"}[role]  # fmt: skip
    returned = getattr(call, "__annotations__", {}).get("return")
    name = returned if isinstance(returned, str) else getattr(returned, "__name__", None)
    if name is not None and name.rpartition(".")[2] != expected:
        raise CastError(f"{place}: {use!r} made a node that returns {name}; a {role} returns {expected}")


def _version(factory: object) -> str:
    package = (getattr(factory, "__module__", "") or "").partition(".")[0]
    try:
        return version(package)
    except (PackageNotFoundError, ValueError):
        return "unpackaged"
