"""Whether what other people wrote fits: a factory its arguments, a node the contract of its role."""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

from emoharbor.state.base import Role
from emoharbor.state.errors import CastError
from emoharbor.state.updates import (
    FeelUpdate,
    FusedUpdate,
    JudgeUpdate,
    NodeUpdate,
    SpeakUpdate,
    SupporterUpdate,
    ThinkUpdate,
)

RETURNS: Mapping[Role, type[NodeUpdate]] = {
    "feel": FeelUpdate, "think": ThinkUpdate, "speak": SpeakUpdate, "fused": FusedUpdate,
    "supporter": SupporterUpdate, "judge": JudgeUpdate,
}  # fmt: skip
"""What the node of each role returns."""


def bind(factory: Callable[..., Any], args: Mapping[str, Any], place: str) -> None:
    """Check that a factory takes these arguments.

    Raises:
        CastError: naming the argument that is missing or too many, and all that there are.
    """
    try:
        signature = inspect.signature(factory)
    except (TypeError, ValueError):
        return  # it does not say what it takes
    try:
        signature.bind(**args)
    except TypeError as error:
        raise CastError(f"{place}: {error}; it takes: {', '.join(signature.parameters) or 'nothing'}") from None


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the type hints of what is called, as far as they can be resolved."""
    try:
        return get_type_hints(_called(function), include_extras=True)
    except (NameError, TypeError, AttributeError):
        return {}  # names that only a type checker can see


def check_node(role: Role, use: str, node: object, place: str) -> None:
    """Check what a factory made: an async function of (state, runtime), or for a supporter of (request).

    Raises:
        CastError: saying what is wrong and what the contract is.
    """
    wants = ("request",) if role == "supporter" else ("state", "runtime")
    contract = f"the contract is async ({', '.join(wants)}) -> {RETURNS[role].__name__}"
    if inspect.iscoroutine(node):
        node.close()
        raise CastError(f"{place}: {use!r} is itself async; a factory is a plain function that returns the node")
    if not callable(node):
        raise CastError(f"{place}: {use!r} made {type(node).__name__}, which cannot be called; {contract}")
    _check_takes(node, wants, f"{place}: {use!r}", contract)
    call = _called(node)
    if not inspect.iscoroutinefunction(call):
        raise CastError(f"{place}: {use!r} made a node that is not async; {contract}")
    _check_returns(call, RETURNS[role], f"{place}: {use!r}", contract)


def _check_takes(node: Callable[..., Any], wants: tuple[str, ...], who: str, contract: str) -> None:
    try:
        signature = inspect.signature(node)
    except (TypeError, ValueError):
        return  # it does not say what it takes
    try:
        signature.bind(*wants)
    except TypeError:
        takes = ", ".join(signature.parameters)
        raise CastError(f"{who} made a node that takes ({takes}); {contract}") from None
    if tuple(signature.parameters) == wants[::-1] != wants:
        raise CastError(f"{who} made a node that takes {' before '.join(wants[::-1])}; {contract}")


def _check_returns(call: Any, expected: type[NodeUpdate], who: str, contract: str) -> None:
    written = getattr(call, "__annotations__", {})
    if "return" not in written:
        return
    returned = hints_of(call).get("return", written["return"])
    if returned is Any or (inspect.isclass(returned) and issubclass(returned, expected)):
        return
    name = returned if isinstance(returned, str) else getattr(returned, "__name__", str(returned))
    if isinstance(returned, str) and returned.rpartition(".")[2] == expected.__name__:
        return
    raise CastError(f"{who} made a node that returns {name}; {contract}")


def _called(function: Any) -> Any:
    """The function that runs when something is called: inside a partial, a class or an object."""
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.isclass(function):
        return function.__init__
    return function if inspect.isroutine(function) else type(function).__call__
