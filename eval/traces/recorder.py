"""Listening to one episode. It runs inside every node's time, so it only copies what would change, and reads nothing.

A callback handler of LangChain's, run inline: a tenth of the cost of the default thread pool, a seventh of a
`BaseTracer`. It keeps what LangSmith would be sent: the same ids, parents, names, types, inputs and outputs.
"""

import logging
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar, cast
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command
from langsmith import uuid7
from pydantic_core import to_json

from emoharbor.eval.secrets import hide_secrets
from emoharbor.eval.traces.codec import Opening, pack
from emoharbor.eval.traces.messages import short_reply
from emoharbor.eval.traces.seats import ShortSeats
from emoharbor.eval.traces.table import MessageTable
from emoharbor.graphs.traced import PROPOSED
from emoharbor.state.text import clean

F = TypeVar("F", bound=Callable[..., None])
_LOG = logging.getLogger("emoharbor.traces")
_LANGGRAPHS = frozenset({
    "langgraph_triggers", "langgraph_path", "langgraph_checkpoint_ns", "checkpoint_ns", "lc_versions",
})  # fmt: skip
"""Metadata of no use to a reader, and of much size: each holds an id."""


@dataclass(slots=True)
class _Run:
    """A run that has not ended. `about` is what LangSmith calls its other fields, and what we add to them.

    `inputs` are JSON already, or values that nobody changes.
    """

    about: dict[str, Any]
    inputs: object
    clock: float = field(default_factory=time.perf_counter)


