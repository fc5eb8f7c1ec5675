"""The inner world a node left: a short form to store, and from it the whole.

A world is never changed in place, so what a node left alone is the same object as before; only the rest is written.
"""

from collections.abc import Mapping
from typing import Any

from emoharbor.state.inner_world import InnerWorld

SAME = "="
"""Stands for the inner world as the node before left it, and for the one world of a node's update."""
BUT = "=but"
"""Key of what is not as the node before left it."""


def short_world(world: InnerWorld, before: InnerWorld | None) -> object:
    """Return what differs from the world before, as `{"=but": {field: value}}`; the world itself if none was."""
    if world is before:
        return SAME
    if type(world) is not type(before):
        return world
    old = vars(before)
    return {BUT: {name: value for name, value in vars(world).items() if value is not old[name]}}


def whole_world(stored: Any, before: Mapping[str, Any] | None) -> Any:
    """Return a stored world, as LangSmith has it: without fields that are None."""
    if stored == SAME:
        return before
    if isinstance(stored, dict) and set(stored) == {BUT}:
        return {name: value for name, value in {**(before or {}), **stored[BUT]}.items() if value is not None}
    return stored
