"""The table of implementations, and finding one by name: built-in, entry point, or `package.module:factory`."""

import importlib
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from emoharbor.state.base import Role
from emoharbor.state.errors import CastError

GROUP = "emoharbor.nodes"
"""The entry point group for implementations that other packages install."""

BUILT_IN: Mapping[Role, Mapping[str, str]] = {
    "feel": {"llm": "emoharbor.nodes.feel:llm_feel", "offline": "emoharbor.nodes.offline.feel:offline_feel"},
    "think": {"llm": "emoharbor.nodes.think:llm_think", "offline": "emoharbor.nodes.offline.think:offline_think"},
    "speak": {"llm": "emoharbor.nodes.speak:llm_speak", "offline": "emoharbor.nodes.offline.speak:offline_speak"},
    "fused": {"llm": "emoharbor.nodes.fused:llm_fused"},
    "judge": {"llm": "emoharbor.nodes.judge:llm_judge", "offline": "emoharbor.nodes.offline.judge:offline_judge"},
    "supporter": {
        "chat": "emoharbor.nodes.supporters.chat:chat_supporter",
        "runnable": "emoharbor.nodes.supporters.runnable:runnable_supporter",
        "callable": "emoharbor.nodes.supporters.function:function_supporter",
        "recorded": "emoharbor.nodes.supporters.recorded:recorded_supporter",
        "offline": "emoharbor.nodes.offline.supporter:offline_supporter",
    },
}
"""Every implementation that ships with EmoHarbor: role, name, where its factory is."""

Factory = Callable[..., Any]


def find_factory(role: Role, use: str) -> Factory:
    """Return the factory that `use` names.

    Raises:
        CastError: for an unknown name, with the names that exist, or for a target that cannot be imported.
    """
    target = BUILT_IN[role].get(use)
    if target is None and use in (others := installed()):
        return _loaded(role, use, others[use])
    if target is None and ":" in use:
        target = use
    if target is None:
        known = ", ".join([*BUILT_IN[role], *installed()])
        raise CastError(f"cast.{role}: no implementation is called {use!r}; known: {known}; or package.module:factory")
    factory: Factory = load_target(target, f"cast.{role}")
    return factory


def load_target(target: str, place: str) -> Any:
    """Import `package.module:object`.

    Raises:
        CastError: saying which half is wrong.
    """
    module_name, _, attribute = target.partition(":")
    if not module_name or not attribute:
        raise CastError(f"{place}: {target!r} is not of the form package.module:object")
    try:
        found: Any = importlib.import_module(module_name)
    except ImportError as error:
        raise CastError(f"{place}: cannot import {module_name!r}: {error}") from error
    for name in attribute.split("."):
        if not hasattr(found, name):
            raise CastError(f"{place}: module {module_name!r} has no {attribute!r}")
        found = getattr(found, name)
    return found


def installed() -> dict[str, EntryPoint]:
    """Return the entry points of other packages, by name."""
    return {point.name: point for point in entry_points(group=GROUP)}


def _loaded(role: Role, use: str, point: EntryPoint) -> Factory:
    try:
        factory: Factory = point.load()
    except (ImportError, AttributeError) as error:
        raise CastError(f"cast.{role}: entry point {use!r} ({point.value}) cannot be loaded: {error}") from error
    return factory
