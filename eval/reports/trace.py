"""The trace of an episode as a tree: turns, nodes, model calls, times, tokens, faults; prompts and changes if asked."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from emoharbor.eval.reports.inert import inert, one_line
from emoharbor.eval.traces.patch import Change
from emoharbor.eval.traces.trace import Trace, TraceRun, total_usage
from emoharbor.nodes.models.protocol import Usage

_HIDDEN = "langsmith:hidden"
_LONGEST = 160


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of a trace is shown.

    Attributes:
        node: only nodes of this name.
        turn: only this turn.
        faults: only nodes at which something went wrong.
        prompts: what was sent to models, and what they said.
        patches: what nodes changed in the inner world.
    """

    node: str | None = None
    turn: int | None = None
    faults: bool = False
    prompts: bool = False
    patches: bool = False

    def takes(self, seat: TraceRun, trace: Trace) -> bool:
        """Tell whether a node is shown."""
        if self.node is not None and seat.name != self.node:
            return False
        if self.turn is not None and seat.turn != self.turn:
            return False
        return not self.faults or bool(seat.faults or seat.error or any(run.error for run in trace.below(seat)))


def trace_page(title: str, trace: Trace, wanted: Wanted) -> RenderableType:
    """Return the page of an episode."""
    seats = [seat for seat in trace.seats() if wanted.takes(seat, trace)]
    opening = {run.id for run in trace.opening}
    parts: list[RenderableType] = [Text.assemble((title, "bold"), "  ", _totals(trace))]
    for (turn, shared), group in groupby(seats, key=lambda seat: (seat.turn, seat.id in opening)):
        head = Text(f"turn {turn}", "bold cyan")
        if shared:
            head.append("  the opening, made once for all supporters of the run", "dim")
        tree = Tree(head, guide_style="dim")
        for seat in group:
            add_run(tree, seat, trace, wanted)
        parts.append(tree)
    parts += [_rating(root, trace, wanted) for root in trace.ratings if root.parent is None and wanted.turn is None]
    parts += [_broken(root) for root in trace.roots if root.error]
    if not seats:
        parts.append(Text("No node fits what was asked for." if trace.seats() else "Nothing is recorded yet.", "dim"))
    return Group(*parts)


def _rating(root: TraceRun, trace: Trace, wanted: Wanted) -> Tree:
    """Return a later rating: what rated, as whom, and the calls it took."""
    head = Text.assemble(("rated again", "bold cyan"), f"  {root.metadata.get('rated_as', '')}")
    tree = Tree(head, guide_style="dim")
    for seat in trace.children(root):
        if seat.seat and wanted.takes(seat, trace):
            add_run(tree, seat, trace, wanted)
    return tree


def add_run(tree: Tree, run: TraceRun, trace: Trace, wanted: Wanted) -> None:
    """Add a run, and all below it, to a tree."""
    branch = tree.add(_line(run, trace))
    for text in _details(run, wanted):
        branch.add(text)
    for child in trace.children(run):
        if _HIDDEN not in child.tags:
            add_run(branch, child, trace, wanted)


def _details(run: TraceRun, wanted: Wanted) -> Iterator[Text]:
    for fault in run.faults:
        yield one_line(f"! {fault.kind}: {fault.detail}", "red")
    if run.error:
        yield one_line(f"! {_first_line(run.error)}", "red")
    yield from _said(run)
    if wanted.patches:
        yield from map(_change, run.change)
        for shift in run.limited:
            told = f"limited: {shift.field} {short(shift.proposed)}, let through {short(shift.applied)}"
            yield one_line(told, "dim")
    if wanted.prompts and run.type == "llm":
        yield from _prompt(run)


def _said(run: TraceRun) -> Iterator[Text]:
    """What a node said, and how the episode ended if that is where it did."""
    for message in run.update.get("messages", ()):
        yield one_line(short(message.get("content")), "italic")
    if run.update.get("outcome"):
        why = run.update.get("outcome_reason")
        yield one_line(f"ends the episode: {run.update['outcome']}{f' ({why})' if why else ''}", "bold magenta")


def _line(run: TraceRun, trace: Trace) -> Text:
    line = one_line(run.name, "bold" if run.seat else "")
    kind = run.implementation if run.seat else run.model if run.type == "llm" else run.type
    line.append("  ").append_text(one_line(kind or "", "dim"))
    line.append("  unfinished" if run.seconds is None else f"  {duration(run.seconds)}", "dim")
    line.append_text(_tokens(total_usage([run]) if run.type == "llm" else total_usage(trace.below(run))))
    if run.prompt:
        line.append(f"  prompt {run.prompt}", "dim")
    return line


def _totals(trace: Trace) -> Text:
    calls = [run for run in trace.all if run.type == "llm"]
    roots = [root for root in trace.all if root.parent is None]
    seconds = sum(root.seconds for root in roots if root.seconds is not None)
    text = Text(f"{duration(seconds)}  {len(trace.seats())} nodes  {len(calls)} model calls", "dim")
    # an opening that failed is a root too, of another name
    stretches = sum(root.name == trace.roots[-1].name for root in trace.roots)
    if stretches > 1:
        text.append(f"  in {stretches} stretches", "dim")
    return text.append_text(_tokens(total_usage(calls)))


def _tokens(usage: Usage) -> Text:
    if usage.prompt is None and usage.completion is None:
        return Text("")
    cached = f" ({usage.cached:,} cached)" if usage.cached else ""
    return Text(f"  {usage.prompt or 0:,}{cached} + {usage.completion or 0:,} tokens", "dim")


def duration(seconds: float) -> str:
    """Return a time in a unit that suits it."""
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _prompt(run: TraceRun) -> Iterator[Text]:
    for kind, text in run.messages:
        yield Text.assemble((f"{kind}\n", "dim"), inert(text))
    if run.reasoning:
        yield Text.assemble(("thought\n", "dim"), inert(run.reasoning, "italic"))
    if run.outputs is not None:
        yield Text.assemble(("reply\n", "dim"), inert(run.reply))


def _change(change: Change) -> Text:
    mark = {"add": "+", "remove": "-", "replace": "~"}[change.op]
    text = Text(f"{mark} {change.path}  ", "yellow")
    if change.op != "add":
        text.append_text(one_line(short(change.old), "dim"))
    if change.op == "replace":
        text.append(" -> ", "dim")
    if change.op != "remove":
        text.append_text(one_line(short(change.new)))
    return text


def short(value: Any) -> str:
    """Return a value as JSON, not too long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _broken(root: TraceRun) -> Text:
    return one_line(f"! {root.name}: {_first_line(root.error or '')}", "red")


def _first_line(error: str) -> str:
    return error.partition("Traceback (most recent call last)")[0].partition("\n")[0]


def run_data(run: TraceRun) -> dict[str, Any]:
    """Return a run as data."""
    return {
        "id": run.id, "parent": run.parent, "trace": run.trace, "name": run.name, "type": run.type,
        "start": run.began.isoformat(), "seconds": run.seconds, "turn": run.turn,
        "implementation": run.implementation, "model": run.model, "prompt": run.prompt,
        "tokens": {"prompt": run.usage.prompt, "completion": run.usage.completion, "cached": run.usage.cached},
        "inputs": run.inputs, "outputs": run.outputs, "error": run.error, "proposed": run.proposed,
        "faults": [fault.model_dump(mode="json") for fault in run.faults],
        "patch": [change.data() for change in run.change],
    }  # fmt: skip
