"""What a supporter gets of the trace: where to hang its runs, and nothing that was recorded.

Handlers keep what they were told. A LangSmith tracer holds the run of the node it is in, with the whole state as input,
and `get_current_run_tree()` would hand it out; a stream handler sends what it hears into our own stream. So each is
passed on as something that takes events and shows nothing.
"""

import inspect
from collections.abc import Callable
from contextvars import Context, copy_context
from dataclasses import dataclass
from functools import cache
from typing import Any

from langchain_core.callbacks import AsyncCallbackManager, BaseCallbackHandler, BaseCallbackManager
from langchain_core.tracers.langchain import LangChainTracer
from langsmith import tracing_context
from langsmith.run_trees import RunTree


@dataclass(frozen=True, slots=True)
class Handoff:
    """The trace as a supporter gets it.

    Attributes:
        callbacks: for the config of child runs; None outside a graph.
        parent: the LangSmith run to hang runs under, with no inputs, tags or metadata; None without a LangSmith trace.
    """

    callbacks: BaseCallbackManager | None = None
    parent: RunTree | None = None

    def context(self) -> Context:
        """Return a context that is empty but for LangSmith's: traced if the episode is, whatever the environment says.

        LangSmith refers to the parent weakly, so this object must outlive what runs in the context.
        """
        if self.parent is None:
            return _UNTRACED.copy()
        return Context().run(_context_of, parent=self.parent, client=self.parent.ls_client, enabled=True)


def _context_of(**tracing: Any) -> Context:
    with tracing_context(**tracing):
        return copy_context()


_UNTRACED = Context().run(_context_of, enabled=False)


def hand_off(callbacks: object) -> Handoff:
    """Return what of a node's callbacks a supporter may have."""
    if not isinstance(callbacks, BaseCallbackManager):
        return Handoff()
    tracer = next((one for one in callbacks.inheritable_handlers if isinstance(one, LangChainTracer)), None)
    parent = _bare_run(tracer, str(callbacks.parent_run_id)) if tracer else None
    passed: list[BaseCallbackHandler] = [
        _screened(one) for one in callbacks.inheritable_handlers if not _is_left_out(one)
    ]
    if tracer is not None and parent is not None:
        passed.append(_fresh(tracer, parent))
    return Handoff(AsyncCallbackManager(passed, passed.copy(), callbacks.parent_run_id), parent)


def _screened(handler: BaseCallbackHandler) -> BaseCallbackHandler:
    return _screen_of(type(handler))(handler)  # type: ignore[arg-type]  # a class can be hashed, whatever its objects can


def _is_left_out(handler: BaseCallbackHandler) -> bool:
    """LangGraph's own handlers stream our graph, and would take a supporter's inner messages for the dialogue."""
    return isinstance(handler, LangChainTracer) or type(handler).__module__.startswith("langgraph.")


def _bare_run(tracer: LangChainTracer, run_id: str) -> RunTree | None:
    run = tracer.run_map.get(run_id)
    if run is None:
        return None
    return RunTree(
        id=run.id,
        name=run.name,
        run_type=run.run_type,
        start_time=run.start_time,
        trace_id=run.trace_id,
        dotted_order=run.dotted_order,
        session_name=run.session_name,
        replicas=run.replicas,
        ls_client=tracer.client,
    )


def _fresh(tracer: LangChainTracer, parent: RunTree) -> LangChainTracer:
    """A tracer to the same place that knows one run, the parent."""
    return LangChainTracer(
        project_name=tracer.project_name,
        client=tracer.client,
        run_map={str(parent.id): parent},
        order_map={parent.id: (parent.trace_id, parent.dotted_order)},
    )


class _Screen(BaseCallbackHandler):
    """Passes events on to a handler and shows nothing of it. A class for each kind of handler takes its events."""

    ignore_llm = ignore_retry = ignore_chain = ignore_agent = False
    ignore_retriever = ignore_chat_model = ignore_custom_event = False

    def __init__(self, handler: BaseCallbackHandler) -> None:
        self._tell = _teller(handler)
        vars(self).update({name: getattr(handler, name) for name in _ASKED})


def _teller(handler: BaseCallbackHandler) -> Callable[..., Any]:
    """Return what tells a handler of an event, and hands out nothing of it."""

    def tell(event: str, /, *args: Any, **kwargs: Any) -> Any:
        if not event.startswith("on_"):
            raise AttributeError(event)
        return getattr(handler, event)(*args, **kwargs)

    return tell


_ASKED = ("run_inline", "raise_error", *(name for name in dir(_Screen) if name.startswith("ignore_")))
"""What LangChain asks of a handler before it tells it anything."""


@cache  # a class for every message of a dialogue would be half of the hand-off
def _screen_of(kind: type[BaseCallbackHandler]) -> type[_Screen]:
    """Return the screen of a kind of handler: with the events it takes, each awaited if it is."""
    names = [name for name in dir(kind) if name.startswith("on_")]
    return type("Screen", (_Screen,), {name: _passing(name, getattr(kind, name)) for name in names})


def _passing(name: str, event: Callable[..., Any]) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(event):

        async def passed_on(self: _Screen, *args: Any, **kwargs: Any) -> Any:
            return await self._tell(name, *args, **kwargs)

        return passed_on

    def passed(self: _Screen, *args: Any, **kwargs: Any) -> Any:
        return self._tell(name, *args, **kwargs)

    return passed
