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
from typing import Any, cast
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command
from langsmith import uuid7

from emoharbor.eval.secrets import hide_secrets
from emoharbor.eval.traces.codec import Opening, Packer
from emoharbor.eval.traces.messages import short_reply
from emoharbor.eval.traces.seats import ShortSeats
from emoharbor.eval.traces.table import MessageTable
from emoharbor.eval.traces.tojson import any_json, json_row
from emoharbor.graphs.traced import PROPOSED
from emoharbor.state.episode import Channels
from emoharbor.state.text import clean

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


def _unharmed(event: Callable[..., None]) -> Callable[..., None]:
    """A trace that cannot be recorded is given up; the episode goes on.

    What LangChain tells by name an event is given as one mapping: to hand it on by name would cost as much again.
    """

    @wraps(event)
    def guarded(self: "Recorder", *args: Any, **told: Any) -> None:
        if self.broken:
            return
        try:
            event(self, *args, told)
        except Exception as error:  # noqa: BLE001 - whatever somebody's objects do when they are looked at
            self.give_up(error)

    return guarded


class Recorder(BaseCallbackHandler):
    """Records the runs of one call of a graph.

    Attributes:
        root: id of the root run, to be given to the graph as `run_id`.
        broken: whether recording was given up.
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
        self._implementations = implementations
        self._packer = Packer(secrets)
        self._shared: Mapping[str, Any] = {}
        self._numbers: dict[int, int] = {}
        self._about_root: dict[str, Any] = {"id": str(self.root)}
        self._open: dict[int, _Run] = {}
        self._table = MessageTable(secrets)
        self._seats = ShortSeats(self._table)
        self._runs: list[bytes] = []

    def begins_with(self, opening: Opening | None) -> None:
        """Learn which opening the episode begins with, before anything of it is saved."""
        self._packer.opening = opening

    def new(self) -> bytes | None:
        """Return what has ended since the last call, packed; None when there is nothing, or recording was given up."""
        return self._packed(last=False)

    def rest(self) -> bytes | None:
        """Return what has ended since then, packed, when no more will; None as for `new`."""
        return self._packed(last=True)

    def _packed(self, *, last: bool) -> bytes | None:
        if self.broken or not self._runs:
            return None
        runs, self._runs = self._runs, []
        try:
            return self._packer.pack(any_json(self._about_root), self._table.take(), runs, last=last)
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
    def on_chain_start(self, serialized: dict[str, Any] | None, inputs: Any, told: dict[str, Any]) -> None:
        """Begin a graph, a node, or a step of somebody's chain."""
        about: dict[str, Any] = {}
        parent, name = told["parent_run_id"], str(told.get("name"))
        is_child = parent is not None and parent.int == self.root.int
        if is_child and name in self._implementations and isinstance(inputs, dict):
            about = {"turn": inputs.get("turn", 0), "implementation": self._implementations[name]}
            told["metadata"] = None  # LangGraph's own, which the tree tells too
            given: object = self._seats.given(cast("Channels", inputs))  # a node of the episode's graph
        else:
            given = any_json(_named(inputs, "input"))
        self._begin(told.get("run_type") or "chain", serialized, given, told, about)

    @_unharmed
    def on_chain_end(self, outputs: Any, told: dict[str, Any]) -> None:
        """End it."""
        run_id: UUID = told["run_id"]
        run = self._open.get(run_id.int)
        if run is not None and "implementation" in run.about and isinstance(outputs, Command):
            outputs = self._seats.gave(outputs, run.about["no"])
        elif run_id.int == self.root.int and isinstance(outputs, dict):
            outputs = self._seats.last(outputs)
        self._end(told, _named(outputs, "output"))

    @_unharmed
    def on_chat_model_start(
        self, serialized: dict[str, Any] | None, messages: list[list[BaseMessage]], told: dict[str, Any]
    ) -> None:
        """Begin a call to a chat model."""
        places = [[self._table.place(message) for message in batch] for batch in messages]
        self._begin("llm", serialized, places, told, {"chat": True})

    @_unharmed
    def on_llm_start(self, serialized: dict[str, Any] | None, prompts: list[str], told: dict[str, Any]) -> None:
        """Begin a call to a model that completes text."""
        self._begin("llm", serialized, any_json({"prompts": prompts}), told, {})

    @_unharmed
    def on_llm_end(self, response: LLMResult, told: dict[str, Any]) -> None:
        """End a call to a model."""
        self._end(told, short_reply(response))

    @_unharmed
    def on_tool_start(self, serialized: dict[str, Any] | None, input_str: str, told: dict[str, Any]) -> None:
        """Begin a tool of somebody's agent."""
        inputs = told.get("inputs")
        given = inputs if isinstance(inputs, dict) else {"input": input_str}
        self._begin("tool", serialized, any_json(given), told, {})

    @_unharmed
    def on_tool_end(self, output: Any, told: dict[str, Any]) -> None:
        """End it."""
        self._end(told, {"output": output})

    @_unharmed
    def on_retriever_start(self, serialized: dict[str, Any] | None, query: str, told: dict[str, Any]) -> None:
        """Begin a search of somebody's agent."""
        named = {**told, "name": told.get("name") or "Retriever"}
        self._begin("retriever", serialized, any_json({"query": query}), named, {})

    @_unharmed
    def on_retriever_end(self, documents: Sequence[Document], told: dict[str, Any]) -> None:
        """End it."""
        self._end(told, {"documents": documents})

    @_unharmed
    def on_chain_error(self, error: BaseException, told: dict[str, Any]) -> None:
        """End a run that failed. A node that waits for a human did not, and is run again when they answer."""
        if isinstance(error, GraphBubbleUp):
            self._open.pop(told["run_id"].int, None)
            return
        self._end(told, None, _stack(error))

    on_tool_error = on_retriever_error = on_chain_error

    @_unharmed
    def on_llm_error(self, error: BaseException, told: dict[str, Any]) -> None:
        """End a call to a model that failed; something may have been said before."""
        response = told.get("response")
        self._end(told, short_reply(response) if response else None, _stack(error))

    @_unharmed
    def on_custom_event(self, name: str, data: Any, told: dict[str, Any]) -> None:
        """Keep what a node proposed, before the person's limits."""
        if name == PROPOSED and (run := self._open.get(told["run_id"].int)) is not None:
            run.about["proposed"] = data

    def _begin(
        self,
        kind: str,
        serialized: dict[str, Any] | None,
        inputs: object,
        told: Mapping[str, Any],
        about: dict[str, Any],
    ) -> None:
        run_id: UUID = told["run_id"]
        metadata, shared = told.get("metadata") or {}, self._shared
        number = self._numbers[run_id.int] = len(self._numbers)
        about |= {
            "id": run_id,
            "no": number,
            "name": told.get("name") or _name(serialized),
            "type": kind,
            "start": time.time(),
            "tags": told.get("tags"),
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
        elif (parent := told["parent_run_id"]) is not None:
            about["parent"] = self._numbers.get(parent.int, parent)
        self._open[run_id.int] = _Run(about, inputs)

    def _end(self, told: Mapping[str, Any], outputs: object, error: str | None = None) -> None:
        run = self._open.pop(told["run_id"].int, None)
        if run is None:
            return
        run.about["seconds"] = round(time.perf_counter() - run.clock, 6)
        if error is not None:
            run.about["error"] = error
        self._runs.append(json_row(run.about, run.inputs, outputs))


def _name(serialized: dict[str, Any] | None) -> str:
    """The name LangSmith finds for a run that was not given one."""
    told = serialized or {}
    return str(told.get("name") or (told.get("id") or ["Unnamed"])[-1])


def _named(value: Any, name: str) -> dict[str, Any]:
    if isinstance(value, Command):
        # the same as pydantic makes of the data class, in half the time
        return {name: {"graph": value.graph, "update": value.update, "resume": value.resume, "goto": value.goto}}
    return value if isinstance(value, dict) else {name: value}


def _stack(error: BaseException) -> str:
    """The form LangSmith shows: what it is, and where it came from."""
    return hide_secrets(clean((repr(error) + "\n\n".join(traceback.format_exception(error))).strip()))
