"""The table of implementations, and finding one by name: built-in, entry point, or `package.module:factory`."""

import importlib
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any

from emoharbor.state.base import Role
from emoharbor.state.errors import CastError

GROUP = "emoharbor.nodes"
"""The entry point group for implementations that other packages install."""

BUILT_IN: Mapping[Role, Mapping[str, str]] = {
    "feel": {"llm": "emoharbor.nodes.feel:llm_feel", "offline": "emoharbor.nodes.offline.feel:offline_feel"},
    "think": {"llm": "emoharbor.nodes.think:llm_think", "offline": "emoharbor.nodes.offline.think:offline_think"},
    "speak": {
        "llm": "emoharbor.nodes.speak:llm_speak",
        "offline": "emoharbor.nodes.offline.speak:offline_speak",
        "recorded": "emoharbor.nodes.recorded:recorded_speak",
    },
    "fused": {"llm": "emoharbor.nodes.fused:llm_fused", "offline": "emoharbor.nodes.offline.fused:offline_fused"},
    "judge": {"llm": "emoharbor.nodes.judge:llm_judge", "offline": "emoharbor.nodes.offline.judge:offline_judge"},
    "supporter": {
        "chat": "emoharbor.nodes.supporters.chat:chat_supporter",
        "runnable": "emoharbor.nodes.supporters.runnable:runnable_supporter",
        "callable": "emoharbor.nodes.supporters.function:function_supporter",
        "remote_graph": "emoharbor.nodes.supporters.remote_graph:remote_graph_supporter",
        "human": "emoharbor.nodes.supporters.human:human_supporter",
        "recorded": "emoharbor.nodes.supporters.recorded:recorded_supporter",
        "offline": "emoharbor.nodes.offline.supporter:offline_supporter",
    },
}
"""Every implementation that ships with EmoHarbor: role, name, where its factory is."""

Factory = Callable[..., Any]


def find_factory(role: Role, use: str, place: str | None = None) -> Factory:
    """Return the factory that `use` names: a built-in first, then an installed entry point, then a module's object.

    Args:
        role: the seat.
        use: the name.
        place: where the config says so, for the error; `cast.<role>` unless given.

    Raises:
        CastError: for an unknown name, with the names that exist, or for a target that cannot be imported.
    """
    where = place or f"cast.{role}"
    if target := BUILT_IN[role].get(use):
        return _factory(load_target(target, where), use, where)
    points = [point for point in entry_points(group=GROUP) if point.name == use]
    if len({point.value for point in points}) > 1:
        rivals = ", ".join(point.value for point in points)
        raise CastError(f"{where}: several packages install {use!r}; write the one you mean as use: {rivals}")
    if points:
        return _factory(load_target(points[0].value, f"{where}: entry point {use!r}"), use, where)
    if ":" in use:
        return _factory(load_target(use, where), use, where)
    known = ", ".join([*BUILT_IN[role], *installed()])
    raise CastError(f"{where}: no implementation is called {use!r}; known: {known}; or package.module:factory")


def load_target(target: str, place: str) -> Any:
    """Import `package.module:object`.

    Raises:
        CastError: saying which half is wrong.
    """
    module_name, _, attribute = (half.strip() for half in target.partition(":"))
    if not all(name.isidentifier() for name in [*module_name.split("."), *attribute.split(".")]):
        raise CastError(f"{place}: {target!r} is not of the form package.module:object")
    found: Any = _module(module_name, place)
    for name in attribute.split("."):
        if not hasattr(found, name):
            raise CastError(f"{place}: module {module_name!r} has no {attribute!r}")
        found = getattr(found, name)
    return found


def installed() -> dict[str, EntryPoint]:
    """Return the entry points of other packages, by name."""
    return {point.name: point for point in entry_points(group=GROUP)}


def _module(name: str, place: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            hint = "install its package, or start in the folder that holds it"
            raise CastError(f"{place}: there is no module {error.name!r}; {hint}") from error
        raise CastError(f"{place}: module {name!r} needs {error.name!r}, which is not installed") from error
    except (Exception, SystemExit) as error:
        # it is other people's code that runs here, and it may fail in any way, for want of a key for example
        raise CastError(f"{place}: importing {name!r} failed: {type(error).__name__}: {error}") from error


def _factory(found: Any, use: str, place: str) -> Factory:
    if not callable(found):
        raise CastError(f"{place}: {use!r} is {type(found).__name__}, not a function that makes a node")
    factory: Factory = found
    return factory