def _unharmed(event: F) -> F:
    """A trace that cannot be recorded is given up; the episode goes on."""

    @wraps(event)
    def guarded(self: "Recorder", *args: Any, **kwargs: Any) -> None:
        if self.broken:
            return
        try:
            event(self, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - whatever somebody's objects do when they are looked at
            self.give_up(error)

    return cast("F", guarded)


class Recorder(BaseCallbackHandler):
    """Records the runs of one call of a graph.

    Attributes:
        root: id of the root run, to be given to the graph as `run_id`.
        broken: whether recording was given up.
        opening: what the episode begins with, once it is known.
    """

    run_inline = True
    raise_error = False

    def __init__(self, implementations: Mapping[str, str], secrets: Sequence[str] = ()) -> None:
        """Make one.

        Args:
            implementations: who plays each role, by role.
            secrets: keys that must not get into the trace.
        """
        self.root: UUID = uuid7()
        self.broken = False
        self.opening: Opening | None = None
        self._implementations = implementations
        self._secrets = secrets
        self._shared: Mapping[str, Any] = {}
        self._numbers: dict[int, int] = {}
        self._about_root: dict[str, Any] = {"id": str(self.root)}
        self._open: dict[int, _Run] = {}
        self._table = MessageTable(secrets)
        self._seats = ShortSeats(self._table)
        self._runs: list[bytes] = []
        self._saved = (0, 0)

    def new(self) -> bytes | None:
        """Return what has ended since the last call, packed; None when there is nothing, or recording was given up."""
        runs, texts = self._saved
        self._saved = len(self._runs), len(self._table.rows)
        return self._packed(self._table.rows[texts:], self._runs[runs:], passing=True)

    def whole(self) -> bytes | None:
        """Return everything, packed; None when there is nothing, or recording was given up."""
        return self._packed(self._table.rows, self._runs)

    def _packed(self, texts: Sequence[bytes], runs: Sequence[bytes], *, passing: bool = False) -> bytes | None:
        if self.broken or not runs:
            return None
        try:
            return pack(
                to_json(self._about_root), texts, runs, secrets=self._secrets, opening=self.opening, passing=passing
            )
        except Exception as error:  # noqa: BLE001 - the turn is saved without its trace
            self.give_up(error)
            return None

    def give_up(self, error: Exception) -> None:
        """Record no more, and say so once."""
        self.broken = True
        self._open, self._runs = {}, []
        _LOG.warning("an episode goes on without its local trace: %s: %s", type(error).__name__, error)

    # what LangChain calls

    @_unharmed
    def on_chain_start(
        self,
        serialized: dict[str, Any] | None,
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **more: Any,
    ) -> None:
        """Begin a graph, a node, or a step of somebody's chain."""
        about: dict[str, Any] = {}
        if (
            parent_run_id is not None
            and parent_run_id.int == self.root.int
            and more.get("name") in self._implementations
            and isinstance(inputs, dict)
        ):
            about = {"turn": inputs.get("turn", 0), "implementation": self._implementations[more["name"]]}
            more["metadata"] = None  # LangGraph's own, which the tree tells too
            given: object = self._seats.given(inputs)
        else:
            given = _json(_named(inputs, "input"))
        kind = more.get("run_type") or "chain"
        self._begin(kind, serialized, given, run_id, parent_run_id, more, about)

    @_unharmed
    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        """End it."""
        run = self._open.get(run_id.int)
        if run is not None and "implementation" in run.about and isinstance(outputs, Command):
            outputs = self._seats.gave(outputs, run.about["no"])
        elif run_id.int == self.root.int and isinstance(outputs, dict):
            outputs = self._seats.last(outputs)
        self._end(run_id, _named(outputs, "output"))

    @_unharmed
    def on_chat_model_start(
        self,
        serialized: dict[str, Any] | None,
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **more: Any,
    ) -> None:
        """Begin a call to a chat model."""
        places = [[self._table.place(message) for message in batch] for batch in messages]
        self._begin("llm", serialized, places, run_id, parent_run_id, more, {"chat": True})

    @_unharmed
    def on_llm_start(
        self,
        serialized: dict[str, Any] | None,
        prompts: list[str],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **more: Any,
    ) -> None:
        """Begin a call to a model that completes text."""
        self._begin("llm", serialized, _json({"prompts": prompts}), run_id, parent_run_id, more, {})

    @_unharmed
    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """End a call to a model."""
        self._end(run_id, short_reply(response))

    @_unharmed
    def on_tool_start(
        self,
        serialized: dict[str, Any] | None,
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        inputs: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        """Begin a tool of somebody's agent."""
        given = inputs if isinstance(inputs, dict) else {"input": input_str}
        self._begin("tool", serialized, _json(given), run_id, parent_run_id, more, {})

    @_unharmed
    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        """End it."""
        self._end(run_id, {"output": output})

    @_unharmed
    def on_retriever_start(
        self,
        serialized: dict[str, Any] | None,
        query: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **more: Any,
    ) -> None:
        """Begin a search of somebody's agent."""
        named = {**more, "name": more.get("name") or "Retriever"}
        self._begin("retriever", serialized, _json({"query": query}), run_id, parent_run_id, named, {})

    @_unharmed
    def on_retriever_end(self, documents: Sequence[Document], *, run_id: UUID, **_: Any) -> None:
        """End it."""
        self._end(run_id, {"documents": documents})

    @_unharmed
    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """End a run that failed. A node that waits for a human did not, and is run again when they answer."""
        if isinstance(error, GraphBubbleUp):
            self._open.pop(run_id.int, None)
            return
        self._end(run_id, None, _stack(error))

    on_tool_error = on_retriever_error = on_chain_error

    @_unharmed
    def on_llm_error(self, error: BaseException, *, run_id: UUID, response: LLMResult | None = None, **_: Any) -> None:
        """End a call to a model that failed; something may have been said before."""
        self._end(run_id, short_reply(response) if response else None, _stack(error))

    @_unharmed
    def on_custom_event(self, name: str, data: Any, *, run_id: UUID, **_: Any) -> None:
        """Keep what a node proposed, before the person's limits."""
        if name == PROPOSED and (run := self._open.get(run_id.int)) is not None:
            run.about["proposed"] = data

    def _begin(  # noqa: PLR0913, PLR0917 - what a run is at its start
        self,
        kind: str,
        serialized: dict[str, Any] | None,
        inputs: object,
        run_id: UUID,
        parent: UUID | None,
        more: Mapping[str, Any],
        about: dict[str, Any],
    ) -> None:
        metadata, shared = more.get("metadata") or {}, self._shared
        number = self._numbers[run_id.int] = len(self._numbers)
        about |= {
            "id": run_id,
            "no": number,
            "name": more.get("name") or _name(serialized),
            "type": kind,
            "start": time.time(),
            "tags": more.get("tags"),
            # the graph's metadata come back with every run, and LangGraph's own can be told from the tree
            "metadata": {
                name: value
                for name, value in metadata.items()
                if (name not in shared or shared[name] != value) and name not in _LANGGRAPHS
            },
        }
        if run_id.int == self.root.int:
            self._shared = metadata
            self._about_root = dict(about)
        elif parent is not None:
            about["parent"] = self._numbers.get(parent.int, parent)
        self._open[run_id.int] = _Run(about, inputs)

    def _end(self, run_id: UUID, outputs: object, error: str | None = None) -> None:
        run = self._open.pop(run_id.int, None)
        if run is None:
            return
        run.about["seconds"] = round(time.perf_counter() - run.clock, 6)
        if error is not None:
            run.about["error"] = error
        self._runs.append(_row(run.about, run.inputs, outputs))


def _name(serialized: dict[str, Any] | None) -> str:
    """The name LangSmith finds for a run that was not given one."""
    told = serialized or {}
    return str(told.get("name") or (told.get("id") or ["Unnamed"])[-1])


def _named(value: Any, name: str) -> dict[str, Any]:
    if isinstance(value, Command):
        # the same as pydantic makes of the data class, in half the time
        return {name: {"graph": value.graph, "update": value.update, "resume": value.resume, "goto": value.goto}}
    return value if isinstance(value, dict) else {name: value}


def _row(about: dict[str, Any], inputs: object, outputs: object) -> bytes:
    if not isinstance(inputs, bytes):
        try:
            return _plain_json([about, inputs, outputs])
        except ValueError:  # below, only what is to blame is left out
            inputs = _json(inputs)
    return b"[%b,%b,%b]" % (_json(about), inputs, _json(outputs))


def _json(value: Any) -> bytes:
    try:
        return _plain_json(value)
    except ValueError:  # a lone surrogate, or a circle
        return to_json({"unreadable": clean(repr(value))})


def _plain_json(value: Any) -> bytes:
    return to_json(value, exclude_none=True, serialize_unknown=True, inf_nan_mode="null")


def _stack(error: BaseException) -> str:
    """The form LangSmith shows: what it is, and where it came from."""
    return hide_secrets(clean((repr(error) + "\n\n".join(traceback.format_exception(error))).strip()))
