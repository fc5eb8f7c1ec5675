"""A trace as it is read: the tree of runs of one episode."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from emoharbor.eval.traces.patch import Change, changes
from emoharbor.nodes.models.protocol import Usage
from emoharbor.state.episode import Fault
from emoharbor.state.shift import Shift

_NO_VALUES = dict.fromkeys(("before", "proposed", "applied"))


@dataclass(frozen=True)
class TraceRun:
    """One run: the graph, a node, a model call, or a step of somebody's agent.

    Attributes:
        id, parent, trace: as in LangSmith; the root has no parent and gives the trace its id.
        order: LangSmith's dotted order.
        name, type: as in LangSmith; `chain`, `llm`, `tool`, `retriever`.
        start: seconds since 1970, UTC.
        seconds: how long it took; None for a run that was broken off.
        inputs, outputs, error: as LangSmith has them.
        tags, metadata: as LangChain passed them.
        turn: of the node it belongs to; None outside a node.
        seat: whether it is a node of the episode's graph.
        implementation: who played the node.
        proposed: what the node proposed, before the person's limits.
    """

    id: str
    parent: str | None
    trace: str
    order: str
    name: str
    type: str
    start: float
    seconds: float | None
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any] | None
    error: str | None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    turn: int | None = None
    seat: bool = False
    implementation: str | None = None
    proposed: Mapping[str, Any] | None = None

    @property
    def began(self) -> datetime:
        """When it began."""
        return datetime.fromtimestamp(self.start, UTC)

    @property
    def ended(self) -> datetime | None:
        """When it ended."""
        return None if self.seconds is None else datetime.fromtimestamp(self.start + self.seconds, UTC)

    @property
    def update(self) -> Mapping[str, Any]:
        """What a node changed in the state."""
        output = (self.outputs or {}).get("output")
        found = output.get("update") if isinstance(output, dict) else None
        return found if isinstance(found, dict) else {}

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """What went wrong at a node, mended or not."""
        return tuple(Fault.model_validate(item) for item in self.update.get("faults", ())) if self.seat else ()

    @cached_property
    def change(self) -> tuple[Change, ...]:
        """What a node changed in the inner world, as JSON patch with the old values."""
        after = self.update.get("inner")
        return changes(self.inputs.get("inner") or {}, after) if self.seat and after else ()

    @cached_property
    def limited(self) -> tuple[Shift, ...]:
        """Changes that the person's limits did not let through as they were proposed."""
        # LangSmith is sent no None: what was not known before has no `before`
        told = self.update.get("shifts", ()) if self.seat else ()
        shifts = [Shift.model_validate({**_NO_VALUES, **item}) for item in told]
        return tuple(shift for shift in shifts if shift.limited)

    @cached_property
    def messages(self) -> tuple[tuple[str, str], ...]:
        """What a model was sent: the type of each message and its text."""
        batch = (self.inputs.get("messages") or [[]])[0] if self.type == "llm" else []
        return tuple(_type_and_text(message) for message in batch if isinstance(message, dict))

    @property
    def prompt(self) -> str | None:
        """A hash of the system text of a call, to tell whether two calls had the same instructions."""
        system = [text for kind, text in self.messages if kind == "system"]
        return hashlib.sha256("\n".join(system).encode()).hexdigest()[:12] if system else None

    @cached_property
    def _reply(self) -> Mapping[str, Any]:
        generations = (self.outputs or {}).get("generations") or [[]]
        first = generations[0][0] if generations[0] else {}
        return first.get("message", {}).get("kwargs", {}) or {"content": first.get("text", "")}

    @property
    def reply(self) -> str:
        """What a model said."""
        content = self._reply.get("content", "")
        return content if isinstance(content, str) else str(content)

    @property
    def reasoning(self) -> str:
        """What a model thought before it said it; empty when it did not tell."""
        return str(self._reply.get("additional_kwargs", {}).get("reasoning_content") or "")

    @property
    def model(self) -> str | None:
        """Name of the model that was called, as the endpoint or else the client has it."""
        said = self._reply.get("response_metadata", {})
        return said.get("model_name") or self.metadata.get("ls_model_name") if self.type == "llm" else None

    @property
    def usage(self) -> Usage:
        """Tokens of a call; None where the endpoint did not say."""
        said = self._reply.get("usage_metadata") or {}
        into, out = said.get("input_token_details") or {}, said.get("output_token_details") or {}
        return Usage(said.get("input_tokens"), said.get("output_tokens"), into.get("cache_read"), out.get("reasoning"))


@dataclass(frozen=True)
class Trace:
    """Every run of one episode.

    Attributes:
        opening: the trace of what the person felt, thought and said first, made once for all supporters of a run.
        runs: the episode's own, parents before children, in the order they began. More than one root when the episode
            was broken off and gone on with.
        ratings: those of later ratings of the episode, a root each, oldest first.
    """

    runs: tuple[TraceRun, ...]
    opening: tuple[TraceRun, ...] = ()
    ratings: tuple[TraceRun, ...] = ()

    @property
    def all(self) -> tuple[TraceRun, ...]:
        """The opening's runs, then the episode's, then those of later ratings."""
        return (*self.opening, *self.runs, *self.ratings)

    @property
    def roots(self) -> tuple[TraceRun, ...]:
        """The episode's roots."""
        return tuple(run for run in self.runs if run.parent is None)

    @cached_property
    def _below(self) -> Mapping[str | None, list[TraceRun]]:
        found: dict[str | None, list[TraceRun]] = {}
        for run in self.all:
            found.setdefault(run.parent, []).append(run)
        return found

    def children(self, run: TraceRun) -> list[TraceRun]:
        """Return the runs directly below one."""
        return self._below.get(run.id, [])

    def below(self, run: TraceRun) -> Iterator[TraceRun]:
        """Yield every run below one."""
        for child in self.children(run):
            yield child
            yield from self.below(child)

    def seats(self) -> list[TraceRun]:
        """Return the nodes of the graph in order, those of the opening first."""
        return [run for run in (*self.opening, *self.runs) if run.seat]


def total_usage(runs: Iterable[TraceRun]) -> Usage:
    """Return the tokens of all model calls among some runs; None where no endpoint said."""
    said = [run.usage for run in runs if run.type == "llm"]
    counts = ([count for usage in said if (count := getattr(usage, name)) is not None] for name in Usage.__slots__)
    return Usage(*(sum(known) if known else None for known in counts))


def _type_and_text(message: Mapping[str, Any]) -> tuple[str, str]:
    said = message.get("kwargs", message)
    content = said.get("content", "")
    return str(said.get("type", "")), content if isinstance(content, str) else str(content)
