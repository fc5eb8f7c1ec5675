"""From the blobs of a run folder to the trace of an episode."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.store.reader import Reader
from emoharbor.eval.traces.codec import Opening, Segment, unpack
from emoharbor.eval.traces.messages import node_messages, replied, sent
from emoharbor.eval.traces.table import whole_rows
from emoharbor.eval.traces.trace import Trace, TraceRun
from emoharbor.eval.traces.worlds import SAME, whole_world
from emoharbor.graphs.shown import shown_after


def load_trace(reader: Reader, key: EpisodeKey) -> Trace:
    """Return the trace of an episode, also while it goes on: then up to its last finished turn.

    Raises:
        RunFolderError: when the episode has not begun.
        ValueError: for a blob that is broken, or newer than this program.
    """
    blobs, opening = reader.traces(key), reader.opening_trace(key.profile, key.repeat)
    ratings = runs_of(reader.judgement_traces(key))
    if opening is None:
        return Trace(runs_of(blobs), ratings=ratings)
    return Trace(runs_of(blobs, Opening(opening)), runs_of([opening]), ratings)


def runs_of(blobs: Iterable[bytes], opening: Opening | None = None) -> tuple[TraceRun, ...]:
    """Return the runs in some blobs, parents before children, in the order they began."""
    return tuple(run for segment in unpack(blobs, opening) for run in _tree(segment))


def _tree(segment: Segment) -> list[TraceRun]:
    """Order the runs of a segment, give each its place, and a node's turn to all below it."""
    segment = replace(segment, texts=whole_rows(segment.texts))
    _name_parents(segment)
    _write_out(segment)
    found = [_run(item, segment) for item in segment.runs]
    root = next((run for run in found if run.id == segment.root["id"]), None)
    if root is None and "start" in segment.root:  # the episode goes on, or was killed
        root = _run([segment.root, {}, None], segment)
        found.append(root)
    children: dict[str | None, list[TraceRun]] = {}
    known = {run.id for run in found}
    for run in sorted(found, key=lambda run: run.start):
        # a node that was broken off is not there; what ran below it hangs on the root
        parent = run.parent if run.parent is None or run.parent in known or root is None else root.id
        children.setdefault(parent, []).append(run)
    return [placed for run in children.get(None, []) for placed in _placed(run, None, children)]


def _name_parents(segment: Segment) -> None:
    """Put ids for the numbers of parents."""
    ids = {about["no"]: about["id"] for about, _, _ in segment.runs}
    if "no" in segment.root:
        ids[segment.root["no"]] = segment.root["id"]
    for about, _, _ in segment.runs:
        if isinstance(about.get("parent"), int):
            about["parent"] = ids.get(about["parent"], "")


def _write_out(segment: Segment) -> None:
    """Put what nodes were given, worlds and messages where `seats.py` left them out."""
    texts, inner = segment.texts, None
    left: dict[int, Any] = {}
    before: dict[str, Any] = {}
    update: Any = {}
    for run in segment.runs:
        about, inputs, outputs = run
        if "implementation" in about:
            if inputs == SAME:
                inputs = run[1] = shown_after(before, update)
            elif "inner" in inputs:
                inputs["inner"] = whole_world(inputs["inner"], inner)
            _write_messages(inputs, texts)
            output = outputs.get("output") if outputs else None
            update = output.get("update") if isinstance(output, dict) else None
            if isinstance(update, dict):
                _write_messages(update, texts)
                if "inner" in update:
                    inner = update["inner"] = left[about["no"]] = whole_world(update["inner"], inner)
                if update.get("worlds") == SAME:
                    update["worlds"] = [inner]
            before = inputs
        elif about["id"] == segment.root["id"] and outputs:
            _write_messages(outputs, texts)
            if isinstance(worlds := outputs.get("worlds"), list):
                outputs["worlds"] = [left.get(world) if isinstance(world, int) else world for world in worlds]


def _write_messages(payload: dict[str, Any], texts: Sequence[Any]) -> None:
    places = payload.get("messages") or []
    if places and isinstance(places[0], int):  # older versions wrote some of them out
        payload["messages"] = node_messages(places, texts)


def _placed(run: TraceRun, above: TraceRun | None, children: dict[str | None, list[TraceRun]]) -> Iterator[TraceRun]:
    order = datetime.fromtimestamp(run.start, UTC).strftime("%Y%m%dT%H%M%S%fZ") + run.id
    if above is None:
        placed = replace(run, trace=run.id, order=order)
    else:
        turn = run.turn if run.seat else above.turn
        placed = replace(run, parent=above.id, trace=above.trace, order=f"{above.order}.{order}", turn=turn)
    yield placed
    for child in children.get(run.id, []):
        yield from _placed(child, placed, children)


def _run(item: list[Any], segment: Segment) -> TraceRun:
    about, inputs, outputs = item
    model = about["type"] == "llm"
    return TraceRun(
        id=about["id"],
        parent=about.get("parent"),
        trace="",
        order="",
        name=about.get("name") or "",
        type=about["type"],
        start=about["start"],
        seconds=about.get("seconds"),
        inputs=sent(inputs, segment.texts) if about.get("chat") else inputs,
        outputs=replied(outputs) if model and outputs else outputs,
        error=about.get("error"),
        tags=tuple(about.get("tags") or ()),
        metadata={**segment.root.get("metadata", {}), **about.get("metadata", {})},
        turn=about.get("turn"),
        seat="implementation" in about,
        implementation=about.get("implementation"),
        proposed=about.get("proposed"),
    )
