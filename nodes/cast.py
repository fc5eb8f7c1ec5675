"""The cast: the implementations a run asked for, built and checked before any call is paid for."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError

from emoharbor.nodes.contract import RoleNode, Supporter
from emoharbor.nodes.fit import bind, check_node, hints_of
from emoharbor.nodes.models.protocol import ChatModel
from emoharbor.nodes.parts import find_factory
from emoharbor.nodes.rubric import Rubric, rubric_named
from emoharbor.nodes.spec import CastSpec, PartSpec, SupporterSpec
from emoharbor.nodes.version import version_of
from emoharbor.state.base import Role
from emoharbor.state.errors import CastError, UserError
from emoharbor.state.secrets import hide_secrets

_SHORTEST_KEY = 16
"""Characters that any key has."""
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
        version: of the package it comes from, or `unpackaged`; of a `target`, if it has one, since that does the work.
        model: name of the model behind it, or None.
        node: the node itself.
        rubric: what a judge rates on; None for the others.
    """

    role: Role
    use: str
    args: Mapping[str, Any]
    version: str
    model: str | None
    node: RoleNode | Supporter
    rubric: Rubric | None = None

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
        for seat in self.user:
            if seat.role == role:
                return seat
        if self.judge is not None and role == "judge":
            return self.judge
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
    """Build one part and check that it keeps the contract of its role.

    Raises:
        CastError: naming the place, what does not fit, and what would.
    """
    factory = find_factory(role, spec.use, place)
    arguments, model = _arguments(factory, spec.args, get_model, place)
    node = _made(factory, arguments, spec.use, place)
    check_node(role, spec.use, node, place)
    rubric = rubric_named(spec.args) if role == "judge" else None
    return Part(role, spec.use, spec.args, version_of(factory, spec.args), model.name if model else None, node, rubric)


def _required(spec: CastSpec, role: Role) -> PartSpec:
    found = spec.spec(role)
    if found is None:
        raise CastError(f"cast.{role}: the chain names {role!r}, but nothing says who plays it")
    return found


def _arguments(
    factory: Callable[..., Any], args: Mapping[str, Any], get_model: GetModel, place: str
) -> tuple[dict[str, Any], ChatModel | None]:
    bind(factory, args, place)
    hints = hints_of(factory)
    built: dict[str, Any] = {}
    model: ChatModel | None = None
    for name, value in args.items():
        hint = hints.get(name, Any)
        if _is_model(hint) and value is not None:
            built[name] = model = get_model(value, f"{place}.{name}")
        else:
            built[name] = _typed(hint, value, f"{place}.{name}")
    return built, model


def _is_model(hint: Any) -> bool:
    """Tell whether an argument takes a model: `ChatModel`, or that or None."""
    return hint is ChatModel or ChatModel in get_args(hint)


def _typed(hint: Any, value: object, place: str) -> Any:
    if _is_model(hint):
        return value
    try:
        adapter = TypeAdapter(hint)
    except (PydanticUserError, NameError):
        return value  # a type of the author's own; the factory sees to it
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        inside = "".join(f".{part}" for part in first["loc"] if isinstance(part, int))
        raise CastError(f"{place}{inside}: {first['msg']}, got {_told(first['input'])}") from None


def _told(value: object) -> str:
    """Return a short value as it was given; a long one may be a key that slipped in, so only its type."""
    text = hide_secrets(repr(value))
    return text if len(text) <= _SHORTEST_KEY else f"a value of type {type(value).__name__}"


def _made(factory: Callable[..., Any], arguments: Mapping[str, Any], use: str, place: str) -> Any:
    try:
        return factory(**arguments)
    except UserError as error:
        if str(error).startswith(place):
            raise
        raise type(error)(f"{place}: {error}") from error
    except Exception as error:
        # it is other people's code that runs here, and it may fail in any way
        raise CastError(f"{place}: {use!r} could not be made: {type(error).__name__}: {error}") from error
