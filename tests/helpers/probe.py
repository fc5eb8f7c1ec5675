"""A probe: writes down everything that code under test can reach."""

import asyncio
import contextvars
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from langchain_core.runnables.config import var_child_runnable_config
from langgraph.config import get_config
from langgraph.runtime import get_runtime
from langsmith import Client, get_current_run_tree, get_tracing_context

_LEAVES = (str, bytes, int, float, bool, type(None), type, types.ModuleType, types.FunctionType)
# The process has one event loop and one LangSmith client, and anybody can ask for them: they are handed to nobody.
_OF_THE_PROCESS = (asyncio.AbstractEventLoop, Client)
_DEPTH = 12
_REPRS = 4  # a whole's repr repeats its parts


def dump(*handed: object) -> str:
    """Return all texts within reach: what was handed over, context variables, the current run, config and runtime."""
    places: list[object] = [
        *handed,
        {variable.name: value for variable, value in contextvars.copy_context().items()},
        var_child_runnable_config.get(),
        get_current_run_tree(),
        get_tracing_context(),
        _asked(get_config),
        _asked(get_runtime),
    ]
    return "\n".join(text for place in places for text in _texts(place, set(), 0))


def _asked(question: Callable[[], Any]) -> object:
    try:
        return question()
    except (RuntimeError, KeyError) as error:
        return f"{type(error).__name__}: {error}"


def _texts(thing: object, seen: set[int], depth: int) -> Iterator[str]:
    if isinstance(thing, _OF_THE_PROCESS) or id(thing) in seen or depth > _DEPTH:
        return
    seen.add(id(thing))
    if isinstance(thing, _LEAVES) or depth < _REPRS:
        yield repr(thing)
    if isinstance(thing, _LEAVES):
        return
    for inner in _inside(thing):
        yield from _texts(inner, seen, depth + 1)


def _inside(thing: Any) -> Iterator[object]:
    if isinstance(thing, Mapping):
        yield from [*thing.keys(), *thing.values()]
    elif isinstance(thing, list | tuple | set | frozenset):
        yield from thing
    yield from getattr(thing, "__dict__", {}).values()
    slots = [name for kind in type(thing).__mro__ for name in _names(kind)]
    yield from [getattr(thing, name, None) for name in (*slots, "__self__", "func", "args", "keywords")]


def _names(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)
